#include "head/fixed_plane.h"

#include <algorithm>
#include <cmath>

namespace kinema::head {
namespace {

constexpr double largest_one = 1 << 25;
constexpr double largest_sum = 2147483000;  // of 32 bits, less a few for rounding
constexpr double most_error = 1e-5;
constexpr int candidates = 1 << 16;

// What is wrong for the colour where it is worst, and between that and the best, in units.
struct Fractions {
  double low, high;
};

Fractions fractions_of(const std::array<double, 3>& f, double one) {
  Fractions error{0, 0};
  for (const double number : f) {
    const double scaled = one * number, fraction = std::nearbyint(scaled) - scaled;
    (fraction < 0 ? error.low : error.high) += 255 * fraction;
  }
  return error;
}

}  // namespace

std::optional<FixedPlane> fix_plane(const Plane& plane) {
  const std::array<double, 3> f = {plane.r, plane.g, plane.b};

  // the largest sum of any colour, with d and without, of either sign; and room for `one` beside
  double least = 0, most = 0;
  for (const double number : f) (number < 0 ? least : most) += 255 * number;
  const double range = std::max({std::abs(least), std::abs(most), std::abs(least + plane.d), std::abs(most + plane.d),
                                 std::abs(plane.d)}) +
                       1;
  const double top = std::floor(range * largest_one < largest_sum ? largest_one : largest_sum / range);
  if (!(top >= 4096)) return std::nullopt;

  // tried from top downwards to half of it
  double one = top, spread = 1e300;
  const double step = std::max(1.0, std::floor(top / 2 / candidates));
  for (double candidate = top; candidate > top / 2; candidate -= step) {
    const Fractions error = fractions_of(f, candidate);
    const double units = (error.high - error.low + 1) / candidate;
    if (units < spread) {
      spread = units;
      one = candidate;
    }
  }
  if (spread > most_error) return std::nullopt;

  FixedPlane fixed;
  for (std::size_t i = 0; i < 3; ++i) fixed.q[i] = static_cast<std::int32_t>(std::nearbyint(one * f[i]));
  fixed.d = static_cast<std::int32_t>(std::floor(one * plane.d - fractions_of(f, one).high));
  fixed.one = static_cast<std::int32_t>(one);
  fixed.error = spread;
  return fixed;
}

}  // namespace kinema::head
