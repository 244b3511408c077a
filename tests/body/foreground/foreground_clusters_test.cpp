// Which of several things is taken for the person.
#include "body/foreground/foreground_clusters.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace kinema::body {
namespace {

constexpr double floor_below = 1.1;  // metres below the camera

// The side towards the camera of an upright elliptic cylinder, from `bottom` to `top` above the floor, a point per 2 cm.
void add_pillar(std::vector<Vec3f>& points, double x, double z, double half_width, double half_depth, double bottom,
                double top) {
  for (double height = bottom; height <= top; height += 0.02)
    for (double angle = 0; angle <= std::acos(-1.0); angle += 0.02 / half_width)
      points.push_back({static_cast<float>(x + half_width * std::cos(angle)), static_cast<float>(floor_below - height),
                        static_cast<float>(z - half_depth * std::sin(angle))});
}

TEST(ForegroundClusters, JoinsThePiecesOfAPersonBeforeItIsHeldAgainstFurniture) {
  std::vector<Vec3f> points;
  // a trunk and a foot; the trousers are too plain for a disparity, but for two patches
  add_pillar(points, 0, 2.6, 0.22, 0.15, 0.85, 1.65);
  add_pillar(points, 0.1, 2.6, 0.07, 0.07, 0.48, 0.64);
  add_pillar(points, -0.1, 2.6, 0.07, 0.07, 0.05, 0.3);
  // a narrow shelf
  add_pillar(points, 1.8, 6.0, 0.3, 0.2, 0, 1.3);

  const Plane floor{{0, -1, 0}, floor_below};
  SceneContext scene;
  scene.floor = &floor;
  scene.incomplete = true;
  scene.seen = {-1, 1, -1, 1};
  const Clusters found = find_clusters(points, scene);
  ASSERT_FALSE(found.clusters.empty());
  EXPECT_NEAR(found.clusters.front().candidate.centre.z, 2.5, 0.2);
  EXPECT_GT(found.clusters.front().candidate.height, 1.3) << "with the foot";
}

TEST(ForegroundClusters, OffersWhatElseMayBeThePersonWithItsLimbs) {
  std::vector<Vec3f> points;
  add_pillar(points, 1.5, 3, 0.25, 0.2, 0, 1.7);
  // somebody whose plain trousers have no disparity, but for a foot
  add_pillar(points, -1.5, 4, 0.22, 0.15, 0.85, 1.65);
  add_pillar(points, -1.6, 4, 0.07, 0.07, 0.48, 0.64);
  add_pillar(points, -1.6, 4, 0.07, 0.07, 0.05, 0.3);
  // a picture on the wall
  add_pillar(points, 0, 6, 0.2, 0.02, 1.4, 1.7);

  const Plane floor{{0, -1, 0}, floor_below};
  SceneContext scene;
  scene.floor = &floor;
  scene.incomplete = true;
  scene.seen = {-1, 1, -1, 1};
  const Clusters found = find_clusters(points, scene);
  const std::vector<Cluster> rivals = rivals_of(found, scene);
  ASSERT_EQ(rivals.size(), 1u);
  const bool near_first = found.clusters.front().candidate.centre.z < 3.5;
  const Candidate& far = near_first ? rivals.front().candidate : found.clusters.front().candidate;
  EXPECT_NEAR(far.centre.x, -1.5, 0.1);
  EXPECT_GT(far.height, 1.3) << "with the foot";
  EXPECT_TRUE(rivals_of(Clusters(), scene).empty());
}

}  // namespace
}  // namespace kinema::body
