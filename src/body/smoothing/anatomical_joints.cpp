#include "body/smoothing/anatomical_joints.h"

#include "body/skeleton/joint_axes.h"

#include <algorithm>
#include <numbers>
#include <string>

namespace kinema::body {
namespace {

constexpr Vec3 up{0, 1, 0}, front{0, 0, 1};  // of a skeleton
constexpr BoneAxes trunk_axes{front, up, {-1, 0, 0}};

// An angle of which nothing is known is uniform over the circle.
constexpr double unknown_deviation = std::numbers::pi / std::numbers::sqrt3;

// The first joint that has this common name, or -1.
int find_common(const Skeleton& skeleton, const std::string& name) {
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    if (common_joint(skeleton.joints[j].name) == name) return static_cast<int>(j);
  }
  return -1;
}

bool is_below(const Skeleton& skeleton, int joint, int ancestor) {
  while (joint >= 0 && joint != ancestor) joint = skeleton.joints[static_cast<std::size_t>(joint)].parent;
  return joint == ancestor;
}

// The thorax carries both arms and the neck.
int thorax_of(const Skeleton& skeleton, int shoulder) {
  int thorax = skeleton.joints[static_cast<std::size_t>(shoulder)].parent;
  for (const char* name : {"left_shoulder", "right_shoulder", "neck"}) {
    const int other = find_common(skeleton, name);
    while (other >= 0 && thorax >= 0 && !is_below(skeleton, other, thorax)) {
      thorax = skeleton.joints[static_cast<std::size_t>(thorax)].parent;
    }
  }
  return thorax;
}

// Where a joint is in the rest pose.
Vec3 rest_place(const Skeleton& skeleton, int joint) {
  Vec3 place{0, 0, 0};
  for (; joint >= 0; joint = skeleton.joints[static_cast<std::size_t>(joint)].parent) {
    place = place + skeleton.joints[static_cast<std::size_t>(joint)].offset;
  }
  return place;
}

// y from the end of the bone to its joint, x as far forwards as that allows. In the rest pose all frames are parallel.
std::optional<BoneAxes> bone_axes(const Skeleton& skeleton, int joint, int end) {
  if (end < 0 || !is_below(skeleton, end, joint)) return std::nullopt;
  const Vec3 along = rest_place(skeleton, joint) - rest_place(skeleton, end);
  const double length = norm(along);
  if (length < 1e-6) return std::nullopt;
  const Vec3 y = (1 / length) * along;
  const Vec3 x = front - dot(front, y) * y;
  if (norm(x) < 0.1) return std::nullopt;  // it points forwards in the rest pose, and x could be anywhere
  const Vec3 forwards = (1 / norm(x)) * x;
  return BoneAxes{forwards, y, cross(forwards, y)};
}

// (r_a^2 + r_b^2) / length^2 of the bone between two joints: its turn if both ends are off by the flesh about them.
double flesh_turn2(const Skeleton& skeleton, const std::vector<double>& radii, int from, int to) {
  const Vec3 along = rest_place(skeleton, to) - rest_place(skeleton, from);
  const double a = radii[static_cast<std::size_t>(from)], b = radii[static_cast<std::size_t>(to)];
  return dot(along, along) > 0 ? (a * a + b * b) / dot(along, along) : 0;
}

Quaternion own_rotation(const Joint& joint, const double* angles) {
  if (joint.freedoms.empty()) return {1, 0, 0, 0};
  Vec3 swing = angles[0] * joint.freedoms[0].axis;
  if (joint.freedoms.size() > 1) swing = swing + angles[1] * joint.freedoms[1].axis;
  Quaternion rotation = exponential(swing);
  if (joint.freedoms.size() > 2) rotation = rotation * exponential(angles[2] * joint.freedoms[2].axis);
  return rotation;
}

double wrapped(double angle) { return std::remainder(angle, 2 * std::numbers::pi); }

}  // namespace

