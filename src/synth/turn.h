// Rotations from directions.
#pragma once

#include "core/geometry.h"

#include <array>

namespace kinema::synth {

/// Three perpendicular unit vectors, right-handed.
using Axes = std::array<Vec3, 3>;

/// The direction of the sky: y points up in synthetic scenes.
inline constexpr Vec3 sky{0, 1, 0};

/// v with length 1, or `otherwise` where it has none.
inline Vec3 unit_vector(Vec3 v, Vec3 otherwise = {0, 1, 0}) {
  const double size = norm(v);
  return size > 1e-9 ? (1 / size) * v : otherwise;
}

/// The part of v that is perpendicular to a unit vector.
inline Vec3 across(Vec3 v, Vec3 unit) { return v - dot(v, unit) * unit; }

/// Axis number `first` along `along`, the next one as close as possible to `near`: (0, x, y), (1, y, z) or (2, z, x).
inline Axes axes_along(std::size_t first, Vec3 along, Vec3 near) {
  const Vec3 a = unit_vector(along);
  Vec3 b = across(near, a);
  if (norm(b) <= 1e-3 * norm(near)) {
    // any direction, where none is closest
    b = across(std::abs(a.x) < 0.9 ? Vec3{1, 0, 0} : Vec3{0, 0, 1}, a);
  }
  b = unit_vector(b);
  Axes axes;
  axes[first] = a;
  axes[(first + 1) % 3] = b;
  axes[(first + 2) % 3] = cross(a, b);
  return axes;
}

/// y along `y` and x as close as possible to `x`.
inline Axes axes_of(Vec3 y, Vec3 x) { return axes_along(1, y, cross(x, unit_vector(y))); }

/// The rotation that turns the axes of space to these.
inline Quaternion rotation_of(const Axes& axes) {
  const Vec3 &x = axes[0], &y = axes[1], &z = axes[2];
  // the greatest of four sums, so that no root is near 0
  const double w2 = 1 + x.x + y.y + z.z, x2 = 1 + x.x - y.y - z.z, y2 = 1 - x.x + y.y - z.z, z2 = 1 - x.x - y.y + z.z;
  const double most = std::max({w2, x2, y2, z2});
  Quaternion q;
  if (most == w2) {
    q = {w2, y.z - z.y, z.x - x.z, x.y - y.x};
  } else if (most == x2) {
    q = {y.z - z.y, x2, x.y + y.x, z.x + x.z};
  } else if (most == y2) {
    q = {z.x - x.z, x.y + y.x, y2, y.z + z.y};
  } else {
    q = {x.y - y.x, z.x + x.z, y.z + z.y, z2};
  }
  return normalised(q);
}

/// The shortest rotation that turns the direction of a to that of b.
inline Quaternion turn_between(Vec3 a, Vec3 b) {
  const Vec3 from = unit_vector(a), to = unit_vector(b);
  const double cosine = dot(from, to);
  if (cosine < -0.999999) {
    const Vec3 axis = axes_along(0, from, {0, 1, 0})[1];
    return {0, axis.x, axis.y, axis.z};
  }
  const Vec3 axis = cross(from, to);
  return normalised(Quaternion{1 + cosine, axis.x, axis.y, axis.z});
}

}  // namespace kinema::synth
