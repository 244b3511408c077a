// Tracked motion as files of other programs: BVH, OpenSim, C3D and glTF. See docs/files.md.
#pragma once

#include "io/motion/bvh.h"
#include "kinema/body_tracker.h"
#include "kinema/skeleton.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::io {

struct TrackedFrame {
  double time = 0;  ///< seconds
  bool found = false;
  body::Pose pose;  ///< this and the rest only if found
  std::vector<Vec3> joints;
  std::vector<body::AnatomicalAngle> angles;
};

/// The estimates of a whole run: most formats state the number of frames before the first of them.
struct TrackedMotion {
  double fps = 30;
  std::vector<TrackedFrame> frames;  ///< all, also those in which nobody was found

  void add(const body::Estimate& estimate) {
    TrackedFrame& frame = frames.emplace_back();
    frame.time = estimate.time;
    frame.found = estimate.found;
    if (!estimate.found) return;
    frame.pose = estimate.pose;
    frame.joints = estimate.joints;
    frame.angles = estimate.anatomical;
  }
};

/// In a metre.
inline constexpr double millimetres = 1000;

/// From the camera frame to that of animation and biomechanics: y up, z towards the camera; x stays.
inline Vec3 y_up(const Vec3& v) { return {v.x, -v.y, -v.z}; }
inline constexpr Quaternion camera_to_y_up{0, 1, 0, 0};

// Tracked poses as a BVH file, for animation programs: metres, y up, z towards the camera.

/// The skeleton with one frame per pose. The camera frame (x right, y down, z forward) is rotated by 180 degrees about
/// x so that y points up. The root has a position and a ZYX rotation, every other joint a ZYX rotation. Throws Error if
/// a pose does not fit the skeleton.
Bvh poses_to_bvh(const body::Skeleton& skeleton, std::span<const body::Pose> poses, double frame_time);

// Files for OpenSim: joint centres as markers (.trc) and joint angles as coordinates (.mot). See docs/files.md.

/// Markers in millimetres, y up; cells are empty where nobody was found. `file`: the name that the header states.
std::string to_trc(const body::Skeleton& skeleton, const TrackedMotion& motion, const std::string& file);

/// Angles in degrees, each with its standard deviation; frames in which nobody was found have no row.
std::string to_mot(const body::Skeleton& skeleton, const TrackedMotion& motion);

/// The coordinate of OpenSim's models that measures an angle of body::anatomical_angle_names: hip_flexion_r for
/// right_hip_flexion.
std::string opensim_coordinate(std::string_view angle);

// C3D, the exchange format of gait laboratories: joint centres as points. See docs/files.md and www.c3d.org.

/// Points in millimetres, y up, as little-endian floats; a point of a frame in which nobody was found is marked invalid
/// by the residual -1.
std::string to_c3d(const body::Skeleton& skeleton, const TrackedMotion& motion);

// glTF 2.0 in one binary file (.glb): the skeleton, its skin of capsules, and the tracked motion as an animation.

/// Metres, y up, as glTF has it. Where nobody was found the last pose stands still; before the first one there is no key.
std::string to_glb(const body::Skeleton& skeleton, const TrackedMotion& motion);

struct SkinMesh {
  std::vector<Vec3> positions;  ///< in the frame of the skeleton
  std::vector<Vec3> normals;    ///< outwards, of length 1
  std::vector<std::uint8_t> joints;
  std::vector<std::uint16_t> indices;  ///< three per triangle, counter-clockwise as seen from outside
};

SkinMesh capsule_mesh(const body::Skeleton& skeleton);

/// Where each joint is in the rest pose.
std::vector<Vec3> rest_places(const body::Skeleton& skeleton);

}  // namespace kinema::io
