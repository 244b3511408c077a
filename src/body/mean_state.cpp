#include "body/mean_state.h"

#include <algorithm>

namespace kinema::body {
namespace {

// A sum of rotations as quaternions, whose sign is arbitrary, flipped to the hemisphere of one of them. The direction
// of the sum is the mean to third order in the spread.
struct RotationSum {
  Quaternion side, sum{0, 0, 0, 0};

  void add(Quaternion q, double weight) {
    const double sign = on_side(side, q) ? weight : -weight;
    sum = {sum.w + sign * q.w, sum.x + sign * q.x, sum.y + sign * q.y, sum.z + sign * q.z};
  }
};

Quaternion wide(Quaternionf q) { return {q.w, q.x, q.y, q.z}; }

}  // namespace

std::vector<float> mean_state(const Kinematics& kinematics, std::span<const float> states,
                              std::span<const double> weights) {
  const auto floats = static_cast<std::size_t>(kinematics.state_floats());
  Vec3 position{0, 0, 0};
  // a fixed hemisphere, that of the first, so that the sums may run in any order
  RotationSum root{{states[3], states[4], states[5], states[6]}};
  // hinges turn about a fixed axis: the mean of their angles is that of their rotations
  std::vector<double> angles(static_cast<std::size_t>(kinematics.angle_count), 0);
  std::vector<RotationSum> joints;
  for (int j = 0; j < kinematics.joint_count; ++j) {
    const FlatJoint& joint = kinematics.joints[j];
    joints.push_back({wide(joint_rotation(joint, states.data() + root_floats + joint.first_angle))});
  }
  for (std::size_t n = 0; n < weights.size(); ++n) {
    const double weight = weights[n];
    if (weight == 0) continue;
    const float* state = &states[n * floats];
    position = position + weight * Vec3{state[0], state[1], state[2]};
    root.add({state[3], state[4], state[5], state[6]}, weight);
    for (int j = 1; j < kinematics.joint_count; ++j) {
      const FlatJoint& joint = kinematics.joints[j];
      const float* own = state + root_floats + joint.first_angle;
      if (joint.angles == 1) {
        angles[static_cast<std::size_t>(joint.first_angle)] += weight * own[0];
      } else if (joint.angles > 1) {
        joints[static_cast<std::size_t>(j)].add(wide(joint_rotation(joint, own)), weight);
      }
    }
  }
  for (int j = 1; j < kinematics.joint_count; ++j) {
    const FlatJoint& joint = kinematics.joints[j];
    if (joint.angles < 2) continue;
    joint_angles(joint, normalised(joints[static_cast<std::size_t>(j)].sum),
                 &angles[static_cast<std::size_t>(joint.first_angle)]);
  }
  const Quaternion q = normalised(root.sum);
  std::vector<float> mean;
  for (double number : {position.x, position.y, position.z, q.w, q.x, q.y, q.z}) {
    mean.push_back(static_cast<float>(number));
  }
  for (int i = 0; i < kinematics.angle_count; ++i) {
    mean.push_back(
        std::clamp(static_cast<float>(angles[static_cast<std::size_t>(i)]), kinematics.lower[i], kinematics.upper[i]));
  }
  return mean;
}

}  // namespace kinema::body
