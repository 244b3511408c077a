// Queries of a skeleton that need no pose; see kinematics.cpp for the rest.
#include "kinema/skeleton.h"

#include "kinema/error.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace kinema::body {
namespace {

double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
bool finite(const Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
Vec3 times(double s, const Vec3& v) { return {s * v.x, s * v.y, s * v.z}; }

void check_freedoms(const Joint& joint) {
  if (joint.freedoms.size() > 3) {
    throw Error(fmt::format("joint {} has {} freedoms: a joint turns in at most 3", joint.name, joint.freedoms.size()));
  }
  for (const Freedom& freedom : joint.freedoms) {
    if (!finite(freedom.axis) || std::abs(dot(freedom.axis, freedom.axis) - 1) > 1e-3) {
      throw Error(fmt::format("joint {} has an axis of length {:.3g}: axes have length 1", joint.name,
                              std::sqrt(dot(freedom.axis, freedom.axis))));
    }
    if (!std::isfinite(freedom.lower) || !std::isfinite(freedom.upper) || freedom.lower > freedom.upper) {
      throw Error(fmt::format("joint {} has the limits {} to {}: give finite ones, the lower first", joint.name,
                              freedom.lower, freedom.upper));
    }
    if (!std::isfinite(freedom.speed) || freedom.speed < 0) {
      throw Error(fmt::format("joint {} has the speed {}: it is finite and not below 0", joint.name, freedom.speed));
    }
  }
  if (joint.freedoms.size() > 1 && std::abs(dot(joint.freedoms[0].axis, joint.freedoms[1].axis)) > 1e-3) {
    throw Error(fmt::format("joint {}: its first two axes are one swing, so they stand at right angles", joint.name));
  }
}

struct Alias {
  std::string_view name, common;
};

// Names of other skeletons, in lower case and without a prefix such as mixamorig:. A name that two skeletons use for
// different joints is omitted.
constexpr Alias aliases[] = {
    {"hips", "pelvis"},
    {"hip", "pelvis"},
    {"root", "pelvis"},
    {"pelvis", "pelvis"},
    {"neck", "neck"},
    {"head", "head"},
    {"leftarm", "left_shoulder"},
    {"lshldr", "left_shoulder"},
    {"upperarm_l", "left_shoulder"},
    {"leftuparm", "left_shoulder"},
    {"leftforearm", "left_elbow"},
    {"lforearm", "left_elbow"},
    {"lowerarm_l", "left_elbow"},
    {"leftlowarm", "left_elbow"},
    {"leftelbow", "left_elbow"},
    {"lefthand", "left_wrist"},
    {"lhand", "left_wrist"},
    {"hand_l", "left_wrist"},
    {"leftwrist", "left_wrist"},
    {"rightarm", "right_shoulder"},
    {"rshldr", "right_shoulder"},
    {"upperarm_r", "right_shoulder"},
    {"rightuparm", "right_shoulder"},
    {"rightforearm", "right_elbow"},
    {"rforearm", "right_elbow"},
    {"lowerarm_r", "right_elbow"},
    {"rightlowarm", "right_elbow"},
    {"rightelbow", "right_elbow"},
    {"righthand", "right_wrist"},
    {"rhand", "right_wrist"},
    {"hand_r", "right_wrist"},
    {"rightwrist", "right_wrist"},
    {"leftupleg", "left_hip"},
    {"lthigh", "left_hip"},
    {"thigh_l", "left_hip"},
    {"upperleg_l", "left_hip"},
    {"lefthip", "left_hip"},
    {"leftleg", "left_knee"},
    {"leftlowleg", "left_knee"},
    {"lowerleg_l", "left_knee"},
    {"lshin", "left_knee"},
    {"calf_l", "left_knee"},
    {"leftknee", "left_knee"},
    {"leftfoot", "left_ankle"},
    {"lfoot", "left_ankle"},
    {"foot_l", "left_ankle"},
    {"leftankle", "left_ankle"},
    {"rightupleg", "right_hip"},
    {"rthigh", "right_hip"},
    {"thigh_r", "right_hip"},
    {"upperleg_r", "right_hip"},
    {"righthip", "right_hip"},
    {"rightleg", "right_knee"},
    {"rightlowleg", "right_knee"},
    {"lowerleg_r", "right_knee"},
    {"rshin", "right_knee"},
    {"calf_r", "right_knee"},
    {"rightknee", "right_knee"},
    {"rightfoot", "right_ankle"},
    {"rfoot", "right_ankle"},
    {"foot_r", "right_ankle"},
    {"rightankle", "right_ankle"},
};

}  // namespace

std::size_t Skeleton::angle_count() const {
  std::size_t count = 0;
  for (const Joint& joint : joints) count += joint.freedoms.size();
  return count;
}

int Skeleton::find(std::string_view joint) const {
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].name == joint) return static_cast<int>(j);
  }
  return -1;
}

