// Our calibration of a real pair beside that of OpenCV's sample stereo_calib: its corners (findChessboardCorners refined by
// cornerSubPix) and its flags, on the same pictures. With --gtest_output=json:FILE the figures are in the report.
#include "io/cameras/stereo_calibration.h"
#include "io/pictures/image_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>

#include <cmath>
#include <filesystem>

namespace kinema::io {
namespace {

namespace fs = std::filesystem;
using Corners = std::vector<cv::Point2f>;

const CalibrationBoard board{9, 6, 0.025};

struct Seen {
  std::vector<Corners> left, right;
  cv::Size size;
};

struct Pair {
  cv::Mat m1, d1, m2, d2, r, t;
  double error = 0;
};

std::vector<cv::Point3f> board_corners() {
  std::vector<cv::Point3f> corners;
  for (int row = 0; row < board.rows; ++row) {
    for (int column = 0; column < board.columns; ++column) {
      corners.emplace_back(static_cast<float>(column * board.square), static_cast<float>(row * board.square), 0.0F);
    }
  }
  return corners;
}

bool sample_corners(const Picture& picture, Corners& corners) {
  GreyImage image = grey_of(picture);
  const cv::Mat grey(image.height, image.width, CV_8UC1, image.grey.data());
  if (!cv::findChessboardCorners(grey, {board.columns, board.rows}, corners,
                                 cv::CALIB_CB_ADAPTIVE_THRESH | cv::CALIB_CB_NORMALIZE_IMAGE)) {
    return false;
  }
  cv::cornerSubPix(grey, corners, {11, 11}, {-1, -1},
                   cv::TermCriteria(cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 30, 0.01));
  return true;
}

Pair sample_calibration(const Seen& seen) {
  const std::vector<std::vector<cv::Point3f>> boards(seen.left.size(), board_corners());
  Pair pair;
  pair.m1 = cv::initCameraMatrix2D(boards, seen.left, seen.size, 0);
  pair.m2 = cv::initCameraMatrix2D(boards, seen.right, seen.size, 0);
  cv::Mat e, f;
  pair.error = cv::stereoCalibrate(
      boards, seen.left, seen.right, pair.m1, pair.d1, pair.m2, pair.d2, seen.size, pair.r, pair.t, e, f,
      cv::CALIB_FIX_ASPECT_RATIO + cv::CALIB_ZERO_TANGENT_DIST + cv::CALIB_USE_INTRINSIC_GUESS +
          cv::CALIB_SAME_FOCAL_LENGTH + cv::CALIB_RATIONAL_MODEL + cv::CALIB_FIX_K3 + cv::CALIB_FIX_K4 +
          cv::CALIB_FIX_K5,
      cv::TermCriteria(cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 100, 1e-5));
  return pair;
}

Pair our_calibration(const Seen& seen) {
  std::vector<BoardView> views;
  for (std::size_t i = 0; i < seen.left.size(); ++i) {
    BoardView view;
    for (std::size_t c = 0; c < seen.left[i].size(); ++c) {
      view.corners.push_back(static_cast<int>(c));
      view.left.insert(view.left.end(), {seen.left[i][c].x, seen.left[i][c].y});
      view.right.insert(view.right.end(), {seen.right[i][c].x, seen.right[i][c].y});
    }
    views.push_back(view);
  }
  const PairCalibration found = calibrate_pair(views, board, seen.size.width, seen.size.height);
  const auto matrix = [](const Lens& lens) {
    return cv::Mat((cv::Mat_<double>(3, 3) << lens.fx, 0, lens.cx, 0, lens.fy, lens.cy, 0, 0, 1));
  };
  const Calibration& calibration = found.calibration;
  Pair pair{matrix(calibration.left),
            cv::Mat(calibration.left.distortion, true),
            matrix(*calibration.right),
            cv::Mat(calibration.right->distortion, true),
            cv::Mat(3, 3, CV_64F),
            cv::Mat(3, 1, CV_64F),
            found.error};
  std::copy(calibration.rotation.begin(), calibration.rotation.end(), pair.r.begin<double>());
  std::copy(calibration.translation.begin(), calibration.translation.end(), pair.t.begin<double>());
  return pair;
}

// Root mean square difference of a corner's rows in the rectified pictures, pixels.
double row_error(const Pair& pair, const Seen& seen) {
  cv::Mat r1, r2, p1, p2, q;
  cv::stereoRectify(pair.m1, pair.d1, pair.m2, pair.d2, seen.size, pair.r, pair.t, r1, r2, p1, p2, q,
                    cv::CALIB_ZERO_DISPARITY, 0);
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < seen.left.size(); ++i) {
    Corners left, right;
    cv::undistortPoints(seen.left[i], left, pair.m1, pair.d1, r1, p1);
    cv::undistortPoints(seen.right[i], right, pair.m2, pair.d2, r2, p2);
    for (std::size_t c = 0; c < left.size(); ++c, ++count) sum += std::pow(left[c].y - right[c].y, 2);
  }
  return std::sqrt(sum / static_cast<double>(count));
}

// Every third view by the calibration of all others; all of them would take a minute.
template <class Calibrate>
double held_out_row_error(const Seen& seen, Calibrate calibrate) {
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < seen.left.size(); i += 3, ++count) {
    Seen rest = seen;
    rest.left.erase(rest.left.begin() + static_cast<std::ptrdiff_t>(i));
    rest.right.erase(rest.right.begin() + static_cast<std::ptrdiff_t>(i));
    sum += std::pow(row_error(calibrate(rest), {{seen.left[i]}, {seen.right[i]}, seen.size}), 2);
  }
  return std::sqrt(sum / count);
}

