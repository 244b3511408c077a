// ChArUco boards in drawn pictures of a known pair, some of them cut off by the border.
#include "io/cameras/stereo_calibration.h"

#include "kinema/error.h"

#include <gtest/gtest.h>
#include <opencv2/aruco/charuco.hpp>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>

#include <random>

namespace kinema::io {
namespace {

constexpr int width = 640, height = 480;
const CalibrationBoard board{7, 4, 0.04, 0.03, "4x4_50"};

// The board as printed, 100 pixels per square.
cv::Mat printed() {
  const auto charuco = cv::aruco::CharucoBoard::create(
      board.columns + 1, board.rows + 1, static_cast<float>(board.square), static_cast<float>(board.marker),
      cv::aruco::getPredefinedDictionary(cv::aruco::DICT_4X4_50));
  cv::Mat drawn;
  charuco->draw({100 * (board.columns + 1), 100 * (board.rows + 1)}, drawn, 0, 1);
  return drawn;
}

// What a camera sees of it: pinhole, no distortion. The board's drawing begins at its top left, as its corners count.
Picture seen(const cv::Mat& print, const cv::Mat& matrix, const cv::Mat& turn, const cv::Mat& place) {
  cv::Mat rotation;
  cv::Rodrigues(turn, rotation);
  cv::Mat plane = (cv::Mat_<double>(3, 3) << 1, 0, 0, 0, 1, 0, 0, 0, 1);
  rotation.col(0).copyTo(plane.col(0));
  rotation.col(1).copyTo(plane.col(1));
  place.copyTo(plane.col(2));
  // pixels of the drawing to metres, from its middle; pixel centres are at whole numbers
  const double size = board.square / 100;
  const cv::Mat metres =
      (cv::Mat_<double>(3, 3) << size, 0, -size * (print.cols - 1) / 2, 0, size, -size * (print.rows - 1) / 2, 0, 0, 1);
  const cv::Mat map = matrix * plane * metres;
  cv::Mat large, small, colour;
  // drawn larger, so that edges are as soft as a camera sees them
  const cv::Mat scale = (cv::Mat_<double>(3, 3) << 4, 0, 1.5, 0, 4, 1.5, 0, 0, 1);
  cv::warpPerspective(print, large, scale * map, {4 * width, 4 * height}, cv::INTER_LINEAR, cv::BORDER_CONSTANT, 128);
  cv::resize(large, small, {width, height}, 0, 0, cv::INTER_AREA);
  cv::cvtColor(small, colour, cv::COLOR_GRAY2BGR);
  return {width, height, std::vector<std::uint8_t>(colour.data, colour.data + colour.total() * 3)};
}

TEST(Charuco, AKnownPairIsFoundFromPartsOfTheBoard) {
  const cv::Mat print = printed();
  const cv::Mat m1 = (cv::Mat_<double>(3, 3) << 530, 0, 325, 0, 530, 235, 0, 0, 1);
  const cv::Mat m2 = (cv::Mat_<double>(3, 3) << 540, 0, 315, 0, 540, 245, 0, 0, 1);
  const cv::Mat r = (cv::Mat_<double>(3, 1) << 0.01, -0.02, 0.005), t = (cv::Mat_<double>(3, 1) << -0.08, 0.001, 0.002);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<BoardView> views;
  std::size_t parts = 0;
  for (int i = 0; i < 16; ++i) {
    const cv::Mat turn = (cv::Mat_<double>(3, 1) << 0.5 * any(random), 0.5 * any(random), 0.2 * any(random));
    const cv::Mat place = (cv::Mat_<double>(3, 1) << 0.15 * any(random), 0.12 * any(random), 0.45 + 0.1 * any(random));
    cv::Mat right_turn, right_place;
    cv::composeRT(turn, place, r, t, right_turn, right_place);
    const auto view = find_board(seen(print, m1, turn, place), seen(print, m2, right_turn, right_place), board);
    if (!view) continue;
    parts += view->corners.size() < 28 ? 1 : 0;
    views.push_back(*view);
  }
  ASSERT_GE(views.size(), 12u);
  EXPECT_GE(parts, 3u);  // where a chessboard would be of no use
  const PairCalibration pair = calibrate_pair(views, board, width, height);
  // corners of drawn boards err by about a tenth of a pixel
  EXPECT_LT(pair.error, 0.3);
  EXPECT_LT(pair.row_error, 0.3);
  EXPECT_NEAR(pair.calibration.left.fx, 530, 5);
  EXPECT_NEAR(pair.calibration.right->fx, 540, 5);
  EXPECT_NEAR(pair.baseline, 0.08, 0.001);
}

TEST(Charuco, RefusesBoardsThatCannotBe) {
  CalibrationBoard wrong = board;
  wrong.dictionary = "8x8_50";
  EXPECT_THROW(check_board(wrong), Error);
  wrong = board;
  wrong.marker = 0.05;
  EXPECT_THROW(check_board(wrong), Error);
  wrong = {30, 20, 0.04, 0.03, "4x4_50"};
  EXPECT_THROW(check_board(wrong), Error);
  EXPECT_NO_THROW(check_board(board));
}

}  // namespace
}  // namespace kinema::io
