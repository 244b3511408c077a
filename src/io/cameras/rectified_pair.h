// The two pinhole cameras of a rectified pair: that of the calibration's file, or one that shows what both lenses see.
// Without OpenCV the function throws.
#pragma once

#include "io/cameras/calibration_file.h"
#include "kinema/camera.h"

#include <array>

namespace kinema::io {

struct RectifiedPair {
  std::array<double, 9> left_rotation, right_rotation;  ///< from each lens's frame to the rectified one (R1, R2)
  Camera camera;                                        ///< of both pictures: a point at infinity has no disparity
  double baseline = 0;                                  ///< metres
};

/// For pictures of width x height; `unit` is metres per unit of the calibration. Throws Error if the right camera is not
/// to the right of the left one, or not within 10 m of it, if the two see nothing in common, or if the file's own
/// rectification contradicts the rest of it.
RectifiedPair rectified_pair(const Calibration& calibration, int width, int height, double unit);

}  // namespace kinema::io
