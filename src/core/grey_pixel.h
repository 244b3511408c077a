// The grey value of a pixel, for the host and the device: integers, so that both agree.
#pragma once

#include "core/host_device.h"
#include "kinema/image.h"

#include <cstddef>
#include <cstdint>

namespace kinema {

/// BT.601 in units of 2^-15, which is how OpenCV rounds them: their sum is exactly 1.
KINEMA_HD inline std::uint8_t grey_of_colour(unsigned red, unsigned green, unsigned blue) {
  constexpr unsigned bits = 15;
  return static_cast<std::uint8_t>((9798 * red + 19235 * green + 3735 * blue + (1u << (bits - 1))) >> bits);
}

/// Luma of video, 16...235, spread to 0...255.
KINEMA_HD inline std::uint8_t grey_of_luma(int luma) {
  const int spread = (2 * 255 * (luma - 16) + 219) / (2 * 219);
  return static_cast<std::uint8_t>(spread < 0 ? 0 : spread > 255 ? 255 : spread);
}

/// Bytes of a row that a grey value needs, per pixel.
KINEMA_HD inline std::size_t bytes_per_pixel(PixelFormat format) {
  switch (format) {
    case PixelFormat::bgr:
    case PixelFormat::rgb:
      return 3;
    case PixelFormat::bgra:
    case PixelFormat::rgba:
      return 4;
    case PixelFormat::nv12:
      return 1;
    case PixelFormat::yuyv:
      break;
  }
  return 2;
}

/// Pixel x of a row.
KINEMA_HD inline std::uint8_t grey_in_row(PixelFormat format, const std::uint8_t* row, std::size_t x) {
  const std::uint8_t* pixel = row + bytes_per_pixel(format) * x;
  if (format == PixelFormat::nv12 || format == PixelFormat::yuyv) return grey_of_luma(pixel[0]);
  const bool red_first = format == PixelFormat::rgb || format == PixelFormat::rgba;
  return grey_of_colour(pixel[red_first ? 0 : 2], pixel[1], pixel[red_first ? 2 : 0]);
}

}  // namespace kinema
