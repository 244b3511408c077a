// Reads the pixels of a frame in any format as 8-bit RGB: for loops that do not justify a kernel.
#pragma once

#include "head/moments/colour_conversion.h"
#include "kinema/image.h"

#include <cstddef>
#include <type_traits>

namespace kinema::head {

/// A row of a frame whose format is known to the compiler.
template <PixelFormat format>
class PixelRow {
public:
  KINEMA_HD PixelRow(const ColourView& frame, std::size_t y) : row_(frame.data + y * frame.stride) {
    if constexpr (format == PixelFormat::nv12) chroma_ = frame.chroma + y / 2 * frame.chroma_stride;
  }

  KINEMA_HD Rgb operator[](std::size_t x) const {
    if constexpr (format == PixelFormat::bgr) {
      return {row_[3 * x + 2], row_[3 * x + 1], row_[3 * x]};
    } else if constexpr (format == PixelFormat::rgb) {
      return {row_[3 * x], row_[3 * x + 1], row_[3 * x + 2]};
    } else if constexpr (format == PixelFormat::bgra) {
      return {row_[4 * x + 2], row_[4 * x + 1], row_[4 * x]};
    } else if constexpr (format == PixelFormat::rgba) {
      return {row_[4 * x], row_[4 * x + 1], row_[4 * x + 2]};
    } else if constexpr (format == PixelFormat::nv12) {
      const std::uint8_t* pair = chroma_ + (x & ~std::size_t{1});
      return rgb_of(row_[x], pair[0], pair[1]);
    } else {
      const std::uint8_t* pair = row_ + (x & ~std::size_t{1}) * 2;
      return rgb_of(row_[2 * x], pair[1], pair[3]);
    }
  }

private:
  const std::uint8_t* row_;
  const std::uint8_t* chroma_ = nullptr;
};

/// Calls work(std::integral_constant<PixelFormat, ...>{}) with the format of the frame.
template <class Work>
decltype(auto) with_format(PixelFormat format, Work&& work) {
  switch (format) {
    case PixelFormat::bgr:
      return work(std::integral_constant<PixelFormat, PixelFormat::bgr>{});
    case PixelFormat::rgb:
      return work(std::integral_constant<PixelFormat, PixelFormat::rgb>{});
    case PixelFormat::bgra:
      return work(std::integral_constant<PixelFormat, PixelFormat::bgra>{});
    case PixelFormat::rgba:
      return work(std::integral_constant<PixelFormat, PixelFormat::rgba>{});
    case PixelFormat::nv12:
      return work(std::integral_constant<PixelFormat, PixelFormat::nv12>{});
    case PixelFormat::yuyv:
      break;
  }
  return work(std::integral_constant<PixelFormat, PixelFormat::yuyv>{});
}

/// For code that reads few pixels, such as calibration and search.
inline Rgb pixel_at(const ColourView& frame, std::size_t x, std::size_t y) {
  return with_format(frame.format, [&](auto format) { return PixelRow<decltype(format)::value>(frame, y)[x]; });
}

}  // namespace kinema::head
