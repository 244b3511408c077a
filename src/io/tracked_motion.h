// The estimates of a whole run, for formats that state the number of frames before the first of them.
#pragma once

#include "kinema/body_tracker.h"

#include <vector>

namespace kinema::io {

struct TrackedFrame {
  double time = 0;  ///< seconds
  bool found = false;
  body::Pose pose;  ///< this and the rest only if found
  std::vector<Vec3> joints;
  std::vector<body::AnatomicalAngle> angles;
};

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

/// From the camera frame to that of animation and biomechanics: y up, z towards the camera; x stays.
inline Vec3 y_up(const Vec3& v) { return {v.x, -v.y, -v.z}; }
inline constexpr Quaternion camera_to_y_up{0, 1, 0, 0};

}  // namespace kinema::io
