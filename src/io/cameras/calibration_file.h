// Calibrations stored by OpenCV (YAML, XML or JSON): one camera, or the two of a stereo pair.
//
// Accepts the names that OpenCV's samples, users of stereoCalibrate and ROS give to the same matrices: cameraMatrix,
// camera_matrix, intrinsic or K with distCoeffs, distortion_coefficients or D; M1 D1 M2 D2, K1 K2, cameraMatrix1 … with
// R and T, where X_right = R X_left + T. A rectification of the pair is read too, if R1, R2, P1 and P2 are all there.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <vector>

namespace kinema::io {

struct Lens {
  double fx = 0, fy = 0, cx = 0, cy = 0;
  std::vector<double> distortion;  ///< as in CameraFile
};

/// A camera of a rectified pair, as stereoRectify gives it.
struct RectifiedView {
  std::array<double, 9> rotation = {};  ///< R1 or R2, row-major: from the camera's frame to the rectified one
  double fx = 0, fy = 0, cx = 0, cy = 0;
  double shift = 0;  ///< the first row's last element of P1 or P2: 0 on the left, -fx · baseline on the right
};

struct RectifiedViews {
  RectifiedView left, right;
};

struct Calibration {
  int width = 0, height = 0;                ///< 0: not in the file
  Lens left;                                ///< the only one, or the left one
  std::optional<Lens> right;                ///< of a stereo pair
  std::array<double, 9> rotation = {};      ///< R, row-major
  std::array<double, 3> translation = {};   ///< T, in the unit of the calibration
  std::optional<RectifiedViews> rectified;  ///< R1 R2 P1 P2, not yet compared with R and T
};

/// From one file, or from several that hold parts, such as intrinsics.yml and extrinsics.yml. Throws Error with the
/// first file's name if a matrix is missing or impossible for a camera.
Calibration read_calibration(const std::vector<std::filesystem::path>& files);

}  // namespace kinema::io
