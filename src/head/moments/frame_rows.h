// A frame in bands of rows: the view of a band, its weighing, and its sums in coordinates of the whole frame.
#pragma once

#include "kinema/head.h"

#include <algorithm>

namespace kinema::head {

/// Bands of any format begin at a multiple of this: nv12 has one row of chroma for two of luma.
inline constexpr std::size_t row_grain = 2;

/// Rows first, first + 1, ... of a frame; `first` a multiple of row_grain.
inline ColourView band(const ColourView& frame, std::size_t first, std::size_t rows) {
  ColourView part = frame;
  part.data = frame.data + first * frame.stride;
  part.height = rows;
  if (frame.chroma != nullptr) part.chroma = frame.chroma + first / row_grain * frame.chroma_stride;
  return part;
}

inline Weighing band(const Weighing& weighing, std::size_t first, std::size_t rows) {
  Weighing part = weighing;
  if (part.window) part.window->cy -= static_cast<double>(first);
  if (part.mask.data != nullptr) {
    part.mask.data += first * part.mask.stride;
    part.mask.height = rows;
  }
  if (part.bottom != SIZE_MAX) part.bottom -= std::min(part.bottom, first);
  return part;
}

/// The sums of a band in coordinates of the frame, in which it begins `first` rows below the top.
inline Sums moved_down(const Sums& sums, std::size_t first) {
  const auto y = static_cast<double>(first);
  return {sums.w, sums.wx, sums.wy + y * sums.w, sums.wxx, sums.wyy + 2 * y * sums.wy + y * y * sums.w};
}

inline Sums operator+(const Sums& a, const Sums& b) {
  return {a.w + b.w, a.wx + b.wx, a.wy + b.wy, a.wxx + b.wxx, a.wyy + b.wyy};
}

}  // namespace kinema::head