void check(const Skeleton& skeleton) {
  if (skeleton.joints.empty()) throw Error("the skeleton has no joint");
  if (skeleton.joints.size() > max_joints || skeleton.angle_count() > max_angles ||
      skeleton.capsules.size() > max_capsules) {
    throw Error(fmt::format("the skeleton has {} joints, {} angles and {} capsules: the limits are {}, {} and {}",
                            skeleton.joints.size(), skeleton.angle_count(), skeleton.capsules.size(), max_joints,
                            max_angles, max_capsules));
  }
  std::set<std::string_view> names;
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    if (joint.name.empty()) throw Error(fmt::format("joint {} has no name", j));
    if (!names.insert(joint.name).second) throw Error(fmt::format("two joints have the name {}", joint.name));
    if (j == 0 ? joint.parent != -1 : joint.parent < 0 || joint.parent >= static_cast<int>(j)) {
      throw Error(fmt::format("joint {} has the parent {}: the first joint has none (-1), every other one before it",
                              joint.name, joint.parent));
    }
    if (j == 0 && !joint.freedoms.empty()) {
      throw Error(
          fmt::format("joint {} is the first, which position and rotation move: give it no freedoms", joint.name));
    }
    if (!finite(joint.offset)) throw Error(fmt::format("joint {} has an offset that is not finite", joint.name));
    check_freedoms(joint);
  }
  for (const SkinCapsule& capsule : skeleton.capsules) {
    if (capsule.joint < 0 || capsule.joint >= static_cast<int>(skeleton.joints.size())) {
      throw Error(fmt::format("capsule {} is on joint {} of {}", capsule.name, capsule.joint, skeleton.joints.size()));
    }
    if (!finite(capsule.a) || !finite(capsule.b) || !std::isfinite(capsule.radius) || capsule.radius <= 0) {
      throw Error(fmt::format("capsule {}: its ends must be finite and its radius above 0", capsule.name));
    }
  }
}

Skeleton scaled(const Skeleton& skeleton, double factor) {
  if (!std::isfinite(factor) || factor <= 0) throw Error("a skeleton is scaled by a finite number above 0");
  Skeleton result = skeleton;
  for (Joint& joint : result.joints) joint.offset = times(factor, joint.offset);
  for (SkinCapsule& capsule : result.capsules) {
    capsule.a = times(factor, capsule.a);
    capsule.b = times(factor, capsule.b);
    capsule.radius *= factor;
  }
  return result;
}

Pose rest_pose(const Skeleton& skeleton, double distance) {
  Pose pose;
  pose.position = {0, 0, distance};
  pose.rotation = {0, 1, 0, 0};  // half a turn about x: y up becomes -y, and z points to the camera
  for (const Joint& joint : skeleton.joints) {
    for (const Freedom& freedom : joint.freedoms) pose.angles.push_back(std::clamp(0.0, freedom.lower, freedom.upper));
  }
  return pose;
}

std::string_view common_joint(std::string_view name) {
  for (std::string_view common : common_joints) {
    if (name == common) return common;
  }
  const std::size_t prefix = name.rfind(':');
  std::string plain(prefix == std::string_view::npos ? name : name.substr(prefix + 1));
  std::transform(plain.begin(), plain.end(), plain.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const Alias& alias : aliases) {
    if (plain == alias.name) return alias.common;
  }
  return {};
}

}  // namespace kinema::body
