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
  const double square = t.a * t.a + t.b * t.b;
  const double a = t.a / square, b = -t.b / square;
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

/// The similarity that maps `from` nearest to `to`, by least squares; a = b = 0 if all points of `from` coincide.
template <class From, class To>
Similarity similarity_between(std::span<const From> from, std::span<const To> to) {
  const std::size_t n = from.size() / 2;
  double fx = 0, fy = 0, gx = 0, gy = 0;
  for (std::size_t i = 0; i < n; ++i) {
    fx += from[2 * i], fy += from[2 * i + 1];
    gx += to[2 * i], gy += to[2 * i + 1];
  }
  const double share = 1.0 / static_cast<double>(n);
  fx *= share, fy *= share, gx *= share, gy *= share;
  double square = 0, along = 0, across = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = from[2 * i] - fx, y = from[2 * i + 1] - fy;
    const double u = to[2 * i] - gx, v = to[2 * i + 1] - gy;
    square += x * x + y * y;
    along += x * u + y * v;
    across += x * v - y * u;
  }
  const double a = square > 0 ? along / square : 0, b = square > 0 ? across / square : 0;
  return {a, b, gx - (a * fx - b * fy), gy - (b * fx + a * fy)};
}

}  // namespace kinema::face
