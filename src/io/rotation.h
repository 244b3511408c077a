// The arithmetic of places and rotations that the motion files need, on the public types.
#pragma once

#include "kinema/skeleton.h"

#include <algorithm>
#include <cmath>

namespace kinema::io {

inline Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator*(double s, const Vec3& v) { return {s * v.x, s * v.y, s * v.z}; }
inline double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline double length(const Vec3& v) { return std::sqrt(dot(v, v)); }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

inline body::Quaternion operator*(const body::Quaternion& a, const body::Quaternion& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
inline body::Quaternion conjugate(const body::Quaternion& q) { return {q.w, -q.x, -q.y, -q.z}; }

inline body::Quaternion normalised(const body::Quaternion& q) {
  const double s = 1 / std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}

inline Vec3 rotate(const body::Quaternion& q, const Vec3& v) {
  const Vec3 u{q.x, q.y, q.z};
  const Vec3 t = 2 * cross(u, v);
  return v + q.w * t + cross(u, t);
}

/// Part of the way (0 to 1) from one rotation to another, by the shorter arc and at a steady speed.
inline body::Quaternion between(const body::Quaternion& a, body::Quaternion b, double part) {
  double cosine = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
  if (cosine < 0) {
    b = {-b.w, -b.x, -b.y, -b.z};
    cosine = -cosine;
  }
  const double angle = std::acos(std::min(1.0, cosine));
  // the sines of small angles divide 0 by 0; there a straight line is as good
  const double sine = std::sin(angle);
  const double s = sine < 1e-6 ? 1 - part : std::sin((1 - part) * angle) / sine;
  const double t = sine < 1e-6 ? part : std::sin(part * angle) / sine;
  return normalised({s * a.w + t * b.w, s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z});
}

}  // namespace kinema::io
