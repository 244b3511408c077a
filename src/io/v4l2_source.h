// Raw 16-bit depth of a kernel driver, as RealSense cameras give it: "v4l2:/dev/video2". The intrinsics and the unit of
// depth come from --camera-file, since drivers do not tell them.
#pragma once

#include "io/raw_source.h"
#include "io/source_schemes.h"

#include <string>
#include <vector>

namespace kinema::io {

bool names_v4l2(const std::string& word);

RawOpener v4l2_opener(const std::string& word, const RecordingSettings& settings);

/// Devices that offer depth.
std::vector<Connected> connected_v4l2();

}  // namespace kinema::io
