// The colour of single pixels of a frame, whatever its format: for what touches few pixels, such as calibration and
// search. What touches them all is head::Moments.
#pragma once

#include "head/colour_conversion.h"
#include "kinema/image.h"

#include <cstddef>
#include <cstdint>

namespace kinema::head {

inline Rgb pixel_at(const ColourView& frame, std::size_t x, std::size_t y) {
  const std::uint8_t* row = frame.data + y * frame.stride;
  switch (frame.format) {
    case PixelFormat::bgr:
      return {row[3 * x + 2], row[3 * x + 1], row[3 * x]};
    case PixelFormat::rgb:
      return {row[3 * x], row[3 * x + 1], row[3 * x + 2]};
    case PixelFormat::bgra:
      return {row[4 * x + 2], row[4 * x + 1], row[4 * x]};
    case PixelFormat::rgba:
      return {row[4 * x], row[4 * x + 1], row[4 * x + 2]};
    case PixelFormat::nv12: {
      const std::uint8_t* chroma = frame.chroma + (y / 2) * frame.chroma_stride + (x / 2) * 2;
      return rgb_of(row[x], chroma[0], chroma[1]);
    }
    case PixelFormat::yuyv: {
      const std::uint8_t* pair = row + (x / 2) * 4;
      return rgb_of(pair[(x % 2) * 2], pair[1], pair[3]);
    }
  }
  return {0, 0, 0};
}

}  // namespace kinema::head
