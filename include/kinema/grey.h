// Colour frames to grey images.
#pragma once

#include "kinema/image.h"

#include <cstdint>
#include <vector>

namespace kinema {

/// The luma of a colour frame, width x height bytes without gaps between rows: 0.299 R + 0.587 G + 0.114 B, rounded (to
/// the bit what OpenCV's COLOR_BGR2GRAY gives); for nv12 and yuyv the luma itself, spread from 16...235 to 0...255.
/// Throws Error if the frame has no pixels, its rows overlap or it lies on a device.
std::vector<std::uint8_t> grey_of(const ColourView& frame);

}  // namespace kinema
