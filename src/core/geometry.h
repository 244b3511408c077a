// Arithmetic of the vectors and quaternions of kinema/geometry.h, on host and device.
#pragma once

#include "core/host_device.h"
#include "kinema/geometry.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace kinema {

template <class T>
KINEMA_HD inline Vector3<T> operator+(Vector3<T> a, Vector3<T> b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

template <class T>
KINEMA_HD inline Vector3<T> operator-(Vector3<T> a, Vector3<T> b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

template <class T>
KINEMA_HD inline Vector3<T> operator*(std::type_identity_t<T> s, Vector3<T> a) {
  return {s * a.x, s * a.y, s * a.z};
}

template <class T>
KINEMA_HD inline T dot(Vector3<T> a, Vector3<T> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class T>
KINEMA_HD inline Vector3<T> cross(Vector3<T> a, Vector3<T> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class T>
KINEMA_HD inline T norm(Vector3<T> a) {
  return std::sqrt(dot(a, a));
}

template <class T>
KINEMA_HD inline BasicQuaternion<T> operator*(BasicQuaternion<T> a, BasicQuaternion<T> b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

template <class T>
KINEMA_HD inline BasicQuaternion<T> conjugate(BasicQuaternion<T> q) {
  return {q.w, -q.x, -q.y, -q.z};
}

template <class T>
KINEMA_HD inline BasicQuaternion<T> normalised(BasicQuaternion<T> q) {
  const T s = T(1) / std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}

template <class T>
KINEMA_HD inline Vector3<T> rotate(BasicQuaternion<T> q, Vector3<T> v) {
  const Vector3<T> u{q.x, q.y, q.z};
  const Vector3<T> t = T(2) * cross(u, v);
  return v + q.w * t + cross(u, t);
}

/// The rotation about v by |v| radians.
template <class T>
KINEMA_HD inline BasicQuaternion<T> exponential(Vector3<T> v) {
  const T angle = norm(v);
  const T half = T(0.5) * angle;
  const T s = angle > T(1e-6) ? std::sin(half) / angle : T(0.5);
  return {std::cos(half), s * v.x, s * v.y, s * v.z};
}

/// The rotation vector of a rotation, of length at most pi.
template <class T>
KINEMA_HD inline Vector3<T> logarithm(BasicQuaternion<T> q) {
  const T sign = q.w < 0 ? T(-1) : T(1);
  const Vector3<T> u{sign * q.x, sign * q.y, sign * q.z};
  const T sine = norm(u);
  if (sine < T(1e-7)) return T(2) * u;
  return (T(2) * std::atan2(sine, sign * q.w) / sine) * u;
}

/// Spherical linear interpolation: `part` (0 to 1) of the way from a to b, along the shorter arc.
inline Quaternion slerp(Quaternion a, Quaternion b, double part) {
  double cosine = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
  if (cosine < 0) {
    b = {-b.w, -b.x, -b.y, -b.z};
    cosine = -cosine;
  }
  const double angle = std::acos(std::min(1.0, cosine));
  // the sines of small angles divide 0 by 0; a straight line is accurate there
  const double sine = std::sin(angle);
  const double s = sine < 1e-6 ? 1 - part : std::sin((1 - part) * angle) / sine;
  const double t = sine < 1e-6 ? part : std::sin(part * angle) / sine;
  return normalised(Quaternion{s * a.w + t * b.w, s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z});
}

}  // namespace kinema
