// The mean of weighted poses, rotations averaged as rotations: eq. 1 of the paper, except for angles.
#pragma once

#include "body/skeleton/kinematics.h"

#include <span>
#include <vector>

namespace kinema::body {

/// Whether a quaternion lies in the hemisphere of another; else its negative, which is the same rotation, does.
KINEMA_HD inline bool on_side(Quaternion side, Quaternion q) {
  return side.w * q.w + side.x * q.x + side.y * q.y + side.z * q.z >= 0;
}

/// The angles of a joint that come nearest to its rotation: the inverse of joint_rotation().
KINEMA_HD inline void joint_angles(const FlatJoint& joint, Quaternion rotation, double* angles) {
  Quaternion swing = rotation;
  if (joint.angles > 2) {
    // the part about the third axis comes first
    const Vec3 axis = Vec3{joint.axis[2].x, joint.axis[2].y, joint.axis[2].z};
    const double sine = rotation.x * axis.x + rotation.y * axis.y + rotation.z * axis.z;
    const double length = std::sqrt(sine * sine + rotation.w * rotation.w);
    if (length > 1e-9) {
      const double w = rotation.w / length, s = sine / length;
      swing = rotation * Quaternion{w, -s * axis.x, -s * axis.y, -s * axis.z};
      angles[2] = 2 * std::atan2(s, w);
    } else {
      angles[2] = 0;
    }
    const double turn = 3.14159265358979323846;
    if (angles[2] > turn) angles[2] -= 2 * turn;
    if (angles[2] < -turn) angles[2] += 2 * turn;
  }
  const Vec3 vector = logarithm(swing);
  for (int i = 0; i < joint.angles && i < 2; ++i) {
    angles[i] = vector.x * joint.axis[i].x + vector.y * joint.axis[i].y + vector.z * joint.axis[i].z;
  }
}

/// states (n, state), weights (n) that sum to 1.
std::vector<float> mean_state(const Kinematics& kinematics, std::span<const float> states,
                              std::span<const double> weights);

}  // namespace kinema::body
