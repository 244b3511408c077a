// The SIMD kernels that find contacts against touch_point() and touch_ray() with every capsule.
#include "body/refine/contacts_cpu.h"
#include "kinema/body.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace kinema::body {
namespace {

using Neighbours = PointList::Neighbours;

struct Scene {
  std::vector<float> capsules;
  std::vector<Vec3f> points;
};

// Capsules about 2.5 m away, spheres among them, and points on a person's scale; `spread` 1: anywhere about it.
Scene random_scene(std::mt19937& random, std::size_t capsules, std::size_t points, float spread) {
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> radius(0.02f, 0.2f);
  Scene scene;
  for (std::size_t k = 0; k < capsules; ++k) {
    const Vec3f a{0.3f * normal(random), 0.5f * normal(random), 2.5f + 0.2f * normal(random)};
    const float length = k % 5 == 0 ? 0 : 0.3f;
    const float r = radius(random);
    for (const float number : {a.x, a.y, a.z, r, a.x + length * normal(random), a.y + length * normal(random),
                               a.z + length * normal(random)})
      scene.capsules.push_back(number);
  }
  for (std::size_t i = 0; i < points; ++i) {
    const float* capsule = scene.capsules.data() + random() % capsules * capsule_floats;
    scene.points.push_back({capsule[0] + spread * normal(random), capsule[1] + spread * normal(random),
                            capsule[2] + spread * normal(random)});
  }
  return scene;
}

TEST(Contacts, AreThoseOfTheNearestCapsule) {
  std::mt19937 random(1);
  ContactBlock contacts;
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t counts[] = {1, 3, 16, 17, 48, 120};
    const Scene scene = random_scene(random, counts[random() % 6], 1 + random() % 400, trial % 3 == 0 ? 1.0f : 0.1f);
    const Skin skin(scene.capsules);
    const PointList points(scene.points, Neighbours::in_space);
    ASSERT_EQ(points.size(), scene.points.size());
    const ContactWeights weights{0.15f, 0.1f, trial % 2 == 0 ? 0.0f : 3.0f};
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i % contact_block == 0) touch_points(skin, points.blocks()[i / contact_block], weights, contacts);
      const std::size_t at = i % contact_block;
      float nearest = 1e30f;
      for (std::size_t k = 0; k < skin.size(); ++k) nearest = std::min(nearest, signed_distance(skin[k], points[i]));
      const Segment& own = skin[static_cast<std::size_t>(contacts.capsule[at])];
      ASSERT_NEAR(signed_distance(own, points[i]), nearest, 1e-5f);
      const Contact contact = touch_point(own, points[i]);
      ASSERT_NEAR(contacts.distance[at], contact.distance, 1e-5f);
      ASSERT_NEAR(norm(Vec3f{contacts.nx[at], contacts.ny[at], contacts.nz[at]} - contact.normal), 0, 1e-3f);
      ASSERT_NEAR(norm(Vec3f{contacts.footx[at], contacts.footy[at], contacts.footz[at]} - contact.foot), 0, 1e-5f);
      const bool ignored = std::abs(nearest) >= weights.reach;
      if (std::abs(std::abs(nearest) - weights.reach) < 1e-5f) continue;
      const double across = share_across(contact.normal, points[i], weights.noise2);
      const double ratio = contact.distance / weights.tau;
      const double share = ignored ? 0 : std::max(0.0, 1 - across * ratio * ratio);
      ASSERT_NEAR(contacts.weight[at], across * share * share, 1e-3);
      ASSERT_NEAR(contacts.cost[at], 1 - share * share * share, 1e-3);
    }
  }
}

TEST(Contacts, AreThoseThatRaysMeetWherePointsErrAlongThem) {
  std::mt19937 random(4);
  ContactBlock contacts;
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t counts[] = {1, 3, 16, 17, 48, 120};
    const Scene scene = random_scene(random, counts[random() % 6], 1 + random() % 400, trial % 3 == 0 ? 1.0f : 0.1f);
    const Skin skin(scene.capsules);
    const PointList points(scene.points, Neighbours::in_space);
    const ContactWeights weights{0.08f, 0.08f, trial % 2 == 0 ? 0.5f : 5.0f, true};
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i % contact_block == 0) touch_points(skin, points.blocks()[i / contact_block], weights, contacts);
      const std::size_t at = i % contact_block;
      float nearest = 1e30f;
      for (std::size_t k = 0; k < skin.size(); ++k)
        nearest = std::min(nearest, projective_distance(skin[k], points[i], weights.noise2));
      const Segment& own = skin[static_cast<std::size_t>(contacts.capsule[at])];
      ASSERT_NEAR(projective_distance(own, points[i], weights.noise2), nearest, 2e-5f);
      const Contact contact = touch_projective(own, points[i], weights.noise2);
      // near the axis of a capsule the direction from it is anything
      if (std::abs(contacts.distance[at] - contact.distance) > 1e-3f) {
        ASSERT_LT(norm(points[i] - contact.foot), 0.5f * own.radius + 0.5f);
        continue;
      }
      const bool ignored = std::abs(nearest) >= weights.reach;
      if (std::abs(std::abs(nearest) - weights.reach) < 1e-4f) continue;
      const double across = share_across(contact.normal, points[i], weights.noise2);
      const double ratio = contact.distance / weights.tau;
      const double share = ignored ? 0 : std::max(0.0, 1 - across * ratio * ratio);
      ASSERT_NEAR(contacts.weight[at], across * share * share, 5e-3);
      ASSERT_NEAR(contacts.cost[at], 1 - share * share * share, 5e-3);
    }
  }
}

