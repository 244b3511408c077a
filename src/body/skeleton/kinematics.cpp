#include "body/skeleton/kinematics.h"

#include "kinema/error.h"

namespace kinema::body {
namespace {

Vec3f narrow(const Vec3& v) { return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)}; }

}  // namespace

FlatSkeleton::FlatSkeleton(const Skeleton& skeleton) {
  check(skeleton);
  for (const Joint& joint : skeleton.joints) {
    FlatJoint flat{joint.parent,
                   static_cast<int>(lower_.size()),
                   static_cast<int>(joint.freedoms.size()),
                   narrow(joint.offset),
                   {}};
    for (std::size_t i = 0; i < joint.freedoms.size(); ++i) {
      flat.axis[i] = narrow(joint.freedoms[i].axis);
      lower_.push_back(static_cast<float>(joint.freedoms[i].lower));
      upper_.push_back(static_cast<float>(joint.freedoms[i].upper));
    }
    joints_.push_back(flat);
  }
  for (const SkinCapsule& capsule : skeleton.capsules) {
    capsules_.push_back({capsule.joint, narrow(capsule.a), narrow(capsule.b), static_cast<float>(capsule.radius)});
  }
}

std::vector<float> to_state(const Skeleton& skeleton, const Pose& pose) {
  if (pose.angles.size() != skeleton.angle_count()) {
    throw Error("the pose has " + std::to_string(pose.angles.size()) + " angles where the skeleton has " +
                std::to_string(skeleton.angle_count()) + ": give one an angle of freedom");
  }
  const Quaternion& q = pose.rotation;
  const Quaternion unit = normalised(Quaternion{q.w, q.x, q.y, q.z});
  std::vector<float> state;
  state.reserve(root_floats + pose.angles.size());
  for (double number : {pose.position.x, pose.position.y, pose.position.z, unit.w, unit.x, unit.y, unit.z}) {
    state.push_back(static_cast<float>(number));
  }
  for (double angle : pose.angles) state.push_back(static_cast<float>(angle));
  return state;
}

Pose to_pose(std::span<const float> state) {
  Pose pose;
  pose.position = {state[0], state[1], state[2]};
  pose.rotation = {state[3], state[4], state[5], state[6]};
  pose.angles.assign(state.begin() + root_floats, state.end());
  return pose;
}

std::vector<Vec3> joint_positions(const Skeleton& skeleton, const Pose& pose) {
  const FlatSkeleton flat(skeleton);
  std::vector<Place> places(skeleton.joints.size());
  place_joints(flat.view(), to_state(skeleton, pose).data(), places.data());
  std::vector<Vec3> positions;
  positions.reserve(places.size());
  for (const Place& place : places) positions.push_back({place.origin.x, place.origin.y, place.origin.z});
  return positions;
}

std::vector<Quaternion> joint_rotations(const Skeleton& skeleton, const Pose& pose) {
  const FlatSkeleton flat(skeleton);
  std::vector<Place> places(skeleton.joints.size());
  place_joints(flat.view(), to_state(skeleton, pose).data(), places.data());
  std::vector<Quaternion> rotations;
  rotations.reserve(places.size());
  for (const Place& place : places) {
    rotations.push_back({place.rotation.w, place.rotation.x, place.rotation.y, place.rotation.z});
  }
  return rotations;
}

std::vector<float> pose_capsules(const Skeleton& skeleton, const Pose& pose) {
  const FlatSkeleton flat(skeleton);
  std::vector<Place> places(skeleton.joints.size());
  place_joints(flat.view(), to_state(skeleton, pose).data(), places.data());
  std::vector<float> capsules(skeleton.capsules.size() * capsule_floats);
  for (int k = 0; k < flat.view().capsule_count; ++k) {
    place_capsule(flat.view(), places.data(), k, capsules.data() + static_cast<std::size_t>(k) * capsule_floats);
  }
  return capsules;
}

}  // namespace kinema::body
