#include "body/particles/mean_state.h"

#include <algorithm>

namespace kinema::body {
namespace {

constexpr std::size_t position_at = 0, rotations_at = 3;

Quaternion wide(Quaternionf q) { return {q.w, q.x, q.y, q.z}; }

Quaternion root_of(const float* state) { return {state[3], state[4], state[5], state[6]}; }

// A weighted sum of poses, one after another, from which their mean follows.
class StateSum {
public:
  // `first` fixes the hemispheres of quaternions, whose sign is arbitrary.
  StateSum(const Kinematics& kinematics, const float* first);

  // states (n, state), weights (n).
  void add(std::span<const float> states, std::span<const double> weights);

  // Of weights that sum to 1.
  std::vector<float> mean() const;

private:
  void add_rotation(std::size_t at, Quaternion q, double weight);

  const Kinematics& kinematics_;
  std::vector<Quaternion> side_;  // (joints)
  std::vector<double> sums_;      // position, quaternion of each joint, angles of hinges
};

StateSum::StateSum(const Kinematics& kinematics, const float* first) : kinematics_(kinematics) {
  for (int j = 0; j < kinematics.joint_count; ++j) {
    const FlatJoint& joint = kinematics.joints[j];
    side_.push_back(j == 0 ? root_of(first) : wide(joint_rotation(joint, first + root_floats + joint.first_angle)));
  }
  sums_.assign(rotations_at + 4 * side_.size() + static_cast<std::size_t>(kinematics.angle_count), 0);
}

// Flipped to the hemisphere of one of them. The direction of the sum is the mean to third order in the spread.
void StateSum::add_rotation(std::size_t at, Quaternion q, double weight) {
  const double sign = on_side(side_[at], q) ? weight : -weight;
  double* sum = &sums_[rotations_at + 4 * at];
  sum[0] += sign * q.w;
  sum[1] += sign * q.x;
  sum[2] += sign * q.y;
  sum[3] += sign * q.z;
}

void StateSum::add(std::span<const float> states, std::span<const double> weights) {
  const auto floats = static_cast<std::size_t>(kinematics_.state_floats());
  double* angles = &sums_[rotations_at + 4 * side_.size()];
  for (std::size_t n = 0; n < weights.size(); ++n) {
    const double weight = weights[n];
    if (weight == 0) continue;
    const float* state = &states[n * floats];
    for (std::size_t i = 0; i < 3; ++i) sums_[position_at + i] += weight * state[i];
    add_rotation(0, root_of(state), weight);
    for (int j = 1; j < kinematics_.joint_count; ++j) {
      const FlatJoint& joint = kinematics_.joints[j];
      const float* own = state + root_floats + joint.first_angle;
      if (joint.angles == 1) {
        // hinges turn about a fixed axis: the mean of their angles is that of their rotations
        angles[joint.first_angle] += weight * own[0];
      } else if (joint.angles > 1) {
        add_rotation(static_cast<std::size_t>(j), wide(joint_rotation(joint, own)), weight);
      }
    }
  }
}

std::vector<float> StateSum::mean() const {
  const auto rotation = [&](std::size_t j) {
    const double* sum = &sums_[rotations_at + 4 * j];
    return normalised(Quaternion{sum[0], sum[1], sum[2], sum[3]});
  };
  std::vector<double> angles(sums_.end() - kinematics_.angle_count, sums_.end());
  for (int j = 1; j < kinematics_.joint_count; ++j) {
    const FlatJoint& joint = kinematics_.joints[j];
    if (joint.angles < 2) continue;
    joint_angles(joint, rotation(static_cast<std::size_t>(j)), &angles[static_cast<std::size_t>(joint.first_angle)]);
  }
  const Quaternion q = rotation(0);
  std::vector<float> mean;
  for (double number : {sums_[0], sums_[1], sums_[2], q.w, q.x, q.y, q.z}) mean.push_back(static_cast<float>(number));
  for (int i = 0; i < kinematics_.angle_count; ++i) {
    mean.push_back(std::clamp(static_cast<float>(angles[static_cast<std::size_t>(i)]), kinematics_.lower[i],
                              kinematics_.upper[i]));
  }
  return mean;
}

}  // namespace

std::vector<float> mean_state(const Kinematics& kinematics, std::span<const float> states,
                              std::span<const double> weights) {
  StateSum sum(kinematics, states.data());
  sum.add(states, weights);
  return sum.mean();
}

}  // namespace kinema::body
