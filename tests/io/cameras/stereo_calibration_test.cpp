// Calibration of a stereo pair from a chessboard: what a known pair gives, and what is refused.
#include "io/cameras/stereo_calibration.h"

#include "kinema/error.h"
#include "scratch_folder.h"

#include <gtest/gtest.h>
#include <opencv2/calib3d.hpp>

#include <cmath>
#include <numeric>
#include <random>

namespace kinema::io {
namespace {

constexpr int width = 640, height = 480;
const CalibrationBoard board{9, 6, 0.03};

// Where a pair sees the board; `tilt` 0: always parallel to the pictures. 0.1 pixels of noise, as corners have.
std::vector<BoardView> seen(int count, double tilt, double spread = 1) {
  const cv::Mat m1 = (cv::Mat_<double>(3, 3) << 530, 0, 325, 0, 530, 235, 0, 0, 1);
  const cv::Mat m2 = (cv::Mat_<double>(3, 3) << 540, 0, 315, 0, 540, 245, 0, 0, 1);
  const cv::Mat distortion = (cv::Mat_<double>(1, 5) << -0.2, 0.05, 0, 0, 0);
  const cv::Mat r = (cv::Mat_<double>(3, 1) << 0.01, -0.02, 0.005), t = (cv::Mat_<double>(3, 1) << -0.1, 0.001, 0.002);
  std::vector<cv::Point3f> corners;
  for (int y = 0; y < board.rows; ++y) {
    for (int x = 0; x < board.columns; ++x) {
      corners.emplace_back(static_cast<float>((x - 4) * board.square), static_cast<float>((y - 2.5) * board.square), 0);
    }
  }
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(-1, 1);
  std::normal_distribution<double> noise(0, 0.1);
  std::vector<BoardView> views;
  for (int i = 0; i < count; ++i) {
    const cv::Mat turn = (cv::Mat_<double>(3, 1) << tilt * any(random), tilt * any(random), 0.3 * tilt * any(random));
    const cv::Mat place = (cv::Mat_<double>(3, 1) << 0.22 * spread * any(random), 0.16 * spread * any(random),
                           0.6 + 0.1 * spread * any(random));
    cv::Mat right_turn, right_place;
    cv::composeRT(turn, place, r, t, right_turn, right_place);
    std::vector<cv::Point2f> left, right;
    cv::projectPoints(corners, turn, place, m1, distortion, left);
    cv::projectPoints(corners, right_turn, right_place, m2, distortion, right);
    BoardView view;
    view.corners.resize(corners.size());
    std::iota(view.corners.begin(), view.corners.end(), 0);
    for (const cv::Point2f& p : left) {
      view.left.insert(view.left.end(),
                       {p.x + static_cast<float>(noise(random)), p.y + static_cast<float>(noise(random))});
    }
    for (const cv::Point2f& p : right) {
      view.right.insert(view.right.end(),
                        {p.x + static_cast<float>(noise(random)), p.y + static_cast<float>(noise(random))});
    }
    views.push_back(std::move(view));
  }
  return views;
}

std::string refusal(const std::vector<BoardView>& views) {
  try {
    calibrate_pair(views, board, width, height);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(StereoCalibration, FindsAKnownPairAgain) {
  const PairCalibration pair = calibrate_pair(seen(20, 0.5), board, width, height);
  // within a few deviations of what corners with 0.1 pixels of noise allow
  EXPECT_NEAR(pair.calibration.left.fx, 530, 3);
  EXPECT_NEAR(pair.calibration.right->fx, 540, 3);
  EXPECT_NEAR(pair.calibration.left.cx, 325, 4);
  EXPECT_NEAR(pair.baseline, 0.1, 0.001);
  EXPECT_LT(pair.calibration.translation[0], 0);
  EXPECT_NEAR(pair.error, 0.14, 0.03);  // two coordinates
  EXPECT_NEAR(pair.row_error, 0.14, 0.04);
  EXPECT_NEAR(pair.depth_error, 9 / (pair.rectified.camera.fx * pair.baseline) * pair.row_error, 1e-12);
  EXPECT_LT(pair.focal_deviation, 0.005);
}

TEST(StereoCalibration, BoardsThatMoveTellWhetherTheCamerasAreInStep) {
  const std::vector<BoardView> views = seen(40, 0.5);
  for (const double delay : {0.05, 0.4, -0.6}) {
    std::vector<BoardView> late = views;
    for (std::size_t i = 0; i < late.size(); ++i) {
      late[i].down = 1.5 * std::sin(static_cast<double>(i));
      for (std::size_t c = 1; c < late[i].right.size(); c += 2)
        late[i].right[c] += static_cast<float>(delay * *late[i].down);
    }
    const PairCalibration pair = calibrate_pair(late, board, width, height);
    EXPECT_EQ(pair.out_of_step.has_value(), std::abs(delay) > 0.2) << delay;
    // the calibration takes some of it for a turn of the cameras
    if (pair.out_of_step) EXPECT_NEAR(*pair.out_of_step, delay, 0.4 * std::abs(delay));
  }
}

TEST(StereoCalibration, ABoardMovesAsItsCornersDo) {
  const BoardView before{{3, 4, 7}, {10, 10, 20, 10, 30, 12}, {}, {}}, after{{4, 9}, {21, 13.5, 1, 1}, {}, {}};
  EXPECT_DOUBLE_EQ(*moved_down(before, after), 3.5);
  EXPECT_FALSE(moved_down(before, {{8}, {1, 1}, {}, {}}));
}

TEST(StereoCalibration, IsReadBackAsItWasWritten) {
  const ScratchFolder scratch;
  const PairCalibration pair = calibrate_pair(seen(10, 0.5), board, width, height);
  write_calibration(scratch / "stereo.yml", pair);
  const Calibration read = read_calibration({scratch / "stereo.yml"});
  EXPECT_EQ(read.width, width);
  EXPECT_DOUBLE_EQ(read.left.fx, pair.calibration.left.fx);
  ASSERT_TRUE(read.right);
  EXPECT_DOUBLE_EQ(read.right->cy, pair.calibration.right->cy);
  EXPECT_EQ(read.left.distortion.size(), 5u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(read.translation[i], pair.calibration.translation[i]);
  }
  for (std::size_t i = 0; i < 9; ++i) EXPECT_DOUBLE_EQ(read.rotation[i], pair.calibration.rotation[i]);
}

TEST(StereoCalibration, OtherProgramsFindTheRectificationThatKinemaUses) {
  const ScratchFolder scratch;
  const PairCalibration pair = calibrate_pair(seen(10, 0.5), board, width, height);
  write_calibration(scratch / "stereo.yml", pair);
  Calibration read = read_calibration({scratch / "stereo.yml"});
  ASSERT_TRUE(read.rectified);
  const RectifiedPair of_file = rectified_pair(read, width, height, 1);
  read.rectified.reset();
  const RectifiedPair chosen = rectified_pair(read, width, height, 1);
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_NEAR(of_file.left_rotation[i], chosen.left_rotation[i], 1e-12);
    EXPECT_NEAR(of_file.right_rotation[i], chosen.right_rotation[i], 1e-12);
  }
  EXPECT_NEAR(of_file.camera.fx, chosen.camera.fx, 1e-9);
  EXPECT_NEAR(of_file.camera.cx, chosen.camera.cx, 1e-9);
  EXPECT_NEAR(of_file.camera.cy, chosen.camera.cy, 1e-9);
  EXPECT_NEAR(of_file.baseline, chosen.baseline, 1e-12);

  // a point's pixels by P1 and P2, and the point again by Q
  cv::FileStorage file((scratch / "stereo.yml").string(), cv::FileStorage::READ);
  cv::Mat p1, p2, q;
  file["P1"] >> p1;
  file["P2"] >> p2;
  file["Q"] >> q;
  const cv::Mat point = (cv::Mat_<double>(4, 1) << 0.2, -0.1, 1.5, 1), left = p1 * point, right = p2 * point;
  const double x = left.at<double>(0) / left.at<double>(2), y = left.at<double>(1) / left.at<double>(2);
  EXPECT_NEAR(right.at<double>(1) / right.at<double>(2), y, 1e-9);
  const double disparity = x - right.at<double>(0) / right.at<double>(2);
  const cv::Mat again = q * (cv::Mat_<double>(4, 1) << x, y, disparity, 1);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(again.at<double>(i) / again.at<double>(3), point.at<double>(i), 1e-9);
}

TEST(StereoCalibration, RefusesPicturesOfTheWrongSides) {
  std::vector<BoardView> swapped = seen(10, 0.5);
  for (BoardView& view : swapped) std::swap(view.left, view.right);
  EXPECT_NE(refusal(swapped).find("swap the two"), std::string::npos);
}

TEST(StereoCalibration, RefusesViewsThatDoNotDetermineAPair) {
  EXPECT_NE(refusal(seen(4, 0.5)).find("4 views"), std::string::npos);
  EXPECT_NE(refusal(seen(10, 0.5, 0.02)).find("of the picture: show it in all corners"), std::string::npos);
  // never tilted: the focal length and the distance cannot be told apart
  EXPECT_NE(refusal(seen(10, 0.002)).find("nearly parallel"), std::string::npos);
  // pictures of other boards on the right
  std::vector<BoardView> mixed = seen(12, 0.5);
  for (std::size_t i = 1; i < mixed.size(); i += 2) std::swap(mixed[i].right, mixed[i - 1].right);
  EXPECT_NE(refusal(mixed).find("contradict each other"), std::string::npos);
}

TEST(StereoCalibration, ABoardThatIsHeldStillAddsNothing) {
  const std::vector<BoardView> views = seen(2, 0.5);
  EXPECT_FALSE(is_another_view(views[0], views, width));
  EXPECT_TRUE(is_another_view(views[0], {&views[1], 1}, width));
}

TEST(StereoCalibration, APictureWithoutABoardHasNone) {
  const Picture grey{width, height, std::vector<std::uint8_t>(width * height * 3, 128)};
  EXPECT_FALSE(find_board(grey, grey, board));
}

}  // namespace
}  // namespace kinema::io
