#include "kinema/anatomical_angles.h"

#include "body/smoothing/anatomical_joints.h"
#include "core/geometry.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <cmath>

namespace kinema::body {
namespace {

using Joints = std::span<const std::optional<Vec3>, common_joints.size()>;

constexpr std::size_t index_of(std::string_view name) {
  std::size_t i = 0;
  while (common_joints[i] != name) ++i;
  return i;
}

std::optional<double> angle_between(const Vec3& a, const Vec3& b) {
  const double sine = norm(cross(a, b)), cosine = dot(a, b);
  if (norm(a) < 1e-9 || norm(b) < 1e-9) return std::nullopt;
  return std::atan2(sine, cosine);
}

// The bend of a hinge: 0 where both bones are in line.
std::optional<double> bend(const std::optional<Vec3>& above, const std::optional<Vec3>& at,
                           const std::optional<Vec3>& below) {
  if (!above || !at || !below) return std::nullopt;
  return angle_between(*at - *above, *below - *at);
}

std::optional<double> elevation(const std::optional<Vec3>& pelvis, const std::optional<Vec3>& neck,
                                const std::optional<Vec3>& shoulder, const std::optional<Vec3>& elbow) {
  if (!pelvis || !neck || !shoulder || !elbow) return std::nullopt;
  return angle_between(*pelvis - *neck, *elbow - *shoulder);
}

// The angle of the thigh in the plane across the axis through both hips, positive forwards.
std::optional<double> hip_flexion(Joints joints, const std::optional<Vec3>& hip, const std::optional<Vec3>& knee) {
  const std::optional<Vec3>&left = joints[index_of("left_hip")], &right = joints[index_of("right_hip")],
        &pelvis = joints[index_of("pelvis")], &neck = joints[index_of("neck")];
  if (!left || !right || !pelvis || !neck || !hip || !knee) return std::nullopt;
  const Vec3 to_the_right = *right - *left, trunk = *neck - *pelvis;
  const Vec3 forwards = cross(trunk, to_the_right), up = cross(to_the_right, forwards);
  if (norm(forwards) < 1e-9) return std::nullopt;
  const Vec3 thigh = *knee - *hip;
  const double ahead = dot(thigh, forwards) / norm(forwards), down = -dot(thigh, up) / norm(up);
  if (std::hypot(ahead, down) < 1e-9) return std::nullopt;
  return std::atan2(ahead, down);
}

}  // namespace

std::vector<AnatomicalAngle> anatomical_angles(const Skeleton& skeleton, const Pose& pose) {
  check(skeleton);
  if (pose.angles.size() != skeleton.angle_count()) {
    throw Error(fmt::format("the pose has {} angles where the skeleton has {} degrees of freedom", pose.angles.size(),
                            skeleton.angle_count()));
  }
  return AnatomicalJoints(skeleton).angles(pose.angles);
}

std::array<std::optional<double>, flexion_names.size()> flexions(Joints joints) {
  const auto at = [&](std::string_view name) -> const std::optional<Vec3>& { return joints[index_of(name)]; };
  const std::optional<Vec3>&pelvis = at("pelvis"), &neck = at("neck");
  return {elevation(pelvis, neck, at("left_shoulder"), at("left_elbow")),
          bend(at("left_shoulder"), at("left_elbow"), at("left_wrist")),
          hip_flexion(joints, at("left_hip"), at("left_knee")),
          bend(at("left_hip"), at("left_knee"), at("left_ankle")),
          elevation(pelvis, neck, at("right_shoulder"), at("right_elbow")),
          bend(at("right_shoulder"), at("right_elbow"), at("right_wrist")),
          hip_flexion(joints, at("right_hip"), at("right_knee")),
          bend(at("right_hip"), at("right_knee"), at("right_ankle"))};
}

}  // namespace kinema::body
