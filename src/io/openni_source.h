// Depth cameras through OpenNI 2, and its recordings: "openni:" is the first device, "openni:1" the second, "openni:URI"
// any; "FILE.oni" is a recording. Without OpenNI 2 all but the names throw.
#pragma once

#include "io/raw_source.h"
#include "io/source_schemes.h"

#include <string>
#include <vector>

namespace kinema::io {

bool openni_built_in();

bool names_openni(const std::string& word);

RawOpener openni_opener(const std::string& word, const RecordingSettings& settings, SourceUse use);

std::vector<Connected> connected_openni();

}  // namespace kinema::io
