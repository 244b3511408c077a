// What all overlays need of OpenCV's drawing.
#pragma once

#include "kinema/picture.h"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include <cmath>
#include <string>

namespace kinema::io {

/// OpenCV draws at fractions of a pixel when coordinates are given in them: `fine` of them are a pixel.
inline constexpr int shift = 4;
inline constexpr double fine = 1 << shift;

/// Around lines, so that they are seen on any image.
inline const cv::Scalar halo_ink{30, 26, 24};

/// Shares its pixels with the picture.
inline cv::Mat as_mat(Picture& picture) { return {picture.height, picture.width, CV_8UC3, picture.bgr.data()}; }

/// The number of a person; `size`: 1 is 22 pixels high.
inline void draw_number(cv::Mat& image, int number, cv::Point place, double size, const cv::Scalar& ink) {
  for (const bool halo : {true, false})
    cv::putText(image, std::to_string(number), place, cv::FONT_HERSHEY_SIMPLEX, size, halo ? halo_ink : ink,
                static_cast<int>(std::lround((halo ? 5.7 : 2.1) * size)), cv::LINE_AA);
}

}  // namespace kinema::io
