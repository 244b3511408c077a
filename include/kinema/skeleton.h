// A person as a kinematic tree of rigid bones with a skin of capsules, and its pose.
//
// A skeleton is defined in its own frame in its rest pose: a T, y up, z to where the person looks, x to the person's
// left, metres, the pelvis at the origin. A pose places the pelvis in the camera frame and rotates every joint.
#pragma once

#include "kinema/body.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::body {

/// One rotational degree of freedom of a joint.
struct Freedom {
  Vec3 axis = {};               ///< unit vector in the joint's frame
  double lower = 0, upper = 0;  ///< limits of the angle in radians; always enforced
  double speed = 1;             ///< of the angle's random walk: standard deviation over one second, radians
};

/// A joint and the bones rigidly attached to it. Its frame is parallel to the skeleton's in the rest pose.
///
/// Without freedoms it is fixed; with one it is a hinge. The first two of two or three form one rotation vector (a
/// swing, free of gimbal lock); a third rotates before them about its own axis (a twist):
/// R = exp(angle0 axis0 + angle1 axis1) exp(angle2 axis2).
struct Joint {
  std::string name;
  int parent = -1;                ///< index of a joint before this one; -1 for the first only
  Vec3 offset = {};               ///< from the parent's origin, in the parent's frame
  std::vector<Freedom> freedoms;  ///< three at most; none for the first joint, which position and rotation move
};

/// A capsule of the skin, rigidly attached to a joint: ends in the joint's frame.
struct SkinCapsule {
  std::string name;
  int joint = 0;
  Vec3 a = {}, b = {};
  double radius = 0;
};

struct Skeleton {
  std::string name;
  std::vector<Joint> joints;
  std::vector<SkinCapsule> capsules;

  std::size_t angle_count() const;         ///< freedoms of all joints: the length of Pose::angles
  int find(std::string_view joint) const;  ///< its index, or -1
};

inline constexpr std::size_t max_joints = 64;
inline constexpr std::size_t max_angles = 128;
inline constexpr std::size_t max_capsules = 256;

/// Throws Error if a skeleton is invalid: no joint, a parent after its child, duplicate names, axes that are not unit
/// vectors or (of a swing) not orthogonal, limits out of order, sizes above the limits, radii that are not positive.
void check(const Skeleton& skeleton);

/// An adult of 21 joints, 46 degrees of freedom and 40 capsules, `height` metres from sole to crown. Joints are at
/// anatomical centres; proportions are those of an average person of that height.
Skeleton default_human(double height = 1.65);

/// A person of the same height whose proportions and build are drawn at random, as they vary among adults. One seed
/// gives one person; 0 is default_human().
Skeleton random_human(double height, std::uint64_t seed);

/// The height of a skeleton in its rest pose, from sole to crown, metres; 0 if it has no capsule.
double stature(const Skeleton& skeleton);

/// The same skeleton, `factor` times as large.
Skeleton scaled(const Skeleton& skeleton, double factor);

struct Pose {
  Vec3 position = {};                  ///< of the pelvis (the first joint), in the camera frame
  Quaternion rotation = {1, 0, 0, 0};  ///< from the skeleton's frame to the camera frame
  std::vector<double> angles;          ///< by joint and freedom, in the order of the skeleton
};

/// The rest pose (all angles 0, or the limit nearest to 0) in front of a camera that looks along z with y down:
/// upright, facing the camera at `distance`.
Pose rest_pose(const Skeleton& skeleton, double distance = 2.5);

/// Centres of all joints in the camera frame, in the order of the skeleton.
std::vector<Vec3> joint_positions(const Skeleton& skeleton, const Pose& pose);

/// Rotations of all joints, from the joint's frame to the camera frame.
std::vector<Quaternion> joint_rotations(const Skeleton& skeleton, const Pose& pose);

/// The skin in a pose: K x 7 floats as in CapsulesView, in the camera frame.
std::vector<float> pose_capsules(const Skeleton& skeleton, const Pose& pose);

/// The joints that every output names, in the order of the tables.
inline constexpr std::array<std::string_view, 15> common_joints = {
    "pelvis",     "neck",           "head",        "left_shoulder", "left_elbow",
    "left_wrist", "right_shoulder", "right_elbow", "right_wrist",   "left_hip",
    "left_knee",  "left_ankle",     "right_hip",   "right_knee",    "right_ankle"};

/// The common name for one used by other skeletons (Hips, LeftArm, LeftForeArm, mixamorig:LeftHand …),
/// case-insensitive; "" if unknown. A common name maps to itself.
std::string_view common_joint(std::string_view name);

}  // namespace kinema::body
