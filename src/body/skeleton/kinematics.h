// Forward kinematics, from a state vector to joints and capsules; one function for host and device.
//
// A state is state_floats numbers: position (3), rotation as a unit quaternion w x y z (4), then the angles of the
// joints in the order of the skeleton. `Kinematics` is the skeleton as flat arrays that a device can hold; see
// include/kinema/skeleton.h for the degrees of freedom of a joint.
#pragma once

#include "core/geometry.h"
#include "core/host_device.h"
#include "kinema/skeleton.h"

#include <cmath>

namespace kinema::body {

inline constexpr int root_floats = 7;  // position and quaternion

struct FlatJoint {
  int parent;
  int first_angle;  // index into the angles
  int angles;       // 0 to 3
  Vec3f offset;
  Vec3f axis[3];
};

struct FlatCapsule {
  int joint;
  Vec3f a, b;
  float radius;
};

/// The skeleton as flat arrays owned elsewhere, on the host or on a device.
struct Kinematics {
  const FlatJoint* joints;
  const FlatCapsule* capsules;
  const float* lower;  // limits, one per angle
  const float* upper;
  int joint_count, capsule_count, angle_count;

  KINEMA_HD int state_floats() const { return root_floats + angle_count; }
};

/// A joint's place: the transform from its frame to the camera frame.
struct Place {
  Quaternionf rotation;
  Vec3f origin;
};

/// R of a joint from its angles: swing of the first two after the twist of the third.
KINEMA_HD inline Quaternionf joint_rotation(const FlatJoint& joint, const float* angles) {
  if (joint.angles == 0) return {1, 0, 0, 0};
  Vec3f swing = angles[0] * joint.axis[0];
  if (joint.angles > 1) swing = swing + angles[1] * joint.axis[1];
  Quaternionf rotation = exponential(swing);
  if (joint.angles > 2) rotation = rotation * exponential(angles[2] * joint.axis[2]);
  return rotation;
}

/// A joint's place from that of its parent and R of the joint.
KINEMA_HD inline Place place_joint(const FlatJoint& joint, const Place& parent, Quaternionf rotation) {
  return {parent.rotation * rotation, parent.origin + rotate(parent.rotation, joint.offset)};
}

/// Places of all joints for a state.
KINEMA_HD inline void place_joints(const Kinematics& kinematics, const float* state, Place* places) {
  const Quaternionf root{state[3], state[4], state[5], state[6]};
  places[0] = {root, {state[0], state[1], state[2]}};
  for (int j = 1; j < kinematics.joint_count; ++j) {
    const FlatJoint& joint = kinematics.joints[j];
    places[j] =
        place_joint(joint, places[joint.parent], joint_rotation(joint, state + root_floats + joint.first_angle));
  }
}

/// Capsule k of the skin: 7 floats ax ay az r bx by bz.
KINEMA_HD inline void place_capsule(const Kinematics& kinematics, const Place* places, int k, float* out) {
  const FlatCapsule& capsule = kinematics.capsules[k];
  const Place& place = places[capsule.joint];
  const Vec3f a = place.origin + rotate(place.rotation, capsule.a);
  const Vec3f b = place.origin + rotate(place.rotation, capsule.b);
  out[0] = a.x, out[1] = a.y, out[2] = a.z, out[3] = capsule.radius;
  out[4] = b.x, out[5] = b.y, out[6] = b.z;
}

/// Owns the flat arrays of a skeleton on the host.
class FlatSkeleton {
public:
  explicit FlatSkeleton(const Skeleton& skeleton);  // throws Error where check() does

  Kinematics view() const {
    return {joints_.data(),
            capsules_.data(),
            lower_.data(),
            upper_.data(),
            static_cast<int>(joints_.size()),
            static_cast<int>(capsules_.size()),
            static_cast<int>(lower_.size())};
  }

private:
  std::vector<FlatJoint> joints_;
  std::vector<FlatCapsule> capsules_;
  std::vector<float> lower_, upper_;
};

std::vector<float> to_state(const Skeleton& skeleton, const Pose& pose);
Pose to_pose(std::span<const float> state);

}  // namespace kinema::body
