// From the camera frame to that of avatars (Unity, VMC, VRChat): left-handed, y up, metres. Somebody who faces the camera
// looks along z, and has x to the right.
//
// It is the camera frame turned by half a turn about x, then mirrored in x: x' = -x, y' = -y, z' = -z. The frames of a
// skeleton (x to the person's left, z to the front) are mirrored in x too, so that a bone at rest has no rotation.
#pragma once

#include "core/geometry.h"
#include "io/motion/motion_files.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace kinema::io {

/// A place of the camera frame.
inline Vec3 avatar_place(const Vec3& camera) { return {-camera.x, -camera.y, -camera.z}; }

/// A vector of the skeleton's frame, such as the offset of a joint.
inline Vec3 avatar_offset(const Vec3& offset) { return {-offset.x, offset.y, offset.z}; }

/// The rotation of one joint against another, in the skeleton's frames. Of the two quaternions, that with w >= 0.
inline Quaternion avatar_turn(const Quaternion& q) {
  return q.w < 0 ? Quaternion{-q.w, -q.x, q.y, q.z} : Quaternion{q.w, q.x, -q.y, -q.z};
}

/// The rotation of a joint's frame against the camera's.
inline Quaternion avatar_rotation(const Quaternion& q) { return avatar_turn(normalised(camera_to_y_up * q)); }

/// Degrees x y z of R = Ry Rx Rz, as Unity counts them: about x down, about y to the right, about z to the left shoulder.
inline std::array<double, 3> euler_degrees(const Quaternion& q) {
  constexpr double degrees = 180 / std::numbers::pi;
  const double r12 = 2 * (q.y * q.z - q.w * q.x), r02 = 2 * (q.x * q.z + q.w * q.y);
  const double r22 = 1 - 2 * (q.x * q.x + q.y * q.y);
  const double r10 = 2 * (q.x * q.y + q.w * q.z), r11 = 1 - 2 * (q.x * q.x + q.z * q.z);
  const double r00 = 1 - 2 * (q.y * q.y + q.z * q.z), r20 = 2 * (q.x * q.z - q.w * q.y);
  const double x = std::asin(std::clamp(-r12, -1.0, 1.0));
  // straight up or down, y and z turn about the same axis; z is then 0
  if (std::hypot(r10, r11) < 1e-6) return {x * degrees, std::atan2(-r20, r00) * degrees, 0};
  return {x * degrees, std::atan2(r02, r22) * degrees, std::atan2(r10, r11) * degrees};
}

}  // namespace kinema::io
