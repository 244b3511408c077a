// Conversion of nv12 and yuyv pixels: BT.601 in video range to 8-bit RGB, in integers, so that every backend gives the
// same bytes. The products are those of one SIMD instruction (a rounded high half of 16 bits by 16 bits), so a vector
// of 16-bit lanes computes the same; luma and chroma need no prior clamping.
#pragma once

#include "core/host_device.h"

#include <cstdint>

namespace kinema::head {

struct Rgb {
  std::uint8_t r, g, b;
};

// In 1/64 of a level: luma is scaled by 128 and chroma by 128 or 256 before the product, so the factors are
// 255/219 / 2, 1.402 * 255/224 / 2, ... of 2^15.
namespace video_range {
inline constexpr std::int32_t luma = 19077;     // 1.164384 / 2, of 128 (Y - 16)
inline constexpr std::int32_t cr_to_r = 26149;  // 1.596027 / 2, of 128 (Cr - 128)
inline constexpr std::int32_t cb_to_g = 6419;   // 0.391762 / 2, of 128 (Cb - 128)
inline constexpr std::int32_t cr_to_g = 13320;  // 0.812968 / 2, of 128 (Cr - 128)
inline constexpr std::int32_t cb_to_b = 16525;  // 2.017232 / 4, of 256 (Cb - 128)
}  // namespace video_range

/// The rounded product of two 16-bit numbers, b in units of 2^-15.
KINEMA_HD inline std::int32_t fixed_product(std::int32_t a, std::int32_t b) { return (a * b + 16384) >> 15; }

/// From 1/64 of a level, rounded and clamped.
KINEMA_HD inline std::uint8_t from_64ths(std::int32_t value) {
  const std::int32_t level = (value + 32) >> 6;
  return static_cast<std::uint8_t>(level < 0 ? 0 : level > 255 ? 255 : level);
}

KINEMA_HD inline Rgb rgb_of(std::uint8_t y, std::uint8_t cb, std::uint8_t cr) {
  const std::int32_t luma = fixed_product(128 * (static_cast<std::int32_t>(y) - 16), video_range::luma);
  const std::int32_t blue = static_cast<std::int32_t>(cb) - 128, red = static_cast<std::int32_t>(cr) - 128;
  return {from_64ths(luma + fixed_product(128 * red, video_range::cr_to_r)),
          from_64ths(luma - fixed_product(128 * blue, video_range::cb_to_g) -
                     fixed_product(128 * red, video_range::cr_to_g)),
          from_64ths(luma + fixed_product(256 * blue, video_range::cb_to_b))};
}

}  // namespace kinema::head
