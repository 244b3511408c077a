// Corners of a ChArUco board in a picture, through OpenCV's aruco module. Without it they are refused.
#pragma once

#include "io/cameras/calibration_board.h"

#include <opencv2/core.hpp>

#include <vector>

namespace kinema::io {

struct NumberedCorner {
  int number = 0;  ///< row by row
  float x = 0, y = 0;
};

/// Throws Error if the dictionary is unknown or has too few markers.
void check_charuco(const CalibrationBoard& board);

std::vector<NumberedCorner> charuco_corners(const cv::Mat& grey, const CalibrationBoard& board);

}  // namespace kinema::io
