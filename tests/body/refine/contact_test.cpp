// Contacts of points and rays with a capsule, by hand.
#include "body/refine/contact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace kinema::body {
namespace {

// Along x from -1 to 1 at 2 m in front of the camera, 0.1 m thick.
Segment bar() {
  const float capsule[] = {-1, 0, 2, 0.1f, 1, 0, 2};
  return make_segment(capsule);
}

void expect_vector(Vec3f found, Vec3f expected) {
  EXPECT_NEAR(found.x, expected.x, 1e-6);
  EXPECT_NEAR(found.y, expected.y, 1e-6);
  EXPECT_NEAR(found.z, expected.z, 1e-6);
}

TEST(Contact, PointBeforeTheAxisTouchesTheNearWall) {
  const Contact contact = touch_point(bar(), {0, 0, 1.85f});
  EXPECT_NEAR(contact.distance, 0.05, 1e-6);
  expect_vector(contact.normal, {0, 0, -1});
  expect_vector(contact.foot, {0, 0, 2});
}

TEST(Contact, PointWithNoiseAlongItsRayBelongsToTheNearWall) {
  // by its place alone it is under the upper side of the bar
  const Vec3f under{0, 0.03f, 1.985f};
  EXPECT_GT(touch_point(bar(), under).normal.y, 0.85);
  for (const float noise2 : {2.0f, 5.0f, 20.0f}) {
    const Contact contact = touch_projective(bar(), under, noise2);
    EXPECT_LT(contact.normal.z, -0.9) << noise2;
    EXPECT_NEAR(contact.distance, -0.075, 0.003) << noise2;
  }
}

TEST(Contact, PointWithNoiseWhoseRayPassesIsHeldAgainstTheSide) {
  const Contact contact = touch_projective(bar(), {0, 0.13f * 2.2f / 2, 2.2f}, 10);
  EXPECT_GT(contact.normal.y, 0.9);
  EXPECT_NEAR(contact.distance, 0.03, 0.005);
}

// The likeliest place of a point before the skin, by trying all.
TEST(Contact, PointWithNoiseTouchesWhereItMostLikelyCameFrom) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (int trial = 0; trial < 2000; ++trial) {
    const float capsule[] = {0.2f * uniform(random),         0.2f * uniform(random), 3 + 0.2f * uniform(random),
                             0.1f + 0.05f * uniform(random), 0.3f * uniform(random), 0.3f * uniform(random),
                             3 + 0.1f * uniform(random)};
    const Segment s = make_segment(capsule);
    const Vec3f x{0.4f * uniform(random), 0.4f * uniform(random), 2.55f + 0.15f * uniform(random)};
    const float noise2 = 2 + uniform(random), range = norm(x);
    if (signed_distance(s, x) < 0.01f) continue;
    float least = 1e9f;
    for (float shift = -0.1f; shift < 0.8f; shift += 0.001f) {
      const float d = std::max(0.0f, signed_distance(s, x + shift / range * x));
      least = std::min(least, d * d + shift * shift / noise2);
    }
    const Contact contact = touch_projective(s, x, noise2);
    if (std::sqrt(least) > 0.12f) continue;  // ignored by the refinement
    const float found = std::sqrt(share_across(contact.normal, x, noise2)) * contact.distance;
    ASSERT_NEAR(found, std::sqrt(least), 0.004f + 0.1f * found) << trial;
  }
}

TEST(Contact, ASphereAndAPointInItsMiddleHaveFiniteProjectiveContacts) {
  const float sphere[] = {0, 0, 1, 0.2f, 0, 0, 1}, away[] = {0, 0, 1, 0.1f, 0, 0, 2};
  for (const Segment& s : {make_segment(sphere), make_segment(away)}) {
    const Contact contact = touch_projective(s, {0, 0, 1}, 4);
    EXPECT_TRUE(std::isfinite(contact.distance) && std::isfinite(norm(contact.normal) + norm(contact.foot)));
    EXPECT_LT(projective_distance(s, {0, 0, 1}, 4), 0);
  }
}

TEST(Contact, PointInsideIsBelowZero) { EXPECT_NEAR(touch_point(bar(), {0, 0, 1.97f}).distance, -0.07, 1e-6); }

TEST(Contact, PointBehindTheAxisIsHeldAgainstTheNearWall) {
  const Contact contact = touch_point(bar(), {0, 0, 2.05f});
  EXPECT_NEAR(contact.distance, -0.15, 1e-6);
  expect_vector(contact.normal, {0, 0, -1});
}

TEST(Contact, PointBeyondAnEndTouchesItsSphere) {
  const Contact contact = touch_point(bar(), {1.3f, 0, 1.6f});
  EXPECT_NEAR(contact.distance, 0.4, 1e-6);  // 3, 4, 5
  expect_vector(contact.normal, {0.6f, 0, -0.8f});
  expect_vector(contact.foot, {1, 0, 2});
}

TEST(Contact, PointOnTheAxisHasANormalToTheCamera) {
  const Contact contact = touch_point(bar(), {0, 0, 2});
  EXPECT_NEAR(contact.distance, -0.1, 1e-6);
  expect_vector(contact.normal, {0, 0, -1});
}

TEST(Contact, SphereIsACapsuleWithoutLength) {
  const float capsule[] = {0, 0, 2, 0.5f, 0, 0, 2};
  const Contact contact = touch_point(make_segment(capsule), {0, 0, 1});
  EXPECT_NEAR(contact.distance, 0.5, 1e-6);
  expect_vector(contact.normal, {0, 0, -1});
}

TEST(Contact, NoiseAlongTheRayLeavesDistancesAcrossItTheirWeight) {
  const Vec3f x{0.6f, 0, 0.8f};
  EXPECT_FLOAT_EQ(share_across({-0.8f, 0, 0.6f}, x, 9), 1);
  EXPECT_FLOAT_EQ(share_across({-0.6f, 0, -0.8f}, x, 9), 0.1f);
  EXPECT_FLOAT_EQ(share_across({0, 0, 1}, 5.0f * x, 9), 1 / (1 + 9 * 0.64f));
  EXPECT_FLOAT_EQ(share_across({0, 0, 1}, x, 0), 1);
}

TEST(Contact, RayThroughTheCapsuleIsBelowZero) {
  const Contact contact = touch_ray(bar(), {0, 0.06f, 4});  // 0.03 above the axis at 2 m
  EXPECT_NEAR(contact.distance, 0.03 - 0.1, 1e-4);          // to second order in the slope
  EXPECT_NEAR(contact.normal.y, 1, 1e-3);
}

TEST(Contact, RayBesideTheCapsuleIsAboveZero) {
  EXPECT_NEAR(touch_ray(bar(), {0, 0.4f, 4}).distance, 0.2 * 2 / std::sqrt(4.04) - 0.1, 1e-6);
}

TEST(Contact, RayThatEndsBeforeTheCapsuleKnowsNothingOfIt) {
  EXPECT_GT(touch_ray(bar(), {0, 0, 1}).distance, 0);
  EXPECT_GT(touch_ray(bar(), {0, 0, -4}).distance, 0);
}

TEST(Contact, MovingTheFootAlongTheNormalShortensTheDistance) {
  const Vec3f x{0.3f, -0.08f, 1.85f}, shift{0.001f, -0.002f, -0.003f};
  const Contact contact = touch_point(bar(), x);
  Segment moved = bar();
  moved.a = moved.a + shift;
  EXPECT_NEAR(touch_point(moved, x).distance - contact.distance, -dot(contact.normal, shift), 1e-4);
}

}  // namespace
}  // namespace kinema::body
