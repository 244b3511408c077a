// Rays meet rounded cones where geometry says they do.
#include "synth/part.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace kinema::synth {
namespace {

Part upright(Vec3 origin, double height, double start, double end) {
  Part part;
  part.origin = origin;
  part.axes = {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
  part.height = height;
  part.start = start;
  part.end = end;
  return part;
}

// Distance to the surface of a rounded cone without stretch, negative inside: the greatest lead over any of the balls
// between both ends, found by search.
double distance(const Part& part, Vec3 p) {
  const Vec3 q = part.to_own(p - part.origin);
  double best = 1e9;
  constexpr int steps = 20000;
  for (int i = 0; i <= steps; ++i) {
    const double s = static_cast<double>(i) / steps;
    best = std::min(best, norm(q - Vec3{0, s * part.height, 0}) - (part.start + s * (part.end - part.start)));
  }
  return best;
}

TEST(Part, ABallIsMetAtItsFront) {
  const SeenPart ball(upright({0, 0, 3}, 0, 0.5, 0.5), {0, 0, 0});
  const auto hit = ball.hit({0, 0, 1});
  ASSERT_TRUE(hit);
  EXPECT_DOUBLE_EQ(hit->t, 2.5);
  EXPECT_DOUBLE_EQ(hit->normal.z, -1);
  EXPECT_FALSE(ball.hit({0, 0.2, 1}));  // passes it
  EXPECT_FALSE(ball.hit({0, 0, -1}));   // looks away
}

TEST(Part, StretchMakesAnEllipsoid) {
  Part part = upright({0, 0, 3}, 0, 1, 1);
  part.stretch = {0.2, 0.3, 0.5};
  const SeenPart egg(part, {0, 0, 0});
  EXPECT_DOUBLE_EQ(egg.hit({0, 0, 1})->t, 2.5);
  // the outline at x: |x| = 0.2 at z = 3 is seen a little before
  const double slope = 0.2 / std::sqrt(9 - 0.25);
  EXPECT_TRUE(egg.hit({slope * 0.9999, 0, 1}));
  EXPECT_FALSE(egg.hit({slope * 1.0001, 0, 1}));
}

TEST(Part, TheSideOfAConeIsMetWhereItsBallsTouchIt) {
  // radii 0.2 and 0.1, 0.5 apart: at the height y the side is (0.2 - 0.2 y) / cos wide
  const SeenPart cone(upright({0, -0.25, 2}, 0.5, 0.2, 0.1), {0, 0, 0});
  const double cosine = std::sqrt(1 - 0.04);
  const auto hit = cone.hit({0, 0, 1});
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->t, 2 - (0.2 - 0.25 * 0.2) / cosine, 1e-12);
  EXPECT_NEAR(hit->normal.y, 0.2, 1e-12);
  EXPECT_NEAR(hit->normal.z, -cosine, 1e-12);
}

TEST(Part, ABallThatHoldsTheOtherIsAllThatIsSeen) {
  for (const auto& [start, end, front] : {std::tuple{0.5, 0.1, 2.5}, {0.1, 0.5, 2.5}}) {
    const double centre = start > end ? 0 : -0.2;
    const SeenPart part(upright({0, centre, 3}, 0.2, start, end), {0, 0, 0});
    EXPECT_NEAR(part.hit({0, 0, 1})->t, front, 1e-12);
  }
}

TEST(Part, ClothStandsOffByNoMoreThanItIsLooseAndMovesWithThePart) {
  Part part = upright({0, -0.25, 2}, 0.5, 0.12, 0.1);
  part.loose = 0.03;
  part.folds = 7;
  part.rest_axes = part.axes;
  const auto depths = [](const Part& bare, Vec3 moved) {
    const SeenPart seen(inflated(bare, bare.loose), moved), skin(bare, moved);
    std::vector<double> off;
    for (int i = -8; i <= 8; ++i) {
      const Vec3 direction{0, 0.012 * i, 1};
      const auto cloth = seen.hit_cloth(direction, bare, moved), below = skin.hit(direction);
      off.push_back(cloth && below ? below->t - cloth->t : -1);
    }
    return off;
  };
  const std::vector<double> off = depths(part, {0, 0, 0});
  for (double metres : off) {
    EXPECT_GT(metres, 0);
    EXPECT_LT(metres, 0.0305);  // the ray is a little longer than the way along the normal
  }
  EXPECT_GT(*std::max_element(off.begin(), off.end()) - *std::min_element(off.begin(), off.end()), 0.005);
  // part and eye elsewhere: the same folds
  Part other = part;
  other.origin = other.origin + Vec3{0.3, -0.2, 0.5};
  const std::vector<double> same = depths(other, {0.3, -0.2, 0.5});
  for (std::size_t i = 0; i < off.size(); ++i) EXPECT_NEAR(off[i], same[i], 1e-9);
}

TEST(Part, EveryHitLiesOnTheSurfaceAndNothingBeforeIt) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-1, 1);
  int hits = 0;
  for (int round = 0; round < 300; ++round) {
    Part part = upright({0.3 * any(random), 0.3 * any(random), 3}, 0.2 + 0.4 * std::abs(any(random)),
                        0.05 + 0.2 * std::abs(any(random)), 0.05 + 0.2 * std::abs(any(random)));
    const double angle = 3 * any(random);
    part.axes = {Vec3{std::cos(angle), std::sin(angle), 0}, Vec3{-std::sin(angle), std::cos(angle), 0}, Vec3{0, 0, 1}};
    if (round % 2 == 0) part.axes = {part.axes[1], part.axes[2], part.axes[0]};
    const Vec3 eye{0.2 * any(random), 0.2 * any(random), 0};
    const SeenPart seen(part, eye);
    const Vec3 direction{0.15 * any(random), 0.15 * any(random), 1};
    const auto hit = seen.hit(direction);
    // the search over balls is exact to about the square of its step
    constexpr double tolerance = 1e-6;
    if (hit) {
      ++hits;
      EXPECT_NEAR(distance(part, eye + hit->t * direction), 0, tolerance);
      EXPECT_NEAR(norm(hit->normal), 1, 1e-12);
      EXPECT_LT(dot(hit->normal, direction), 1e-9);
      EXPECT_GT(distance(part, eye + (hit->t * 0.999) * direction), -tolerance);
    } else {
      for (double t = 2; t < 4; t += 0.05) EXPECT_GT(distance(part, eye + t * direction), -tolerance);
    }
  }
  EXPECT_GT(hits, 40);
}

}  // namespace
}  // namespace kinema::synth