TEST(Contacts, OfRaysAreWithTheCapsuleThatBlocksThemMostDeeply) {
  std::mt19937 random(2);
  ContactBlock contacts;
  std::size_t blocked = 0;
  for (int trial = 0; trial < 60; ++trial) {
    Scene scene = random_scene(random, 1 + random() % 60, 1 + random() % 400, 0.2f);
    // most of them behind the person, and some all around the camera
    for (std::size_t i = 0; i < scene.points.size(); ++i)
      scene.points[i] = (i % 3 == 0 ? 1.0f : 2.0f) * scene.points[i];
    if (trial % 4 == 0)
      for (std::size_t i = 0; i < scene.points.size(); i += 2) scene.points[i] = -1.0f * scene.points[i];
    const Skin skin(scene.capsules);
    const PointList points(scene.points, Neighbours::in_direction);
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i % contact_block == 0) deepest_obstacles(skin, points.blocks()[i / contact_block], contacts);
      const std::size_t at = i % contact_block;
      float deepest = 0;
      for (std::size_t k = 0; k < skin.size(); ++k) deepest = std::min(deepest, touch_ray(skin[k], points[i]).distance);
      ASSERT_NEAR(contacts.distance[at], deepest, 1e-4f);
      if (contacts.capsule[at] < 0) continue;
      ++blocked;
      ASSERT_NEAR(touch_ray(skin[static_cast<std::size_t>(contacts.capsule[at])], points[i]).distance, deepest, 1e-4f);
    }
  }
  EXPECT_GT(blocked, 1000u);
}

TEST(PointList, HoldsEveryPointOnceNearItsNeighbours) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<Vec3f> points;
  points.reserve(5000);
  for (int i = 0; i < 5000; ++i) points.push_back({uniform(random), uniform(random), 3.0f});
  const PointList list(points, Neighbours::in_space);
  std::vector<float> given, held;
  for (std::size_t i = 0; i < points.size(); ++i) {
    given.push_back(points[i].x);
    held.push_back(list[i].x);
  }
  std::sort(given.begin(), given.end());
  std::sort(held.begin(), held.end());
  EXPECT_EQ(given, held);
  double reach = 0;
  for (const PointBlock& block : list.blocks()) reach += block.parts[0].reach;
  // 16 of 5000 points on 4 square metres: a square of 0.11 m
  EXPECT_LT(reach / static_cast<double>(list.blocks().size()), 0.2);
}

TEST(PointList, IsThinnedEvenly) {
  std::vector<Vec3f> points;
  points.reserve(4096);
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) points.push_back({static_cast<float>(x), static_cast<float>(y), 100});
  }
  const PointList some = PointList(points, Neighbours::in_space).thinned(256);
  ASSERT_EQ(some.size(), 256u);
  std::vector<int> quarters(16, 0);
  for (std::size_t i = 0; i < some.size(); ++i)
    ++quarters[static_cast<std::size_t>(some[i].y / 16) * 4 + static_cast<std::size_t>(some[i].x / 16)];
  for (const int count : quarters) EXPECT_EQ(count, 16);
}

TEST(PointList, TakesPointsAtOnePlaceAndVeryFarOnes) {
  const PointList same(std::vector<Vec3f>(100, {0, 0, 1}), Neighbours::in_space);
  EXPECT_EQ(same.size(), 100u);
  const PointList far({{0, 0, 1}, {1e18f, 0, 1}, {0, -1e18f, 1e18f}}, Neighbours::in_direction);
  EXPECT_EQ(far.size(), 3u);
  EXPECT_EQ(PointList({}, Neighbours::in_space).size(), 0u);
  EXPECT_EQ(PointList().thinned(5).size(), 0u);
}

}  // namespace
}  // namespace kinema::body
