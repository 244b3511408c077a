#include "body/mean_state.h"

#include <algorithm>

namespace kinema::body {
namespace {

template <class T>
Vector<double> wide(Vector<T> v) {
  return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}

// A sum of rotations: of quaternions, whose sign means nothing, turned to one side. The direction of the sum is the mean
// to the third order of the spread.
struct RotationSum {
  Rotation<double> sum{0, 0, 0, 0};

  void add(Rotation<double> q, double weight) {
    const double sign = sum.w * q.w + sum.x * q.x + sum.y * q.y + sum.z * q.z < 0 ? -weight : weight;
    sum = {sum.w + sign * q.w, sum.x + sign * q.x, sum.y + sign * q.y, sum.z + sign * q.z};
  }
};

}  // namespace

void joint_angles(const FlatJoint& joint, Rotation<double> rotation, double* angles) {
  Rotation<double> swing = rotation;
  if (joint.angles > 2) {
    // the part about the third axis comes first
    const Vector3d axis = wide(joint.axis[2]);
    const double sine = rotation.x * axis.x + rotation.y * axis.y + rotation.z * axis.z;
    const double length = std::sqrt(sine * sine + rotation.w * rotation.w);
    if (length > 1e-9) {
      const double w = rotation.w / length, s = sine / length;
      swing = rotation * Rotation<double>{w, -s * axis.x, -s * axis.y, -s * axis.z};
      angles[2] = 2 * std::atan2(s, w);
    } else {
      angles[2] = 0;
    }
    const double turn = 3.14159265358979323846;
    if (angles[2] > turn) angles[2] -= 2 * turn;
    if (angles[2] < -turn) angles[2] += 2 * turn;
  }
  const Vector3d vector = logarithm(swing);
  for (int i = 0; i < std::min(joint.angles, 2); ++i) angles[i] = dot(vector, wide(joint.axis[i]));
}

std::vector<float> mean_state(const Kinematics& kinematics, std::span<const float> states,
                              std::span<const double> weights) {
  const auto floats = static_cast<std::size_t>(kinematics.state_floats());
  Vector3d position{0, 0, 0};
  RotationSum root;
  // hinges turn about a fixed axis: the mean of their angles is that of their rotations
  std::vector<double> angles(static_cast<std::size_t>(kinematics.angle_count), 0);
  std::vector<RotationSum> joints(static_cast<std::size_t>(kinematics.joint_count));
  for (std::size_t n = 0; n < weights.size(); ++n) {
    const double weight = weights[n];
    if (weight == 0) continue;
    const float* state = &states[n * floats];
    position = position + weight * Vector3d{state[0], state[1], state[2]};
    root.add({state[3], state[4], state[5], state[6]}, weight);
    for (int j = 1; j < kinematics.joint_count; ++j) {
      const FlatJoint& joint = kinematics.joints[j];
      const float* own = state + root_floats + joint.first_angle;
      if (joint.angles == 1) {
        angles[static_cast<std::size_t>(joint.first_angle)] += weight * own[0];
      } else if (joint.angles > 1) {
        const Rotation<float> q = joint_rotation(joint, own);
        joints[static_cast<std::size_t>(j)].add({q.w, q.x, q.y, q.z}, weight);
      }
    }
  }
  for (int j = 1; j < kinematics.joint_count; ++j) {
    const FlatJoint& joint = kinematics.joints[j];
    if (joint.angles < 2) continue;
    joint_angles(joint, normalised(joints[static_cast<std::size_t>(j)].sum),
                 &angles[static_cast<std::size_t>(joint.first_angle)]);
  }
  const Rotation<double> q = normalised(root.sum);
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
