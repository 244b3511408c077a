// Real recordings: a simulated depth camera, a Kinect, stereo pairs of a chessboard that was measured.
#include "io/cameras/rectify.h"
#include "io/pictures/image_file.h"
#include "kinema/recording.h"
#include "kinema/stereo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

namespace kinema::io {
namespace {

std::filesystem::path data() {
  const char* elsewhere = std::getenv("KINEMA_SHARED_DATA");
  return elsewhere != nullptr ? elsewhere : KINEMA_SHARED_DATA;
}

#define SKIP_WITHOUT(path) \
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "there is no " << (path).string()

TEST(RecordingData, SimulatedWalk) {
  const auto folder = data() / "depth/sim_walk";
  SKIP_WITHOUT(folder);
  const auto recording = open_recording({folder.string()});
  EXPECT_EQ(recording->size(), 50u);
  EXPECT_EQ(recording->truth(), folder / "truth.jsonl");
  Frame frame;
  long count = 0;
  for (; recording->next(frame); ++count) {
    ASSERT_EQ(frame.gap, "");
    ASSERT_EQ(frame.index, count);
    ASSERT_EQ(frame.depth.size(), 640u * 480u);
  }
  EXPECT_EQ(count, 50);
}

TEST(RecordingData, KinectWithCalibrationAndColourByPattern) {
  const auto folder = data() / "depth/kinect_turn";
  SKIP_WITHOUT(folder);
  RecordingSettings settings;
  settings.camera_files = {folder / "0000000000_camera.xml"};
  settings.fps = 15;
  settings.depth_scale = 0.001;
  settings.colour_pattern = (folder / "%010d.jpg").string();
  const auto recording = open_recording({(folder / "%010d_depth.png").string()}, settings);
  EXPECT_EQ(recording->size(), 70u);
  EXPECT_EQ(recording->camera().camera.cx, 320);
  Frame frame;
  ASSERT_TRUE(recording->next(frame));
  EXPECT_EQ(frame.gap, "");
  EXPECT_EQ(frame.colour.width, 640);
  // the person stands at about 0.9 m before a wall at 2.6 m
  EXPECT_NEAR(frame.depth[240 * 640 + 320], 0.9, 0.3);
}

// The place in the rectified picture of a point of the taken one: of a soft dot that is drawn there.
std::pair<double, double> rectified(const PixelMap& map, double u, double v) {
  Picture dot{640, 480, std::vector<std::uint8_t>(640 * 480 * 3)};
  for (int y = std::max(0, static_cast<int>(v) - 6); y < std::min(480, static_cast<int>(v) + 8); ++y) {
    for (int x = std::max(0, static_cast<int>(u) - 6); x < std::min(640, static_cast<int>(u) + 8); ++x) {
      const double r2 = (x - u) * (x - u) + (y - v) * (y - v);
      dot.bgr[(static_cast<std::size_t>(y) * 640 + x) * 3] = static_cast<std::uint8_t>(250 * std::exp(-r2 / 4));
    }
  }
  const Picture seen = map.picture(dot);
  double sum = 0, sum_x = 0, sum_y = 0;
  for (int y = 0; y < 480; ++y) {
    for (int x = 0; x < 640; ++x) {
      const double weight = seen.bgr[(static_cast<std::size_t>(y) * 640 + x) * 3];
      sum += weight;
      sum_x += weight * x;
      sum_y += weight * y;
    }
  }
  return {sum_x / sum, sum_y / sum};
}

TEST(RecordingData, ChessboardHasItsMeasuredSizeAfterRectificationAndMatching) {
  const auto folder = data() / "stereo/opencv_chessboard";
  SKIP_WITHOUT(folder);
  RecordingSettings settings;
  settings.camera_files = {folder / "stereo_calibration.yml"};
  settings.fps = 1;
  const auto recording =
      open_recording({(folder / "left%02d.jpg").string() + "," + (folder / "right%02d.jpg").string()}, settings);
  ASSERT_EQ(recording->size(), 14u);
  const StereoRectification rectification = rectify(read_calibration(settings.camera_files), 640, 480, 1);

  // columns by the names in the first line
  std::ifstream list(folder / "corners.csv");
  std::string line;
  std::getline(list, line);
  std::map<std::string, std::size_t> column;
  {
    std::stringstream names(line);
    for (std::string name; std::getline(names, name, ',');) column.emplace(name, column.size());
  }
  struct Corner {
    double board_x, board_y, u, v;
  };
  std::map<long, std::vector<Corner>> corners;
  while (std::getline(list, line)) {
    std::stringstream words(line);
    std::vector<double> values;
    for (std::string word; std::getline(words, word, ',');) values.push_back(std::stod(word));
    corners[static_cast<long>(values[column.at("pair")])].push_back(
        {values[column.at("board_x_m")], values[column.at("board_y_m")], values[column.at("left_x")],
         values[column.at("left_y")]});
  }

  const Camera camera = recording->camera().camera;
  const auto matcher = stereo::make_matcher(camera, recording->camera().baseline, {.nearest = 0.25, .farthest = 1});
  stereo::Disparities out;
  Frame frame;
  int gaps = 0;
  std::vector<double> ratios;  // lengths as measured over lengths on the board
  while (recording->next(frame)) {
    if (!frame.gap.empty()) {
      EXPECT_EQ(frame.index, 10);
      ++gaps;
      continue;
    }
    // two boards at different distances and turns are enough
    if (frame.index != 1 && frame.index != 13) continue;
    matcher->match(frame.pair.view(frame.pair.left), frame.pair.view(frame.pair.right), {}, matcher->whole(), out);
    std::vector<std::pair<Corner, std::array<double, 3>>> placed;
    for (const Corner& corner : corners[frame.index]) {
      const auto [u, v] = rectified(rectification.left, corner.u, corner.v);
      if (!(u > 1 && v > 1 && u < 638 && v < 478)) continue;
      // the nearest that is known: squares are plain, and of an edge only its middle has a disparity
      double disparity = 0, nearest = 5;
      for (int dy = -4; dy <= 4; ++dy) {
        for (int dx = -4; dx <= 4; ++dx) {
          const auto x = std::lround(u) + dx, y = std::lround(v) + dy;
          if (x < 0 || y < 0 || x >= 640 || y >= 480) continue;
          const float known = out.disparity[static_cast<std::size_t>(y) * 640 + static_cast<std::size_t>(x)];
          if (known > 0 && std::hypot(dx, dy) < nearest) disparity = known, nearest = std::hypot(dx, dy);
        }
      }
      const double z = disparity > 0 ? matcher->focal_baseline() / disparity : 0;
      if (z > 0) placed.push_back({corner, {(u - camera.cx) / camera.fx * z, (v - camera.cy) / camera.fy * z, z}});
    }
    // between all corners that are far apart on the board
    for (const auto& [a, p] : placed) {
      for (const auto& [b, q] : placed) {
        const double board = std::hypot(a.board_x - b.board_x, a.board_y - b.board_y);
        if (board < 0.15) continue;
        ratios.push_back(std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) / board);
      }
    }
  }
  EXPECT_EQ(gaps, 1) << "pair 10 does not exist";
  // where four squares meet, rows that are half a pixel apart after rectification do not look alike and give no depth
  ASSERT_GT(ratios.size(), 300u);
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2), ratios.end());
  // an eighth of a pixel of some 110 pixels of disparity, and the calibration's own 0.2 mm in 25
  EXPECT_NEAR(ratios[ratios.size() / 2], 1, 0.01);
}

}  // namespace
}  // namespace kinema::io
