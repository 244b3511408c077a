// Three numbers, and what one does with them, on host and device.
#pragma once

#include "core/host_device.h"

#include <cmath>

namespace kinema {

template <class T>
struct Vector {
  T x, y, z;
};
using Vector3d = Vector<double>;
using Vector3f = Vector<float>;

template <class T>
KINEMA_HD inline Vector<T> operator+(Vector<T> a, Vector<T> b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
KINEMA_HD inline Vector<T> operator-(Vector<T> a, Vector<T> b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
KINEMA_HD inline Vector<T> operator*(T s, Vector<T> a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T>
KINEMA_HD inline T dot(Vector<T> a, Vector<T> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
KINEMA_HD inline Vector<T> cross(Vector<T> a, Vector<T> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
KINEMA_HD inline T norm(Vector<T> a) {
  return std::sqrt(dot(a, a));
}

}  // namespace kinema
