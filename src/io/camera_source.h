// A colour camera of this machine: "camera:0", "/dev/video0" or "0". Needs OpenCV.
#pragma once

#include "io/raw_source.h"
#include "io/source_schemes.h"

#include <optional>
#include <string>
#include <vector>

namespace kinema::io {

/// The number in the word; nothing if it names something else.
std::optional<int> camera_number(const std::string& word);

RawOpener camera_opener(int number, double fps);

std::vector<Connected> connected_cameras();

}  // namespace kinema::io
