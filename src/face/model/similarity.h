// Similarities of the plane, and their application to shapes.
#pragma once

#include "core/host_device.h"
#include "kinema/face_model.h"

#include <cmath>
#include <span>
#include <vector>

namespace kinema::face {

/// outer after inner.
KINEMA_HD inline Similarity compose(const Similarity& outer, const Similarity& inner) {
  return {outer.a * inner.a - outer.b * inner.b, outer.a * inner.b + outer.b * inner.a,
          outer.a * inner.tx - outer.b * inner.ty + outer.tx, outer.b * inner.tx + outer.a * inner.ty + outer.ty};
}

KINEMA_HD inline Similarity inverse(const Similarity& t) {
  const double share = 1 / (t.a * t.a + t.b * t.b);
  const double a = t.a * share, b = -t.b * share;
  return {a, b, -(a * t.tx - b * t.ty), -(b * t.tx + a * t.ty)};
}

inline double magnification(const Similarity& t) { return std::hypot(t.a, t.b); }

template <class Real>
std::vector<Real> transformed(const Similarity& t, std::span<const Real> shape) {
  std::vector<Real> out(shape.size());
  for (std::size_t i = 0; i + 1 < shape.size(); i += 2) {
    const double x = shape[i], y = shape[i + 1];
    out[i] = static_cast<Real>(t.a * x - t.b * y + t.tx);
    out[i + 1] = static_cast<Real>(t.b * x + t.a * y + t.ty);
  }
  return out;
}

/// Sums over landmarks are those of 8 strands of every 8th, so that threads can share them and any number of threads gives
/// the same bits.
inline constexpr int shape_strands = 8;

/// The strands lie `stride` apart.
KINEMA_HD inline double sum_of_shape_strands(const double* s, int stride = 1) {
  return ((s[0] + s[stride]) + (s[2 * stride] + s[3 * stride])) +
         ((s[4 * stride] + s[5 * stride]) + (s[6 * stride] + s[7 * stride]));
}

/// The sum of value(i) for i < count.
template <class Value>
double sum_over_shape(std::size_t count, const Value& value) {
  double strands[shape_strands] = {};
  for (std::size_t i = 0; i < count; ++i) strands[i % shape_strands] += value(i);
  return sum_of_shape_strands(strands);
}

/// The similarity that maps `from` nearest to `to`, by least squares; a = b = 0 if all points of `from` coincide.
template <class From, class To>
Similarity similarity_between(std::span<const From> from, std::span<const To> to) {
  const std::size_t n = from.size() / 2;
  const double share = 1.0 / static_cast<double>(n);
  const auto mean = [n, share](const auto& points, std::size_t axis) {
    return sum_over_shape(n, [&](std::size_t i) { return static_cast<double>(points[2 * i + axis]); }) * share;
  };
  const double fx = mean(from, 0), fy = mean(from, 1), gx = mean(to, 0), gy = mean(to, 1);
  const auto sum = [n](const auto& value) { return sum_over_shape(n, value); };
  const auto x = [&](std::size_t i) { return from[2 * i] - fx; };
  const auto y = [&](std::size_t i) { return from[2 * i + 1] - fy; };
  const double square = sum([&](std::size_t i) { return x(i) * x(i) + y(i) * y(i); });
  // what rounding leaves of sums that are 0
  const double sx = sum(x), sy = sum(y);
  const double along =
      sum([&](std::size_t i) { return x(i) * to[2 * i] + y(i) * to[2 * i + 1]; }) - (gx * sx + gy * sy);
  const double across =
      sum([&](std::size_t i) { return x(i) * to[2 * i + 1] - y(i) * to[2 * i]; }) - (gy * sx - gx * sy);
  const double by = square > 0 ? 1 / square : 0, a = along * by, b = across * by;
  return {a, b, gx - (a * fx - b * fy), gy - (b * fx + a * fy)};
}

}  // namespace kinema::face