AnatomicalJoints::AnatomicalJoints(const Skeleton& skeleton) : skeleton_(skeleton) {
  std::size_t angle = 0;
  for (const Joint& joint : skeleton.joints) {
    first_angle_.push_back(angle);
    angle += joint.freedoms.size();
  }
  const std::vector<double> radii = flesh_radii(skeleton);
  const auto find = [&](const std::string& name) { return find_common(skeleton, name); };
  for (const bool is_left : {true, false}) {
    const std::string side = is_left ? "left_" : "right_";
    const int pelvis = find("pelvis"), neck = find("neck");
    const int hip = find(side + "hip"), knee = find(side + "knee"), ankle = find(side + "ankle");
    const int shoulder = find(side + "shoulder"), elbow = find(side + "elbow"), wrist = find(side + "wrist");
    const auto add = [&](const std::string& first_name, int distal, int proximal, std::optional<BoneAxes> distal_axes,
                         std::optional<BoneAxes> proximal_axes, double first_sign,
                         AnatomicalJoint::Sequence sequence) -> AnatomicalJoint* {
      if (distal < 0 || proximal < 0 || distal == proximal || !distal_axes || !proximal_axes ||
          !is_below(skeleton, distal, proximal)) {
        return nullptr;
      }
      AnatomicalJoint joint;
      joint.distal = distal;
      joint.proximal = proximal;
      joint.distal_axes = *distal_axes;
      joint.proximal_axes = *proximal_axes;
      joint.left = is_left;
      joint.sequence = sequence;
      joint.first_sign = first_sign;
      joint.name = static_cast<std::size_t>(
          std::find(anatomical_angle_names.begin(), anatomical_angle_names.end(), side + first_name) -
          anatomical_angle_names.begin());
      for (int j = distal; j != proximal; j = skeleton.joints[static_cast<std::size_t>(j)].parent) {
        const auto at = static_cast<std::size_t>(j);
        for (std::size_t i = 0; i < skeleton.joints[at].freedoms.size(); ++i) {
          joint.freedoms.push_back(first_angle_[at] + i);
        }
      }
      if (joint.freedoms.empty()) return nullptr;
      if (joint.freedoms.size() == 1) {
        joint.count = 1;
        joint.first = sequence == AnatomicalJoint::Sequence::yxy ? 1 : 0;
      }
      joints_.push_back(std::move(joint));
      return &joints_.back();
    };
    const auto flesh = [&](AnatomicalJoint* joint, std::initializer_list<std::pair<int, int>> bones) {
      if (joint == nullptr) return;
      double sum = 0;
      for (const auto& [from, to] : bones) {
        if (from >= 0 && to >= 0) sum += flesh_turn2(skeleton, radii, from, to);
      }
      joint->flesh = std::sqrt(sum);
    };
    using enum AnatomicalJoint::Sequence;
    const std::optional<BoneAxes> thigh = bone_axes(skeleton, hip, knee), shank = bone_axes(skeleton, knee, ankle);
    const std::optional<BoneAxes> upper_arm = bone_axes(skeleton, shoulder, elbow);
    flesh(add("hip_flexion", hip, pelvis, thigh, trunk_axes, 1, zxy), {{pelvis, neck}, {hip, knee}});
    flesh(add("knee_flexion", knee, hip, shank, thigh, -1, zxy), {{hip, knee}, {knee, ankle}});
    // a foot is at its neutral place in the rest pose
    flesh(add("ankle_dorsiflexion", ankle, knee, trunk_axes, trunk_axes, 1, zxy), {{knee, ankle}});
    const int thorax = shoulder >= 0 ? thorax_of(skeleton, shoulder) : -1;
    flesh(add("shoulder_plane", shoulder, thorax, upper_arm, trunk_axes, 1, yxy), {{pelvis, neck}, {shoulder, elbow}});
    flesh(add("elbow_flexion", elbow, shoulder, bone_axes(skeleton, elbow, wrist), upper_arm, 1, zxy),
          {{shoulder, elbow}, {elbow, wrist}});
  }
}

