// Eq. 2 in 32-bit integers, the step left open by the paper (IV.B.4): the coefficients of the plane are scaled by
// `one`, and so is the largest weight.
#pragma once

#include "kinema/head.h"

#include <array>
#include <cstdint>
#include <optional>

namespace kinema::head {

/// The weight of a colour is max(0, min(one, q.c + d)) / one.
///
/// The error. Each q differs from one * f by some fraction, multiplied by up to 255 of a channel, so plain rounding
/// would cost up to 1.5 * 255 units. But `one` need not be a power of two: among the tens of thousands of values tried,
/// there is one for which all three fractions are around a hundredth. d is then chosen so that no colour is weighed
/// more than by eq. 2 (zero weights stay zero: a large background must not bias the result), and none less by more than
/// `error`, which is computed from the fractions themselves. With `one` near 2^25 it is a few 1e-7; it is at most 1e-5,
/// and only for planes so steep that hardly any colour lies on the slope.
struct FixedPlane {
  std::array<std::int32_t, 3> q;  // of R, G, B
  std::int32_t d;
  std::int32_t one;  // at most 2^25: 64 weights fill half of 32 bits
  double error;

  std::int32_t weight(std::int32_t r, std::int32_t g, std::int32_t b) const {
    // the sum fits 32 bits, but its terms need not
    const std::int64_t v = std::int64_t{q[0]} * r + std::int64_t{q[1]} * g + std::int64_t{q[2]} * b + d;
    return static_cast<std::int32_t>(v < 0 ? 0 : v > one ? one : v);
  }
};

/// A test on 8-bit numbers: colours with b.c <= empty have weight 0, those with b.c >= full the largest weight. These
/// defaults decide nothing.
struct Outline {
  std::array<std::int8_t, 3> b{};
  std::int32_t empty = -1, full = 1;
};

/// A plane with its coefficients in the order of a pixel's bytes.
struct PlaneOfBytes {
  std::array<std::int32_t, 3> q;
  std::int32_t d, one;
  Outline outline{};
};

PlaneOfBytes in_order(const FixedPlane& plane, bool blue_first);

/// Nothing if the plane is too steep for 32 bits.
std::optional<FixedPlane> fix_plane(const SkinPlane& plane);

/// With q of 16 bits, sums of up to 2^24, and an error of up to 8e-6; nothing if that is impossible.
std::optional<FixedPlane> fix_plane_in_short(const SkinPlane& plane);

/// Whether fix_plane_in_short() could have made this plane.
bool fits_short(const PlaneOfBytes& plane);

}  // namespace kinema::head
