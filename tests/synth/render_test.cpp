// Renderings and the faults of sensors.
#include "synth/sensor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace kinema::synth {
namespace {

// A camera that looks level, 1 m above the floor, at a wall 4 m away.
Stage level_stage() {
  Stage stage;
  stage.camera = {160, 120, 130, 130, 79.5, 59.5};
  stage.up = {0, -1, 0};
  stage.level = {0, 0, 1};
  stage.floor = -1;
  stage.wall = 4;
  return stage;
}

Part ball_at(Vec3 centre, double radius) {
  Part part;
  part.origin = centre;
  part.axes = {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
  part.start = part.end = radius;
  return part;
}

std::size_t pixel(const Rendering& rendering, int u, int v) {
  return static_cast<std::size_t>(v) * static_cast<std::size_t>(rendering.width) + static_cast<std::size_t>(u);
}

TEST(Render, DepthOfABallBeforeAFloorAndAWallIsExact) {
  const Stage stage = level_stage();
  const Vec3 centre{0.2, -0.1, 2.5};
  const double radius = 0.4;
  const Rendering rendering = render(stage, {ball_at(centre, radius)}, {});
  std::size_t person = 0;
  for (int v = 0; v < rendering.height; ++v) {
    for (int u = 0; u < rendering.width; ++u) {
      const Vec3 d{(u - 79.5) / 130, (v - 59.5) / 130, 1};
      const double b = dot(centre, d), root = b * b - dot(d, d) * (dot(centre, centre) - radius * radius);
      double expected = d.y > 0 ? std::min(4.0, 1 / d.y) : 4.0;
      if (root >= 0) expected = (b - std::sqrt(root)) / dot(d, d);
      // depths are floats
      ASSERT_NEAR(rendering.depth[pixel(rendering, u, v)], expected, 1e-6) << u << " " << v;
      ASSERT_EQ(rendering.person[pixel(rendering, u, v)], root >= 0 ? 1 : 0);
      person += root >= 0;
    }
  }
  EXPECT_GT(person, 1000u);
}

TEST(Render, TheNearerOfTwoPartsIsSeenWhateverTheirOrder) {
  const Stage stage = level_stage();
  const Part near = ball_at({0, 0, 2}, 0.2), far = ball_at({0.1, 0, 3}, 0.4);
  const Rendering a = render(stage, {near, far}, {}), b = render(stage, {far, near}, {});
  EXPECT_EQ(a.depth, b.depth);
}

TEST(Render, WithoutBackgroundOnlyThePersonHasDepth) {
  View view;
  view.background = false;
  const Rendering rendering = render(level_stage(), {ball_at({0, 0, 2}, 0.2)}, view);
  for (std::size_t i = 0; i < rendering.depth.size(); ++i) ASSERT_EQ(rendering.depth[i] > 0, rendering.person[i] == 1);
}

TEST(Render, ColoursStayOnTheSurfaceWhenTheEyeMoves) {
  const Stage stage = level_stage();
  const std::vector<Part> parts{ball_at({0, 0, 2}, 0.5)};
  View view;
  const Rendering left = render(stage, parts, view);
  constexpr double baseline = 0.12;
  view.eye = {baseline, 0, 0};
  const Rendering right = render(stage, parts, view);
  // the colour at the disparity of the depth, against that half a pixel and more beside it
  double matched = 0, beside = 0;
  int count = 0;
  for (int v = 20; v < 100; ++v) {
    for (int u = 30; u < 130; ++u) {
      const double disparity = 130 * baseline / left.depth[pixel(left, u, v)];
      const auto difference = [&](double at) {
        const auto whole = static_cast<int>(std::floor(at));
        const double part = at - whole;
        const double seen = (1 - part) * right.colour.bgr[3 * pixel(right, whole, v)] +
                            part * right.colour.bgr[3 * pixel(right, whole + 1, v)];
        return std::abs(seen - left.colour.bgr[3 * pixel(left, u, v)]);
      };
      matched += difference(u - disparity);
      beside += std::min(difference(u - disparity - 2), difference(u - disparity + 2));
      ++count;
    }
  }
  EXPECT_LT(matched / count, 8);
  EXPECT_GT(beside, 1.3 * matched);
}

TEST(Sensor, WithoutNoiseDepthIsRoundedToMillimetresAndNothingElse) {
  const Stage stage = level_stage();
  const Rendering rendering = render(stage, {ball_at({0, 0, 2}, 0.5)}, {});
  const auto depth = measure_depth(rendering, stage.camera, {0, 1}, 0);
  for (std::size_t i = 0; i < depth.size(); ++i) ASSERT_NEAR(depth[i], 1000 * rendering.depth[i], 0.501);
}

TEST(Sensor, NoiseGrowsWithTheSquareOfTheDistance) {
  Stage stage = level_stage();
  stage.camera = {640, 480, 525, 525, 319.5, 239.5};
  stage.floor = -100;
  double spread[2];
  for (int i = 0; i < 2; ++i) {
    stage.wall = i == 0 ? 1.5 : 3.0;
    const auto depth = measure_depth(render(stage, {}, {}), stage.camera, {1, 5}, 0);
    double sum = 0;
    std::size_t count = 0, outliers = 0;
    for (std::uint16_t value : depth) {
      const double error = value / 1000.0 - stage.wall;
      if (std::abs(error) > (i == 0 ? 0.04 : 0.15)) {  // eight deviations and more
        ++outliers;
      } else {
        sum += error * error;
        ++count;
      }
    }
    spread[i] = std::sqrt(sum / static_cast<double>(count));
    // 0.6 % less those that fall near the wall by chance
    EXPECT_NEAR(static_cast<double>(outliers) / static_cast<double>(depth.size()), 0.0059, 0.0005);
  }
  EXPECT_NEAR(spread[1] / spread[0], 4, 0.5);
  EXPECT_NEAR(spread[1], 0.0153, 0.003);  // 13 mm of noise and 8 mm of steps
}

TEST(Sensor, HolesStandBesideDepthEdges) {
  const Stage stage = level_stage();
  const auto depth = measure_depth(render(stage, {ball_at({0, 0, 2}, 0.5)}, {}), stage.camera, {1, 5}, 0);
  std::size_t inside = 0, outside = 0;
  for (int v = 0; v < 120; ++v) {
    for (int u = 0; u < 160; ++u) {
      const double radius = std::hypot(u - 79.5, v - 59.5) - 33.6;  // pixels from the outline
      if (depth[static_cast<std::size_t>(v) * 160 + static_cast<std::size_t>(u)] != 0) continue;
      (std::abs(radius) < 4 ? inside : outside) += 1;
    }
  }
  EXPECT_GT(inside, 200u);
  EXPECT_LT(outside, 20u);
}

TEST(Sensor, ThePersonCastsAShadowToOneSide) {
  Stage stage = level_stage();
  stage.camera = {640, 480, 525, 525, 319.5, 239.5};
  const auto depth = measure_depth(render(stage, {ball_at({0, 0, 2}, 0.3)}, {}), stage.camera, {1, 5}, 0);
  // the row through the centre: columns beside the outline, at 79.6 pixels from the middle, without depth
  const std::size_t row = std::size_t{240} * 640;
  int left = 0, right = 0;
  for (std::size_t i = 3; i < 40; ++i) {
    left += depth[row + 239 - i] == 0 ? 1 : 0;
    right += depth[row + 400 + i] == 0 ? 1 : 0;
  }
  EXPECT_NEAR(left, 7, 2);  // 525 * 0.075 (1 / 1.98 - 1 / 4) pixels, less the three at the outline
  EXPECT_LT(right, 2);
}

TEST(Sensor, PointsLieOnTheSurfacesButForOutliers) {
  const Stage stage = level_stage();
  const Rendering rendering = render(stage, {ball_at({0, 0, 2}, 0.5)}, {});
  const std::vector<float> points = scan_points(rendering, stage.camera, {1, 9}, 3);
  ASSERT_EQ(points.size() % 3, 0u);
  std::size_t on_ball = 0, in_room = 0;
  for (std::size_t i = 0; i < points.size(); i += 3) {
    const Vec3 p{points[i], points[i + 1], points[i + 2]};
    on_ball += std::abs(norm(p - Vec3{0, 0, 2}) - 0.5) < 0.1;
    in_room += std::abs(p.y - 1) < 0.1 || std::abs(p.z - 4) < 0.3;
  }
  EXPECT_GT(on_ball, 900u);
  EXPECT_GT(in_room, 100u);
  EXPECT_LT(points.size() / 3 - on_ball - in_room, points.size() / 3 / 50);
}

}  // namespace
}  // namespace kinema::synth
