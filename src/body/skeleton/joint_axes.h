// Derivatives of a pose: the motion of every joint when one number of the state changes. Host and device.
//
// The tangent of a state has tangent_size() numbers: velocity of the position (3), angular velocity about the first
// joint in the camera frame (3), and the rates of the angles. Number i moves everything below its joint as one rigid
// body, whose motion is a twist: angular velocity `w` and the velocity `v` of the place where the first joint stands.
// A point p of that body, counted from the first joint, then moves at v + w x p.
#pragma once

#include "body/skeleton/kinematics.h"

namespace kinema::body {

inline constexpr int root_tangent = 6;

KINEMA_HD inline int tangent_size(const Kinematics& kinematics) { return root_tangent + kinematics.angle_count; }

struct Twist {
  Vec3f v, w;
};

/// The left Jacobian of SO(3): exp(u + d) = exp(J d) exp(u) to first order. Returns J e.
KINEMA_HD inline Vec3f left_jacobian(Vec3f u, Vec3f e) {
  const float angle2 = dot(u, u);
  float first = 0.5f, second = 1.0f / 6;
  if (angle2 > 1e-4f) {
    const float angle = std::sqrt(angle2);
    first = (1 - std::cos(angle)) / angle2;
    second = (angle - std::sin(angle)) / (angle2 * angle);
  }
  const Vec3f once = cross(u, e);
  return e + first * once + second * cross(u, once);
}

/// The twists of the numbers of joint j, which is not the first.
KINEMA_HD inline void joint_twist(const Kinematics& kinematics, const float* state, const Place* places, int j,
                                  Twist* twists) {
  const FlatJoint& joint = kinematics.joints[j];
  const float* angles = state + root_floats + joint.first_angle;
  const Quaternionf parent = places[joint.parent].rotation;
  const Vec3f arm = places[j].origin - places[0].origin;
  Vec3f swing = joint.angles > 0 ? angles[0] * joint.axis[0] : Vec3f{0, 0, 0};
  if (joint.angles > 1) swing = swing + angles[1] * joint.axis[1];
  for (int i = 0; i < joint.angles; ++i) {
    const Vec3f local = i < 2 ? left_jacobian(swing, joint.axis[i]) : rotate(exponential(swing), joint.axis[2]);
    const Vec3f w = rotate(parent, local);
    twists[root_tangent + joint.first_angle + i] = {cross(arm, w), w};
  }
}

/// The twists of the first joint: its position, and the turn about it.
KINEMA_HD inline void root_twists(Twist* twists) {
  const Vec3f zero{0, 0, 0};
  const Vec3f unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < 3; ++i) {
    twists[i] = {unit[i], zero};
    twists[3 + i] = {zero, unit[i]};
  }
}

/// The twist of each number of the tangent.
KINEMA_HD inline void joint_twists(const Kinematics& kinematics, const float* state, const Place* places,
                                   Twist* twists) {
  root_twists(twists);
  for (int j = 1; j < kinematics.joint_count; ++j) joint_twist(kinematics, state, places, j, twists);
}

/// Moves position and rotation of a state.
KINEMA_HD inline void move_root(const float* tangent, float* state) {
  for (int i = 0; i < 3; ++i) state[i] += tangent[i];
  const Quaternionf old{state[3], state[4], state[5], state[6]};
  const Quaternionf turned = normalised(exponential(Vec3f{tangent[3], tangent[4], tangent[5]}) * old);
  state[3] = turned.w, state[4] = turned.x, state[5] = turned.y, state[6] = turned.z;
}

/// Moves angle i of a state; it stops at its limits.
KINEMA_HD inline void move_angle(const Kinematics& kinematics, const float* tangent, int i, float* state) {
  const float angle = state[root_floats + i] + tangent[root_tangent + i];
  state[root_floats + i] = angle < kinematics.lower[i]   ? kinematics.lower[i]
                           : angle > kinematics.upper[i] ? kinematics.upper[i]
                                                         : angle;
}

/// Moves a state along its tangent; angles stop at their limits.
KINEMA_HD inline void move_state(const Kinematics& kinematics, const float* tangent, float* state) {
  move_root(tangent, state);
  for (int i = 0; i < kinematics.angle_count; ++i) move_angle(kinematics, tangent, i, state);
}

/// The part of state_difference() that is position and rotation.
KINEMA_HD inline void root_difference(const float* from, const float* to, float* tangent) {
  for (int i = 0; i < 3; ++i) tangent[i] = to[i] - from[i];
  const Quaternionf back{from[3], -from[4], -from[5], -from[6]};
  const Vec3f turn = logarithm(Quaternionf{to[3], to[4], to[5], to[6]} * back);
  tangent[3] = turn.x, tangent[4] = turn.y, tangent[5] = turn.z;
}

/// The tangent that leads from one state to another, limits aside: move_state(from, result) = to.
KINEMA_HD inline void state_difference(const Kinematics& kinematics, const float* from, const float* to,
                                       float* tangent) {
  root_difference(from, to, tangent);
  for (int i = 0; i < kinematics.angle_count; ++i) {
    tangent[root_tangent + i] = to[root_floats + i] - from[root_floats + i];
  }
}

}  // namespace kinema::body
