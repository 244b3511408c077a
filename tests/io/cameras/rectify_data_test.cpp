// Real pairs, with boards that were measured: corners lie in the same row after rectification, and as far apart as on the
// board. With --gtest_output=json:FILE the figures are in the report.
#include "io/cameras/rectify.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <opencv2/calib3d.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace kinema::io {
namespace {

namespace fs = std::filesystem;

fs::path stereo_data() {
  const char* elsewhere = std::getenv("KINEMA_SHARED_DATA");
  return fs::path(elsewhere != nullptr ? elsewhere : KINEMA_SHARED_DATA) / "stereo";
}

struct Corner {
  cv::Point2d board, left, right;  // metres; pixels
};

// By frame. The columns are frame, number, x and y on the board, x and y in both pictures.
std::map<int, std::vector<Corner>> read_corners(const fs::path& path) {
  std::map<int, std::vector<Corner>> corners;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::stringstream words(line);
    std::vector<double> v;
    for (std::string word; std::getline(words, word, ',');) v.push_back(std::stod(word));
    corners[static_cast<int>(v.at(0))].push_back({{v.at(2), v.at(3)}, {v.at(4), v.at(5)}, {v.at(6), v.at(7)}});
  }
  return corners;
}

cv::Point2d rectified_pixel(const cv::Point2d& pixel, const Lens& lens, const std::array<double, 9>& rotation,
                            const Camera& camera) {
  const cv::Matx33d matrix(lens.fx, 0, lens.cx, 0, lens.fy, lens.cy, 0, 0, 1);
  const cv::Matx33d pinhole(camera.fx, 0, camera.cx, 0, camera.fy, camera.cy, 0, 0, 1);
  std::vector<cv::Point2d> result;
  cv::undistortPoints(std::vector<cv::Point2d>{pixel}, result, matrix, lens.distortion, cv::Matx33d(rotation.data()),
                      pinhole, cv::TermCriteria(cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 50, 1e-9));
  return result[0];
}

struct Measured {
  double focal = 0, rows = 0, worst_row = 0;  // pixels; mean and largest difference of rows
  double square = 0, deviation = 0;           // metres between neighbours on the board
  double inside = 0;                          // share of corners in both pictures
};

Measured measure(const Calibration& calibration, const std::map<int, std::vector<Corner>>& frames, double side) {
  const RectifiedPair pair = rectified_pair(calibration, calibration.width, calibration.height, 1);
  const Camera& camera = pair.camera;
  Measured result{.focal = camera.fx};
  double corners = 0, squares = 0, sum = 0, sum2 = 0;
  for (const auto& [frame, seen] : frames) {
    std::vector<cv::Vec3d> points;
    for (const Corner& corner : seen) {
      const cv::Point2d left = rectified_pixel(corner.left, calibration.left, pair.left_rotation, camera);
      const cv::Point2d right = rectified_pixel(corner.right, *calibration.right, pair.right_rotation, camera);
      const double z = camera.fx * pair.baseline / (left.x - right.x);
      const double y = (left.y + right.y) / 2;
      points.emplace_back((left.x - camera.cx) / camera.fx * z, (y - camera.cy) / camera.fy * z, z);
      result.rows += std::abs(left.y - right.y);
      result.worst_row = std::max(result.worst_row, std::abs(left.y - right.y));
      const auto in_picture = [&](const cv::Point2d& at) {
        return at.x >= 0 && at.y >= 0 && at.x <= camera.width - 1 && at.y <= camera.height - 1;
      };
      result.inside += in_picture(left) && in_picture(right) ? 1 : 0;
      ++corners;
    }
    for (std::size_t a = 0; a < seen.size(); ++a) {
      for (std::size_t b = a + 1; b < seen.size(); ++b) {
        if (std::abs(cv::norm(seen[a].board - seen[b].board) - side) > 1e-4) continue;
        const double length = cv::norm(points[a] - points[b]);
        sum += length;
        sum2 += length * length;
        ++squares;
      }
    }
  }
  result.rows /= corners;
  result.inside /= corners;
  result.square = sum / squares;
  result.deviation = std::sqrt(std::max(0.0, sum2 / squares - result.square * result.square));
  return result;
}

std::string words_of(const Measured& m) {
  return fmt::format(
      "f {:.1f}, rows {:.2f} (at most {:.2f}) pixels, squares {:.2f} mm (deviation {:.2f}), {:.1f} % inside", m.focal,
      m.rows, m.worst_row, 1000 * m.square, 1000 * m.deviation, 100 * m.inside);
}

TEST(RectifyData, ConvergingWebcamsMeasureABoard) {
  const fs::path data = stereo_data() / "caliscope_pair";
  if (!fs::exists(data)) GTEST_SKIP() << "there is no " << data.string();
  const auto frames = read_corners(data / "corners.csv");
  Calibration calibration = read_calibration({data / "stereo_calibration.yml"});
  ASSERT_TRUE(calibration.rectified);
  for (const bool own : {false, true}) {
    if (own) calibration.rectified.reset();
    const Measured measured = measure(calibration, frames, 0.054);
    RecordProperty(own ? "own" : "of_the_file", words_of(measured));
    if (own) {
      // stereoRectify with alpha 0 has 2337, the lenses 640 to 650
      EXPECT_GT(measured.focal, 450);
      EXPECT_LE(measured.focal, 655);
    } else {
      EXPECT_EQ(measured.focal, 640);
    }
    // the board moves, and the pictures are up to 22 ms apart
    EXPECT_LT(measured.rows, 0.6) << words_of(measured);
    EXPECT_NEAR(measured.square, 0.0535, 0.0003) << words_of(measured);
    EXPECT_LT(measured.deviation, 0.0012) << words_of(measured);
    EXPECT_GT(measured.inside, 0.99) << words_of(measured);
  }
}

TEST(RectifyData, AnOrdinaryPairMeasuresAChessboard) {
  const fs::path data = stereo_data() / "opencv_chessboard";
  if (!fs::exists(data)) GTEST_SKIP() << "there is no " << data.string();
  const auto frames = read_corners(data / "corners.csv");
  Calibration calibration = read_calibration({data / "stereo_calibration.yml"});
  ASSERT_TRUE(calibration.rectified);
  const double focal = calibration.rectified->left.fx;
  for (const bool own : {false, true}) {
    if (own) calibration.rectified.reset();
    const Measured measured = measure(calibration, frames, 0.025);
    RecordProperty(own ? "own" : "of_the_file", words_of(measured));
    // the file's rectification is that of stereoRectify with alpha 0, which kinema keeps
    EXPECT_NEAR(measured.focal, focal, 0.01);
    EXPECT_LT(measured.rows, 0.2) << words_of(measured);
    EXPECT_NEAR(measured.square, 0.025, 0.0001) << words_of(measured);
    EXPECT_LT(measured.deviation, 0.0003) << words_of(measured);
  }
}

}  // namespace
}  // namespace kinema::io