TEST(StereoSample, OurCalibrationIsNoWorseThanThatOfOpenCvsSample) {
  const fs::path data = fs::path(KINEMA_SHARED_DATA) / "stereo/opencv_chessboard";
  if (!fs::exists(data)) GTEST_SKIP() << "there are no pictures of a pair";
  Seen sample, ours;
  for (int i = 1; i <= 14; ++i) {
    const fs::path left = data / fmt::format("left{:02}.jpg", i), right = data / fmt::format("right{:02}.jpg", i);
    if (!fs::exists(left) || !fs::exists(right)) continue;
    const Picture one = read_picture(left), other = read_picture(right);
    sample.size = ours.size = {one.width, one.height};
    Corners a, b;
    if (sample_corners(one, a) && sample_corners(other, b)) {
      sample.left.push_back(a);
      sample.right.push_back(b);
    }
    if (const auto view = find_board(one, other, board)) {
      Corners& own_left = ours.left.emplace_back();
      Corners& own_right = ours.right.emplace_back();
      for (std::size_t c = 0; c + 1 < view->left.size(); c += 2) {
        own_left.emplace_back(view->left[c], view->left[c + 1]);
        own_right.emplace_back(view->right[c], view->right[c + 1]);
      }
    }
  }
  EXPECT_GE(ours.left.size(), sample.left.size());
  const Pair by_sample = sample_calibration(sample), by_us = our_calibration(ours);
  const double sample_held_out = held_out_row_error(sample, sample_calibration);
  const double our_held_out = held_out_row_error(ours, our_calibration);
  RecordProperty("figures",
                 fmt::format("sample: {} boards, error {:.3f}, rows {:.3f}, held out {:.3f}; kinema: {} boards, "
                             "error {:.3f}, rows {:.3f}, held out {:.3f}",
                             sample.left.size(), by_sample.error, row_error(by_sample, sample), sample_held_out,
                             ours.left.size(), by_us.error, row_error(by_us, ours), our_held_out));
  fmt::print(
      "sample: {} boards, error {:.3f}, rows {:.3f}, held out {:.3f}, fx {:.1f}, baseline {:.2f} mm\n"
      "kinema: {} boards, error {:.3f}, rows {:.3f}, held out {:.3f}, fx {:.1f}, baseline {:.2f} mm\n",
      sample.left.size(), by_sample.error, row_error(by_sample, sample), sample_held_out, by_sample.m1.at<double>(0, 0),
      1000 * cv::norm(by_sample.t), ours.left.size(), by_us.error, row_error(by_us, ours), our_held_out,
      by_us.m1.at<double>(0, 0), 1000 * cv::norm(by_us.t));
  EXPECT_LE(by_us.error, 1.05 * by_sample.error);
  EXPECT_LE(our_held_out, 1.05 * sample_held_out);
}

}  // namespace
}  // namespace kinema::io
