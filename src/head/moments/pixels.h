// The colour of single pixels of a frame in any format: for code that reads few of them, such as calibration and
// search.
#pragma once

#include "head/moments/pixel_reader.h"

namespace kinema::head {

inline Rgb pixel_at(const ColourView& frame, std::size_t x, std::size_t y) {
  return with_format(frame.format, [&](auto format) { return PixelRow<decltype(format)::value>(frame, y)[x]; });
}

}  // namespace kinema::head
