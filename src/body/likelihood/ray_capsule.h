// Where a ray enters a capsule, in double precision. The fast backends use it for the few pairs of ray and capsule that
// single precision cannot decide, and the synthetic frames are drawn with it. (The reference backend has its own.)
#pragma once

#include "core/geometry.h"

namespace kinema::body {

struct CapsuleExact {
  Vec3 a, b;
  double r;
};

KINEMA_HD inline CapsuleExact load_capsule(const float* c) { return {{c[0], c[1], c[2]}, {c[4], c[5], c[6]}, c[3]}; }

/// The smallest t > 0 at which the ray t v, |v| = 1, from the origin crosses the surface of the capsule; below 0 if it
/// never does. A capsule is convex, so the line is inside it over one interval, the hull of those of its cylinder part
/// and its two spheres.
KINEMA_HD inline double ray_capsule(Vec3 v, const CapsuleExact& capsule) {
  const Vec3 axis = capsule.b - capsule.a;
  const double length = norm(axis);
  const double r2 = capsule.r * capsule.r;
  double enter = INFINITY, leave = -INFINITY;

  // the line is inside a sphere about o where |t v - o| <= r; |v x o| is its distance from o, without cancellation
  for (int end = 0; end < (length > 0 ? 2 : 1); ++end) {
    const Vec3 o = end == 0 ? capsule.a : capsule.b;
    const Vec3 off = cross(v, o);
    const double h = r2 - dot(off, off);
    if (h < 0) continue;
    const double middle = dot(v, o), half = std::sqrt(h);
    enter = std::fmin(enter, middle - half);
    leave = std::fmax(leave, middle + half);
  }

  // and inside the cylinder where it is within r of the axis, between the two ends (eq. 10)
  if (length > 0) {
    const Vec3 c = (1 / length) * axis;
    const Vec3 n = cross(v, c);
    const double A = dot(n, n);
    const double distance = dot(capsule.a, n);
    const double disc = r2 * A - distance * distance;
    if (A > 0 && disc >= 0) {
      const double ac = dot(capsule.a, c), vc = dot(v, c);
      const double B = dot(cross(capsule.a, c), n);
      const double half = std::sqrt(disc);
      for (int side = -1; side <= 1; side += 2) {
        const double t = (B + side * half) / A;
        const double s = t * vc - ac;
        if (s < 0 || s > length) continue;
        enter = std::fmin(enter, t);
        leave = std::fmax(leave, t);
      }
    }
  }
  if (!(enter <= leave)) return -1;
  return enter > 0 ? enter : leave > 0 ? leave : -1;
}

}  // namespace kinema::body
