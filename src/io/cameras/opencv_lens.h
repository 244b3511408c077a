// A lens as OpenCV takes it, and how far its formula holds.
#pragma once

#include "io/cameras/calibration_file.h"

#include <opencv2/core.hpp>

#include <array>

namespace kinema::io {

cv::Matx33d camera_matrix(const Lens& lens);
cv::Mat distortion_of(const Lens& lens);

/// Row-major, as Calibration has them.
cv::Matx33d rotation_matrix(const std::array<double, 9>& rotation);
std::array<double, 9> rotation_array(const cv::Matx33d& rotation);

/// The tangent of the angle from the axis up to which rays farther out land farther out in the lens's image. Beyond it
/// the formula of the distortion bends them back into the picture, which the lens does not.
double widest_ray(const Lens& lens);

}  // namespace kinema::io
