// Stereo matching measures the depth of a pair whose disparities are known, and says nothing where there is none.
#include "kinema/stereo.h"

#include "io/cameras/rectify.h"
#include "refusal.h"
#include "textured_pair.h"

#include <algorithm>

namespace kinema::io {
namespace {

// fx · baseline = 30 m · px
CameraFile camera() {
  CameraFile file;
  file.camera = {TexturedPair::width, TexturedPair::height, 300, 300, 159.5, 119.5};
  file.baseline = 0.1;
  return file;
}

StereoSettings window(double nearest, double farthest) {
  StereoSettings settings;
  settings.nearest = nearest;
  settings.farthest = farthest;
  return settings;
}

TEST(Stereo, MeasuresKnownDisparitiesToAFractionOfAPixel) {
  for (const bool full : {false, true}) {
    StereoSettings settings = window(0.8, 6);
    settings.full = full;
    const TexturedPair pair{7.5, 20.25};
    const StereoMatcher matcher(camera(), settings);
    const std::vector<float> depth =
        matcher.depth(grey_of(pair.picture(false)).view(), grey_of(pair.picture(true)).view());
    std::size_t pixels = 0, measured = 0, right = 0;
    for (int y = 10; y < TexturedPair::height - 10; ++y) {
      // also the columns that the matcher by itself leaves out, its largest disparity being 39 pixels
      for (int x = 14; x < TexturedPair::width - 10; ++x) {
        // within a block of an edge either depth may win, and left of the square the right camera sees no wall
        bool edge = false;
        for (int dx = -5; dx <= 18; ++dx) {
          for (int dy : {-5, 0, 5})
            edge = edge || TexturedPair::on_square(x + dx, y + dy) != TexturedPair::on_square(x, y);
        }
        if (edge) continue;
        ++pixels;
        const float z = depth[static_cast<std::size_t>(y) * TexturedPair::width + x];
        if (z == 0) continue;
        ++measured;
        const double disparity = TexturedPair::on_square(x, y) ? pair.square : pair.wall;
        right += std::abs(30 / z - disparity) < 0.5;
      }
    }
    EXPECT_GT(measured, pixels * 95 / 100) << full;
    EXPECT_GT(right, measured * 99 / 100) << full;
  }
}

TEST(Stereo, KeepsOnlyTheDepthsThatAreAskedFor) {
  const StereoMatcher matcher(camera(), window(1, 5));
  EXPECT_EQ(matcher.disparities(), 32);  // up to 30 / 1 and two more, in sixteens
  const TexturedPair pair{3, 15};        // a wall at 10 m, a square at 2 m
  const std::vector<float> depth =
      matcher.depth(grey_of(pair.picture(false)).view(), grey_of(pair.picture(true)).view());
  std::size_t on_square = 0, on_wall = 0;
  for (int y = 0; y < TexturedPair::height; ++y) {
    for (int x = 0; x < TexturedPair::width; ++x) {
      const float z = depth[static_cast<std::size_t>(y) * TexturedPair::width + x];
      ASSERT_TRUE(z == 0 || (z >= 1 && z <= 5));
      (TexturedPair::on_square(x, y) ? on_square : on_wall) += z > 0;
    }
  }
  EXPECT_GT(on_square, 7500u);  // of 8000
  EXPECT_LT(on_wall, 2000u);    // of 68800, beside the square's edges
}

TEST(Stereo, FindsNothingWhereThereIsNoTexture) {
  const GreyImage grey{TexturedPair::width, TexturedPair::height,
                       std::vector<std::uint8_t>(TexturedPair::width * TexturedPair::height, 128)};
  const std::vector<float> depth = StereoMatcher(camera(), window(0.8, 6)).depth(grey.view(), grey.view());
  EXPECT_TRUE(std::all_of(depth.begin(), depth.end(), [](float z) { return z == 0; }));
}

TEST(Stereo, RefusesSettingsAndPicturesThatCannotBe) {
  EXPECT_NE(refusal_of([] { StereoMatcher(camera(), window(2, 1)); }), "");
  EXPECT_NE(refusal_of([] { StereoMatcher(camera(), window(0, 1)); }), "");
  EXPECT_NE(refusal_of([] { StereoMatcher(camera(), window(0.05, 1)); }).find("seek from"), std::string::npos);
  CameraFile single = camera();
  single.baseline = 0;
  EXPECT_NE(refusal_of([&] { StereoMatcher matcher(single); }), "");
  const GreyImage small{4, 4, std::vector<std::uint8_t>(16)};
  EXPECT_NE(refusal_of([&] { StereoMatcher(camera()).depth(small.view(), small.view()); }).find("4 x 4"),
            std::string::npos);
}

TEST(Rectify, LeavesARectifiedPairAsItIs) {
  Calibration calibration;
  calibration.left = {300, 300, 159.5, 119.5, {}};
  calibration.right = calibration.left;
  calibration.rotation = no_rotation;
  calibration.translation = {-100, 0, 0};  // millimetres
  const StereoRectification result = rectify(calibration, TexturedPair::width, TexturedPair::height, 0.001);
  EXPECT_NEAR(result.camera.baseline, 0.1, 1e-9);
  EXPECT_NEAR(result.camera.camera.fx, 300, 5);  // its zoom to valid pixels may keep a border
  const Picture left = TexturedPair{7.5, 20}.picture(false);
  EXPECT_EQ(result.left.picture(left).bgr.size(), left.bgr.size());
}

TEST(Rectify, RefusesPosesThatAreNoPair) {
  Calibration calibration;
  calibration.left = {300, 300, 159.5, 119.5, {}};
  const auto refusal = [&] { return refusal_of([&] { rectify(calibration, 320, 240, 1); }); };
  EXPECT_NE(refusal().find("one camera"), std::string::npos);
  calibration.right = calibration.left;
  calibration.rotation = no_rotation;
  EXPECT_NE(refusal().find("baseline of 0"), std::string::npos);
  calibration.translation = {-83, 0, 0};
  EXPECT_NE(refusal().find("millimetres"), std::string::npos);
  calibration.translation = {0.1, 0, 0};
  EXPECT_NE(refusal().find("swap"), std::string::npos);
  calibration.translation = {0, -0.1, 0};
  EXPECT_NE(refusal().find("sideways"), std::string::npos);
}

TEST(PixelMap, StraightensWhatALensBends) {
  // a dot where the lens puts the direction (0.3, 0.2, 1) comes out where a pinhole camera would put it
  const Camera pinhole{320, 240, 200, 200, 159.5, 119.5};
  const double k1 = -0.2, k2 = 0.05, r2 = 0.3 * 0.3 + 0.2 * 0.2, bend = 1 + k1 * r2 + k2 * r2 * r2;
  const auto x = static_cast<int>(std::lround(200 * 0.3 * bend + 159.5));
  const auto y = static_cast<int>(std::lround(200 * 0.2 * bend + 119.5));
  DepthImage taken{320, 240, std::vector<std::uint16_t>(320 * 240)};
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) taken.units[static_cast<std::size_t>(y + dy) * 320 + (x + dx)] = 1234;
  }
  const PixelMap map({200, 200, 159.5, 119.5, {k1, k2, 0, 0}}, no_rotation, pinhole);
  const DepthImage straight = map.depth(taken);
  EXPECT_EQ(straight.units[static_cast<std::size_t>(std::lround(200 * 0.2 + 119.5)) * 320 +
                           static_cast<std::size_t>(std::lround(200 * 0.3 + 159.5))],
            1234);
  // and no depth between 0 and 1234 was made up
  for (std::uint16_t unit : straight.units) ASSERT_TRUE(unit == 0 || unit == 1234);
}

}  // namespace
}  // namespace kinema::io
