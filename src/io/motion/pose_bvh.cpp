#include "io/motion/motion_files.h"

#include "core/geometry.h"

#include <numbers>

namespace kinema::io {
namespace {

constexpr Quaternion half_turn_about_x{0, 1, 0, 0};

// R = Rz Ry Rx, in degrees and in that order. At Y = ±90 degrees X and Z share one degree of freedom; X is then 0.
std::array<double, 3> zyx_degrees(const Quaternion& q) {
  const double r00 = 1 - 2 * (q.y * q.y + q.z * q.z), r10 = 2 * (q.x * q.y + q.w * q.z);
  const double r20 = 2 * (q.x * q.z - q.w * q.y);
  const double r21 = 2 * (q.y * q.z + q.w * q.x), r22 = 1 - 2 * (q.x * q.x + q.y * q.y);
  const double r01 = 2 * (q.x * q.y - q.w * q.z), r11 = 1 - 2 * (q.x * q.x + q.z * q.z);
  const double cosine = std::hypot(r00, r10);
  double z = 0, x = 0;
  if (cosine > 1e-9) {
    z = std::atan2(r10, r00);
    x = std::atan2(r21, r22);
  } else {
    z = std::atan2(-r01, r11);
  }
  constexpr double degrees = 180 / std::numbers::pi;
  return {z * degrees, std::atan2(-r20, cosine) * degrees, x * degrees};
}

// The end of the skin of a joint that carries no other.
Vec3 end_of_skin(const body::Skeleton& skeleton, int joint) {
  Vec3 end = {};
  double farthest = 0;
  for (const body::SkinCapsule& capsule : skeleton.capsules) {
    if (capsule.joint != joint) continue;
    for (const Vec3& point : {capsule.a, capsule.b}) {
      const double distance = norm(point);
      if (distance + capsule.radius <= farthest || distance == 0) continue;
      farthest = distance + capsule.radius;
      end = (farthest / distance) * point;
    }
  }
  return end;
}

}  // namespace

Bvh poses_to_bvh(const body::Skeleton& skeleton, std::span<const body::Pose> poses, double frame_time) {
  using enum BvhChannel;
  body::check(skeleton);
  Bvh bvh;
  bvh.frame_time = frame_time;
  bvh.frames = poses.size();
  std::vector<bool> carries(skeleton.joints.size());
  for (const body::Joint& joint : skeleton.joints) {
    BvhJoint bone;
    bone.name = joint.name;
    bone.parent = joint.parent;
    bone.offset = joint.offset;
    bone.first_channel = bvh.channels;
    if (joint.parent < 0) bone.channels = {x_position, y_position, z_position};
    if (joint.parent >= 0) carries[static_cast<std::size_t>(joint.parent)] = true;
    bone.channels.insert(bone.channels.end(), {z_rotation, y_rotation, x_rotation});
    bvh.channels += bone.channels.size();
    bvh.joints.push_back(std::move(bone));
  }
  for (std::size_t j = 0; j < carries.size(); ++j) {
    if (!carries[j]) bvh.joints[j].end_sites.push_back(end_of_skin(skeleton, static_cast<int>(j)));
  }

  for (const body::Pose& pose : poses) {
    const std::vector<Quaternion> rotations = body::joint_rotations(skeleton, pose);
    const Vec3 root = rotate(half_turn_about_x, pose.position);
    bvh.values.insert(bvh.values.end(), {root.x, root.y, root.z});
    for (std::size_t j = 0; j < rotations.size(); ++j) {
      const int parent = skeleton.joints[j].parent;
      const Quaternion before = parent < 0 ? half_turn_about_x : conjugate(rotations[static_cast<std::size_t>(parent)]);
      const std::array<double, 3> angles = zyx_degrees(normalised(before * rotations[j]));
      bvh.values.insert(bvh.values.end(), angles.begin(), angles.end());
    }
  }
  return bvh;
}

}  // namespace kinema::io
