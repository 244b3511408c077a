#include "io/cameras/stereo_calibration.h"

#include "io/cameras/opencv_lens.h"
#include "io/files/input_file.h"
#include "io/files/output_file.h"
#include "io/pictures/opencv_quiet.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <opencv2/calib3d.hpp>

#include <algorithm>
#include <cmath>

namespace kinema::io {
namespace {

// What a usable calibration reaches with ease: printed boards and webcams give 0.2 to 0.5 pixels.
constexpr std::size_t fewest_views = 5;
constexpr double largest_error = 1, largest_focal_deviation = 0.02, smallest_coverage = 0.5, smallest_tilt = 0.26;

// Boards tell whether the cameras are in step if so many have moved by so many pixels down or up since the pair before; a delay
// below the last, in intervals, does not matter.
constexpr std::size_t moving_boards = 6;
constexpr double least_board_motion = 1, least_delay = 0.15;

using Corners = std::vector<cv::Point2f>;

Corners points_of(const std::vector<float>& xy) {
  Corners points;
  for (std::size_t i = 0; i + 1 < xy.size(); i += 2) points.emplace_back(xy[i], xy[i + 1]);
  return points;
}

Lens lens_of(const cv::Mat& matrix, const cv::Mat& distortion) {
  Lens lens{matrix.at<double>(0, 0), matrix.at<double>(1, 1), matrix.at<double>(0, 2), matrix.at<double>(1, 2), {}};
  lens.distortion.assign(distortion.begin<double>(), distortion.end<double>());
  return lens;
}

// The matrices while they are estimated.
struct Pair {
  cv::Mat m1, d1, m2, d2, r, t;
};

// Of a rectified camera.
cv::Matx34d projection_of(const Camera& camera, double baseline) {
  return {camera.fx, 0, camera.cx, -camera.fx * baseline, 0, camera.fy, camera.cy, 0, 0, 0, 1, 0};
}

// Of the rows of the left corners less those of the right ones, the mean square and, from boards that moved, the delay of the
// right camera: what moves down lies lower in a picture that is taken later.
void measure_rows(PairCalibration& result, std::span<const BoardView> views) {
  const Calibration& calibration = result.calibration;
  const RectifiedPair& rectified = result.rectified;
  const cv::Matx34d projection = projection_of(rectified.camera, 0);
  const auto rectified_corners = [&](const std::vector<float>& xy, const Lens& lens,
                                     const std::array<double, 9>& rotation) {
    Corners corners;
    cv::undistortPoints(points_of(xy), corners, camera_matrix(lens), distortion_of(lens), rotation_matrix(rotation),
                        projection);
    return corners;
  };
  double sum = 0, moved = 0, moved_apart = 0, apart_squared = 0;
  std::size_t count = 0, moving = 0;
  for (const BoardView& view : views) {
    const Corners left = rectified_corners(view.left, calibration.left, rectified.left_rotation);
    const Corners right = rectified_corners(view.right, *calibration.right, rectified.right_rotation);
    double apart = 0;
    for (std::size_t c = 0; c < left.size(); ++c, ++count) {
      const double rows = static_cast<double>(right[c].y - left[c].y);
      sum += rows * rows;
      apart += rows / static_cast<double>(left.size());
    }
    if (!view.down || std::abs(*view.down) < least_board_motion) continue;
    ++moving;
    moved += *view.down * *view.down, moved_apart += *view.down * apart, apart_squared += apart * apart;
  }
  result.row_error = std::sqrt(sum / static_cast<double>(count));
  if (moving < moving_boards) return;
  const double delay = moved_apart / moved, deviation = std::sqrt(std::max(apart_squared - delay * moved_apart, 0.0) /
                                                                  (static_cast<double>(moving - 1) * moved));
  if (std::abs(delay) > least_delay && std::abs(delay) > 5 * deviation) result.out_of_step = delay;
}

// Between the normals of two boards, radians. Boards that are all parallel look the same from afar with a long lens as
// from near with a short one; OpenCV's deviations do not show it.
double largest_tilt(const std::vector<cv::Mat>& rotations) {
  std::vector<cv::Vec3d> normals;
  for (const cv::Mat& rotation : rotations) {
    cv::Mat matrix;
    cv::Rodrigues(rotation, matrix);
    normals.emplace_back(matrix.at<double>(0, 2), matrix.at<double>(1, 2), matrix.at<double>(2, 2));
  }
  double smallest = 1;
  for (const cv::Vec3d& a : normals) {
    for (const cv::Vec3d& b : normals) smallest = std::min(smallest, a.dot(b));
  }
  return std::acos(std::clamp(smallest, -1.0, 1.0));
}

PairCalibration estimated(std::span<const BoardView> views, const CalibrationBoard& board, cv::Size size) {
  std::vector<std::vector<cv::Point3f>> boards;
  std::vector<Corners> lefts, rights;
  for (const BoardView& view : views) {
    std::vector<cv::Point3f>& corners = boards.emplace_back();
    for (const int corner : view.corners) {
      const int row = corner / board.columns, column = corner % board.columns;
      corners.emplace_back(static_cast<float>(column * board.square), static_cast<float>(row * board.square), 0.0F);
    }
    lefts.push_back(points_of(view.left));
    rights.push_back(points_of(view.right));
  }
  // two radial coefficients: more fit the noise of a few boards, and bend the corners of the picture
  const int flags = cv::CALIB_ZERO_TANGENT_DIST | cv::CALIB_FIX_K3 | cv::CALIB_FIX_ASPECT_RATIO;
  const cv::TermCriteria enough(cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 100, 1e-6);
  Pair pair;
  pair.m1 = cv::Mat::eye(3, 3, CV_64F);
  pair.m2 = cv::Mat::eye(3, 3, CV_64F);
  std::vector<cv::Mat> rotations, translations;
  cv::Mat deviations, ignored, essential, fundamental;
  cv::calibrateCamera(boards, lefts, size, pair.m1, pair.d1, rotations, translations, deviations, ignored, ignored,
                      flags, enough);
  const double tilt = largest_tilt(rotations);
  cv::calibrateCamera(boards, rights, size, pair.m2, pair.d2, rotations, translations, flags, enough);
  PairCalibration result;
  result.tilt = tilt;
  result.error = cv::stereoCalibrate(boards, lefts, rights, pair.m1, pair.d1, pair.m2, pair.d2, size, pair.r, pair.t,
                                     essential, fundamental, flags | cv::CALIB_USE_INTRINSIC_GUESS, enough);
  result.calibration.width = size.width;
  result.calibration.height = size.height;
  result.calibration.left = lens_of(pair.m1, pair.d1);
  result.calibration.right = lens_of(pair.m2, pair.d2);
  std::copy_n(pair.r.begin<double>(), 9, result.calibration.rotation.begin());
  std::copy_n(pair.t.begin<double>(), 3, result.calibration.translation.begin());
  // with one aspect ratio, OpenCV gives the deviation of the vertical one only
  result.focal_deviation = std::max(deviations.at<double>(0), deviations.at<double>(1)) / pair.m1.at<double>(0, 0);
  result.baseline = cv::norm(pair.t);
  return result;
}

}  // namespace

std::string lacking(std::span<const BoardView> views, int width, int height) {
  if (views.size() < fewest_views) {
    return fmt::format("{} views of the board in both pictures: at least {} are needed, 15 are good", views.size(),
                       fewest_views);
  }
  const double coverage = coverage_of(views, width, height).share();
  if (coverage >= smallest_coverage) return "";
  return fmt::format(
      "the boards cover {:.0f} % of the picture: show it in all corners too, so that they cover at least "
      "{:.0f} %",
      100 * coverage, 100 * smallest_coverage);
}

PairCalibration calibrate_pair(std::span<const BoardView> views, const CalibrationBoard& board, int width, int height) {
  if (const std::string why = lacking(views, width, height); !why.empty()) throw Error(why);
  PairCalibration result;
  try {
    const QuietOpenCV quiet;
    result = estimated(views, board, {width, height});
  } catch (const cv::Exception& error) {
    throw Error(fmt::format("the boards give no calibration: {}", one_line(error.err)));
  }
  result.views = views.size();
  result.coverage = coverage_of(views, width, height).share();
  if (!(result.error <= largest_error)) {
    throw Error(
        fmt::format("the boards contradict each other: {:.2f} pixels of error, where {} is the most: is the "
                    "board flat, the camera still and sharp, and are left and right as they should be?",
                    result.error, largest_error));
  }
  if (!(result.tilt >= smallest_tilt)) {
    throw Error(
        fmt::format("the boards are nearly parallel, tilted against each other by {:.0f} degrees at most: tilt "
                    "the board to all sides, by {:.0f} degrees and more",
                    57.29577951308232 * result.tilt, 57.29577951308232 * smallest_tilt));
  }
  if (!(result.focal_deviation <= largest_focal_deviation)) {
    throw Error(
        fmt::format("the focal length is uncertain by {:.1f} %, where {:.0f} % is the most: tilt the board more "
                    "and bring it nearer",
                    100 * result.focal_deviation, 100 * largest_focal_deviation));
  }
  result.rectified = rectified_pair(result.calibration, width, height, 1);
  measure_rows(result, views);
  result.depth_error = 9 / (result.rectified.camera.fx * result.baseline) * result.row_error;
  return result;
}

void write_calibration(const std::filesystem::path& path, const PairCalibration& pair) {
  const Calibration& calibration = pair.calibration;
  const auto& [left_rotation, right_rotation, camera, baseline] = pair.rectified;
  const auto matrix = [](const Lens& lens) { return cv::Mat(camera_matrix(lens)); };
  const auto rotation = [](const std::array<double, 9>& r) { return cv::Mat(rotation_matrix(r)); };
  // from (x, y, disparity, 1) to a point
  const cv::Matx44d q(1, 0, 0, -camera.cx, 0, 1, 0, -camera.cy, 0, 0, 0, camera.fx, 0, 0, 1 / baseline, 0);
  std::string text;
  try {
    cv::FileStorage file(".yml", cv::FileStorage::WRITE | cv::FileStorage::MEMORY);
    file << "image_width" << calibration.width << "image_height" << calibration.height;
    file << "M1" << matrix(calibration.left) << "D1" << cv::Mat(calibration.left.distortion).t();
    file << "M2" << matrix(*calibration.right) << "D2" << cv::Mat(calibration.right->distortion).t();
    file << "R" << rotation(calibration.rotation) << "T" << cv::Mat(calibration.translation).reshape(1, 3);
    file << "R1" << rotation(left_rotation) << "R2" << rotation(right_rotation);
    file << "P1" << cv::Mat(projection_of(camera, 0)) << "P2" << cv::Mat(projection_of(camera, baseline));
    file << "Q" << cv::Mat(q);
    file << "error_pixels" << pair.error << "row_error_pixels" << pair.row_error;
    text = file.releaseAndGetString();
  } catch (const cv::Exception& error) {
    throw about(path, Error(fmt::format("cannot be written: {}", one_line(error.err)), Error::Cause::running));
  }
  write_file(path, text);
}

}  // namespace kinema::io
