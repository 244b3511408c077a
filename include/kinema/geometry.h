// Vectors, rotations and planes of all trackers. Metres; camera frame x right, y down, z forward.
//
// Plain aggregates without initial values, so that arrays of them cost nothing on a device: write {} for zeros. Their
// arithmetic is in src/core/geometry.h.
#pragma once

namespace kinema {

template <class T>
struct Vector3 {
  T x, y, z;
};
using Vec3 = Vector3<double>;
using Vec3f = Vector3<float>;

/// A rotation as a unit quaternion; {1, 0, 0, 0} is the identity.
template <class T>
struct BasicQuaternion {
  T w, x, y, z;
};
using Quaternion = BasicQuaternion<double>;
using Quaternionf = BasicQuaternion<float>;

/// All p with normal . p + offset = 0. The unit normal points to the camera's side, so `offset` is the camera's
/// distance, and normal . p + offset the height of a point above a floor.
struct Plane {
  Vec3 normal = {};
  double offset = 0;
  bool floor = false;  ///< else a wall, or the ceiling
};

}  // namespace kinema
