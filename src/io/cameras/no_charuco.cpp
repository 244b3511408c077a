// Replaces io/cameras/charuco.cpp in builds whose OpenCV has no aruco module, or another one than that of OpenCV 4.6.
#include "io/cameras/charuco.h"
#include "kinema/error.h"

namespace kinema::io {
namespace {

[[noreturn]] void refuse() {
  throw Error(
      "this build finds no ChArUco boards, for which it needs the aruco module of OpenCV 4.6 (Debian: "
      "libopencv-contrib-dev): install it and build again, or use a chessboard");
}

}  // namespace

void check_charuco(const CalibrationBoard&) { refuse(); }
std::vector<NumberedCorner> charuco_corners(const cv::Mat&, const CalibrationBoard&) { refuse(); }

}  // namespace kinema::io
