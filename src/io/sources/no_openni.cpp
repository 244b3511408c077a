// Replaces io/sources/openni_source.cpp in builds without OpenNI 2.
#include "io/sources/openers.h"
#include "kinema/error.h"

#include <fmt/format.h>

namespace kinema::io {

bool openni_built_in() { return false; }

RawOpener openni_opener(const std::string& word, const RecordingSettings&, SourceUse) {
  throw Error(fmt::format("{}: this build has no OpenNI 2: install it (Debian: libopenni2-dev) and build again", word));
}

std::vector<Connected> connected_openni() { return {}; }

}  // namespace kinema::io
