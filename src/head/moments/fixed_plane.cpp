#include "head/moments/fixed_plane.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace kinema::head {
namespace {

constexpr double largest_one = 1 << 25;
constexpr double largest_sum = 2147483000;  // of 32 bits, less a few for rounding
constexpr double most_error = 1e-5;
constexpr int candidates = 1 << 16;
constexpr double short_number = 32767;
constexpr double largest_short_sum = 1 << 24;
constexpr double most_short_error = 8e-6;

// The smallest and the largest error over all colours, in units.
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

// The largest sum of any colour, with d and without, of either sign; plus room for `one`.
double range_of(const SkinPlane& plane) {
  double least = 0, most = 0;
  for (const double number : {plane.r, plane.g, plane.b}) (number < 0 ? least : most) += 255 * number;
  return std::max({std::abs(least), std::abs(most), std::abs(least + plane.d), std::abs(most + plane.d),
                   std::abs(plane.d)}) +
         1;
}

// The quotient rounded up; m is positive.
std::int64_t ceil_of(std::int64_t value, std::int64_t m) { return value > 0 ? (value + m - 1) / m : -(-value / m); }

// With b = ceil(q/m), q.c is at most m b.c, and below it by at most 255 times the amount rounded up. So it is at most
// -d if b.c <= -d/m, and so on. Among the m for which b has 8 bits the best is the one with the least rounding.
Outline outline_of(const PlaneOfBytes& plane) {
  std::int64_t steepest = 1;
  for (const std::int32_t q : plane.q) steepest = std::max(steepest, std::abs(std::int64_t{q}));
  const std::int64_t top = ceil_of(steepest, 127), step = ceil_of(top, 512);
  std::int64_t best = top, rounded = -1;
  for (std::int64_t m = top; m <= 2 * top; m += step) {
    std::int64_t up = 0;
    for (const std::int32_t q : plane.q) up += m * ceil_of(q, m) - q;
    if (rounded >= 0 && up >= rounded) continue;
    rounded = up;
    best = m;
  }
  Outline outline;
  for (std::size_t c = 0; c < 3; ++c) outline.b[c] = static_cast<std::int8_t>(ceil_of(plane.q[c], best));
  outline.empty = static_cast<std::int32_t>(-ceil_of(plane.d, best));  // -d/m, rounded down
  outline.full = static_cast<std::int32_t>(ceil_of(plane.one - std::int64_t{plane.d} + 255 * rounded, best));
  return outline;
}

}  // namespace

PlaneOfBytes in_order(const FixedPlane& plane, bool blue_first) {
  PlaneOfBytes ordered{plane.q, plane.d, plane.one};
  if (blue_first) std::swap(ordered.q[0], ordered.q[2]);
  ordered.outline = outline_of(ordered);
  return ordered;
}

std::optional<FixedPlane> fix_plane(const SkinPlane& plane) {
  const std::array<double, 3> f = {plane.r, plane.g, plane.b};
  const double range = range_of(plane);
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

// The scale is chosen so that the steepest channel has no fraction; then only two fractions have to be small.
std::optional<FixedPlane> fix_plane_in_short(const SkinPlane& plane) {
  const std::array<double, 3> f = {plane.r, plane.g, plane.b};
  const double steepest = std::max({std::abs(plane.r), std::abs(plane.g), std::abs(plane.b)});
  const double largest_scale = largest_short_sum / range_of(plane);
  const double top = std::floor(std::min(short_number, largest_scale * steepest));
  FixedPlane fixed{{}, 0, 0, most_short_error};
  for (double q = top; q > top / 2; --q) {
    const double scale = q / steepest, one = std::nearbyint(scale);
    const Fractions error = fractions_of(f, scale);
    const double offset = scale * plane.d - error.high - std::max(0.0, scale - one), d = std::floor(offset);
    const double spread = (error.high - error.low + (offset - d) + std::abs(scale - one)) / scale;
    if (spread >= fixed.error) continue;
    for (std::size_t i = 0; i < 3; ++i) fixed.q[i] = static_cast<std::int32_t>(std::nearbyint(scale * f[i]));
    fixed.d = static_cast<std::int32_t>(d);
    fixed.one = static_cast<std::int32_t>(one);
    fixed.error = spread;
  }
  return fixed.one > 0 ? std::optional(fixed) : std::nullopt;
}

bool fits_short(const PlaneOfBytes& plane) {
  std::int64_t least = 0, most = 0;
  for (const std::int32_t q : plane.q) {
    if (q < -short_number || q > short_number) return false;
    (q < 0 ? least : most) += 255 * std::int64_t{q};
  }
  const std::int64_t most_sum = static_cast<std::int64_t>(largest_short_sum) + 1024;  // for rounding
  return least > -most_sum && most < most_sum && std::abs(plane.d) < most_sum &&
         std::abs(plane.one - plane.d) < most_sum;
}

}  // namespace kinema::head
