// What all overlays need of OpenCV's drawing.
#pragma once

#include "kinema/picture.h"

#include <opencv2/core.hpp>

namespace kinema::io {

/// OpenCV draws at fractions of a pixel when coordinates are given in them: `fine` of them are a pixel.
inline constexpr int shift = 4;
inline constexpr double fine = 1 << shift;

/// Around lines, so that they are seen on any image.
inline const cv::Scalar halo_ink{30, 26, 24};

/// Shares its pixels with the picture.
inline cv::Mat as_mat(Picture& picture) { return {picture.height, picture.width, CV_8UC3, picture.bgr.data()}; }

}  // namespace kinema::io
