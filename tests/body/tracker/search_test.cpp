// The search that finds a person without a pose to start from.
#include "body/tracker/search.h"
#include "tracker_scene.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kinema::body {
namespace {

constexpr double pi = 3.14159265358979323846;

// Where a person looks, about the vertical: 0 at the camera.
double facing_of(const std::vector<float>& state) {
  const Vec3f ahead = rotate(Quaternionf{state[3], state[4], state[5], state[6]}, Vec3f{0, 0, 1});
  return std::atan2(-ahead.x, -ahead.z);
}

double facing_of(const Skeleton& skeleton, const Pose& pose) { return facing_of(to_state(skeleton, pose)); }

class Facing : public ::testing::TestWithParam<double> {};

TEST_P(Facing, AndPositionAreFound) {
  const Skeleton skeleton = default_human();
  Pose truth = standing(skeleton, 2.5, GetParam());
  truth.position.x = 0.3;
  // one arm up makes sides tell
  turn(skeleton, truth, "left_shoulder", 1, -0.6);
  turn(skeleton, truth, "left_elbow", 0, 1.2);
  const SeenPoints seen = see(skeleton, truth);
  const std::vector<SearchResult> found = search(skeleton, seen.refine_points(), {}, Threads(2));
  ASSERT_FALSE(found.empty());
  const SearchResult& best = found.front();
  EXPECT_EQ(best.size, 1);
  EXPECT_TRUE(within_limits(skeleton, best.state));
  const Pose pose = to_pose(best.state);
  EXPECT_LT(distance(pose.position, truth.position), 0.05);
  EXPECT_LT(std::abs(std::remainder(facing_of(best.state) - facing_of(skeleton, truth), 2 * pi)), 0.35);
  EXPECT_LT(mean_error(joint_positions(skeleton, pose), joint_positions(skeleton, truth)), 0.08);
  for (std::size_t i = 1; i < found.size(); ++i) EXPECT_GE(found[i].cost, found[i - 1].cost);
}

// front, one side, the other, back
INSTANTIATE_TEST_SUITE_P(BodySearch, Facing, ::testing::Values(0.0, pi / 2, -pi / 2, pi));

TEST(BodySearch, ChoosesTheSizeThatFits) {
  const Skeleton skeleton = default_human();
  const Skeleton large = scaled(skeleton, 1.12);
  SearchSettings settings;
  settings.sizes = {0.88, 1.0, 1.12};
  const SeenPoints seen = see(large, standing(large, 2.7, 0.3));
  const std::vector<SearchResult> found = search(skeleton, seen.refine_points(), settings, Threads(2));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().size, 1.12);
}

TEST(BodySearch, OfSizesThatFitAlikeTakesTheCommonOne) {
  const Skeleton skeleton = default_human();
  SearchSettings settings;
  settings.sizes = {1.12, 0.88, 1.04};
  settings.facings = 1;
  const auto all_alike = [](std::span<PoseCandidate> poses, const RefineSettings&, PointShare) {
    for (PoseCandidate& pose : poses) pose.cost = 20;
  };
  const PointList person = see(skeleton, standing(skeleton, 2.5, 0)).refine_points().person;
  const std::vector<SearchResult> found = search(skeleton, person, settings, all_alike);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().size, 1.04);
}

TEST(BodySearch, StaysWhereThePelvisIsKnownToBe) {
  const Skeleton skeleton = default_human();
  const Pose truth = standing(skeleton, 2.5, 0.4);
  SearchSettings settings;
  settings.pelvis = Vec3f{0, 0, 2.5f};
  settings.points = 300;
  const std::vector<SearchResult> found = search(skeleton, see(skeleton, truth).refine_points(), settings, Threads(2));
  ASSERT_FALSE(found.empty());
  EXPECT_LT(mean_error(joint_positions(skeleton, to_pose(found.front().state)), joint_positions(skeleton, truth)),
            0.08);
}

TEST(BodySearch, FindsNobodyInTooFewPoints) {
  const Skeleton skeleton = default_human();
  EXPECT_TRUE(search(skeleton, RefinePoints{}, {}, Threads(1)).empty());
  EXPECT_TRUE(search(skeleton, noise(59).refine_points(), {}, Threads(1)).empty());
}

TEST(BodySearch, GivesTheSameBitsForAnyThreads) {
  const Skeleton skeleton = default_human();
  const RefinePoints points = see(skeleton, walking(skeleton, 0.2)).refine_points();
  SearchSettings settings;
  settings.facings = 4;
  settings.points = 150;
  const std::vector<SearchResult> one = search(skeleton, points, settings, Threads(1));
  const std::vector<SearchResult> three = search(skeleton, points, settings, Threads(3));
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].state, three[i].state);
    EXPECT_EQ(one[i].cost, three[i].cost);
  }
}

TEST(BodySearch, PointsAboutTheCameraGiveFiniteStates) {
  std::vector<Vec3f> ends;
  ends.reserve(100);
  for (int i = 0; i < 100; ++i) ends.push_back({0, 0, i % 2 == 0 ? 1.0f : -1.0f});
  RefinePoints points;
  points.person = PointList(ends, PointList::Neighbours::in_space);
  SearchSettings settings;
  settings.facings = 2;
  for (const SearchResult& found : search(default_human(), points, settings, Threads(1))) {
    for (float number : found.state) ASSERT_TRUE(std::isfinite(number));
  }
}

}  // namespace
}  // namespace kinema::body
