// The calibration of a stereo pair from pictures of a board, in the form that read_calibration() reads. Without
// OpenCV all of it throws.
#pragma once

#include "io/cameras/calibration_board.h"
#include "io/cameras/calibration_file.h"
#include "io/cameras/rectify.h"

#include <filesystem>
#include <span>
#include <string>

namespace kinema::io {

struct PairCalibration {
  Calibration calibration;            ///< T in metres
  RectifiedPair rectified;            ///< as rectified_pair() chooses it
  double error = 0;                   ///< of reprojected corners, root mean square, pixels
  double row_error = 0;               ///< between the rows of a corner in both rectified pictures, likewise
  std::optional<double> out_of_step;  ///< how much later the right pictures are, intervals, if moving boards show it
  double depth_error = 0;             ///< metres at 3 m, of a disparity that is wrong by row_error
  double baseline = 0;                ///< metres
  double focal_deviation = 0;         ///< standard deviation of the left focal length, as a share of it
  double tilt = 0;                    ///< largest angle between two boards, radians
  double coverage = 0;                ///< share of the 4 x 4 parts of the left picture in which a corner was seen
  std::size_t views = 0;
};

/// What the views so far lack for a calibration; empty: nothing that can be told beforehand.
std::string lacking(std::span<const BoardView> views, int width, int height);

/// Throws Error if the views do not determine a pair of cameras (too few, not tilted, in one place, or contradictory),
/// or if it is none that rectified_pair() takes.
PairCalibration calibrate_pair(std::span<const BoardView> views, const CalibrationBoard& board, int width, int height);

/// As YAML of OpenCV, with R1 R2 P1 P2 Q as stereoRectify would give them; whole or not at all.
void write_calibration(const std::filesystem::path& path, const PairCalibration& pair);

}  // namespace kinema::io
