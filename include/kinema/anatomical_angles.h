// Angles of hips, knees, ankles, shoulders and elbows by the conventions of the International Society of Biomechanics.
//
// Wu et al., "ISB recommendation on definitions of joint coordinate systems ...", part I (hip, ankle), J. Biomech. 35,
// 2002, and part II (shoulder, elbow), J. Biomech. 38, 2005; the knee by Grood and Suntay, J. Biomech. Eng. 105, 1983.
// Left and right have the same signs: the left side is mirrored. docs/angles.md explains each angle.
#pragma once

#include "kinema/skeleton.h"

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace kinema::body {

struct AnatomicalAngle {
  std::string_view name;  ///< one of anatomical_angle_names
  double value = 0;       ///< radians
  double deviation = 0;   ///< standard deviation, radians; 0 if only a pose is given
};

/// All names, left before right, in the order of outputs. docs/angles.md says which direction is positive.
inline constexpr std::array<std::string_view, 30> anatomical_angle_names = {
    "left_hip_flexion",     "left_hip_adduction",       "left_hip_rotation",       "left_knee_flexion",
    "left_knee_adduction",  "left_knee_rotation",       "left_ankle_dorsiflexion", "left_ankle_inversion",
    "left_ankle_rotation",  "left_shoulder_plane",      "left_shoulder_elevation", "left_shoulder_rotation",
    "left_elbow_flexion",   "left_elbow_carrying",      "left_elbow_pronation",    "right_hip_flexion",
    "right_hip_adduction",  "right_hip_rotation",       "right_knee_flexion",      "right_knee_adduction",
    "right_knee_rotation",  "right_ankle_dorsiflexion", "right_ankle_inversion",   "right_ankle_rotation",
    "right_shoulder_plane", "right_shoulder_elevation", "right_shoulder_rotation", "right_elbow_flexion",
    "right_elbow_carrying", "right_elbow_pronation"};

/// The angles of a pose that the skeleton can make: those of joints with a common name (common_joints), of a hinge only
/// the first of the three. Throws Error if the pose does not match the skeleton.
std::vector<AnatomicalAngle> anatomical_angles(const Skeleton& skeleton, const Pose& pose);

/// Angles that joint centres alone determine. The trunk runs from the pelvis to the neck, and a hip's axis from one hip
/// to the other, so hip_flexion and shoulder_elevation include what the spine bends.
inline constexpr std::array<std::string_view, 8> flexion_names = {
    "left_shoulder_elevation",  "left_elbow_flexion",  "left_hip_flexion",  "left_knee_flexion",
    "right_shoulder_elevation", "right_elbow_flexion", "right_hip_flexion", "right_knee_flexion"};

/// In the order of flexion_names, radians; nothing where a joint that it needs is missing, or two coincide. `joints`: in
/// the order of common_joints.
std::array<std::optional<double>, flexion_names.size()> flexions(
    std::span<const std::optional<Vec3>, common_joints.size()> joints);

}  // namespace kinema::body