std::array<double, 3> AnatomicalJoints::angles_of(const AnatomicalJoint& joint, std::span<const double> angles) const {
  Quaternion rotation{1, 0, 0, 0};  // of the distal bone in the frame of the proximal one
  for (int j = joint.distal; j != joint.proximal; j = skeleton_.joints[static_cast<std::size_t>(j)].parent) {
    const auto at = static_cast<std::size_t>(j);
    rotation = own_rotation(skeleton_.joints[at], angles.data() + first_angle_[at]) * rotation;
  }
  const BoneAxes& p = joint.proximal_axes;
  const Vec3 axes[3] = {rotate(rotation, joint.distal_axes.x), rotate(rotation, joint.distal_axes.y),
                        rotate(rotation, joint.distal_axes.z)};
  double r[3][3];  // from the axes of the distal bone to those of the proximal one
  for (int i = 0; i < 3; ++i) {
    r[0][i] = dot(p.x, axes[i]);
    r[1][i] = dot(p.y, axes[i]);
    r[2][i] = dot(p.z, axes[i]);
  }
  if (joint.left) {  // mirrored in the sagittal plane
    for (int i = 0; i < 2; ++i) r[2][i] = -r[2][i], r[i][2] = -r[i][2];
  }
  if (joint.sequence == AnatomicalJoint::Sequence::zxy) {
    // R = Rz Rx Ry
    return {joint.first_sign * std::atan2(-r[0][1], r[1][1]), std::asin(std::clamp(r[2][1], -1.0, 1.0)),
            std::atan2(-r[2][0], r[2][2])};
  }
  // R = Ry(plane) Rx(-elevation) Ry(rotation)
  const double sine = std::hypot(r[0][1], r[2][1]), elevation = std::atan2(sine, r[1][1]);
  // of a hanging arm only the sum of plane and rotation is known
  if (sine < 1e-6) return {0, elevation, std::atan2(r[0][2], r[0][0])};
  return {std::atan2(-r[0][1], -r[2][1]), elevation, std::atan2(-r[1][0], r[1][2])};
}

std::vector<AnatomicalAngle> AnatomicalJoints::angles(std::span<const double> angles) const {
  std::vector<AnatomicalAngle> result;
  for (const AnatomicalJoint& joint : joints_) {
    const std::array<double, 3> values = angles_of(joint, angles);
    for (std::size_t i = joint.first; i < joint.first + joint.count; ++i) {
      result.push_back({anatomical_angle_names[joint.name + i], values[i], 0});
    }
  }
  return result;
}

std::vector<AnatomicalAngle> AnatomicalJoints::angles(std::span<const double> angles, const Eigen::MatrixXd& covariance,
                                                      const ErrorSources& sources) const {
  std::vector<AnatomicalAngle> result;
  std::vector<double> moved(angles.begin(), angles.end());
  for (const AnatomicalJoint& joint : joints_) {
    const std::array<double, 3> values = angles_of(joint, angles);
    // derivatives by the angles of the pose, as differences
    const auto many = static_cast<Eigen::Index>(joint.freedoms.size());
    Eigen::MatrixXd slope(3, many), own(many, many);
    constexpr double step = 1e-4;
    for (Eigen::Index k = 0; k < many; ++k) {
      const std::size_t at = joint.freedoms[static_cast<std::size_t>(k)];
      moved[at] = angles[at] + step;
      const std::array<double, 3> above = angles_of(joint, moved);
      moved[at] = angles[at] - step;
      const std::array<double, 3> below = angles_of(joint, moved);
      moved[at] = angles[at];
      for (std::size_t i = 0; i < 3; ++i) {
        slope(static_cast<Eigen::Index>(i), k) = wrapped(above[i] - below[i]) / (2 * step);
      }
      for (Eigen::Index l = 0; l < many; ++l) {
        own(k, l) = covariance(root_tangent + static_cast<Eigen::Index>(at),
                               root_tangent + static_cast<Eigen::Index>(joint.freedoms[static_cast<std::size_t>(l)]));
      }
    }
    const Eigen::MatrixXd variance = slope * own * slope.transpose();
    for (std::size_t i = joint.first; i < joint.first + joint.count; ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      const double deviation = smoothed_angle_deviation(std::max(0.0, variance(at, at)), joint.flesh, sources);
      result.push_back({anatomical_angle_names[joint.name + i], values[i], std::min(unknown_deviation, deviation)});
    }
  }
  return result;
}

}  // namespace kinema::body
