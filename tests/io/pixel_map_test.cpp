// Pictures of real lenses become those of pinhole cameras with corresponding rows.
#include "io/cameras/rectify.h"
#include "refusal.h"
#include "textured_pair.h"

namespace kinema::io {
namespace {

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
