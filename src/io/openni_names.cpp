// The part of io/openni_source.h that needs no OpenNI.
#include "io/input_file.h"
#include "io/openni_source.h"

namespace kinema::io {

bool names_openni(const std::string& word) { return word.starts_with("openni:") || extension_of(word) == ".oni"; }

}  // namespace kinema::io
