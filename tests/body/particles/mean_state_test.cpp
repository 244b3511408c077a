// The mean of poses.
#include "body/particles/mean_state.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kinema::body {
namespace {

constexpr double pi = 3.14159265358979323846;

// A joint with a hinge, and one with swing and twist that goes round almost all the way.
Skeleton arm() {
  Skeleton skeleton;
  skeleton.name = "arm";
  skeleton.joints = {
      {"base", -1, {0, 0, 0}, {}},
      {"hinge", 0, {1, 0, 0}, {{{0, 0, 1}, -2, 2, 1}}},
      {"ball", 1, {1, 0, 0}, {{{0, 0, 1}, -2, 2, 1}, {{0, 1, 0}, -2, 2, 1}, {{1, 0, 0}, -3.14, 3.14, 1}}},
  };
  skeleton.capsules = {{"hand", 2, {0, 0, 0}, {1, 0, 0}, 0.1}};
  return skeleton;
}

std::vector<float> state_of(double turn, double sign, const std::vector<double>& angles) {
  const double half = turn / 2;
  std::vector<float> state = {
      0, 0, 0, static_cast<float>(sign * std::cos(half)), 0, static_cast<float>(sign * std::sin(half)), 0};
  for (double angle : angles) state.push_back(static_cast<float>(angle));
  return state;
}

class MeanState : public ::testing::Test {
protected:
  std::vector<float> mean(const std::vector<std::vector<float>>& states, const std::vector<double>& weights) const {
    std::vector<float> flat_states;
    for (const auto& state : states) flat_states.insert(flat_states.end(), state.begin(), state.end());
    return mean_state(flat.view(), flat_states, weights);
  }

  const FlatSkeleton flat{arm()};
};

TEST_F(MeanState, OfOneIsItself) {
  const std::vector<float> state = state_of(0.7, 1, {0.3, 0.5, -0.4, 1.1});
  const std::vector<float> result = mean({state, state}, {0.25, 0.75});
  ASSERT_EQ(result.size(), state.size());
  for (std::size_t i = 0; i < state.size(); ++i) EXPECT_NEAR(result[i], state[i], 1e-5) << i;
}

TEST_F(MeanState, WeighsPositionsAndHinges) {
  std::vector<float> a = state_of(0, 1, {0, 0, 0, 0}), b = state_of(0, 1, {1, 0, 0, 0});
  b[0] = 4, b[2] = -8;
  const std::vector<float> result = mean({a, b}, {0.75, 0.25});
  EXPECT_NEAR(result[0], 1, 1e-6);
  EXPECT_NEAR(result[2], -2, 1e-6);
  EXPECT_NEAR(result[root_floats], 0.25, 1e-6);
}

TEST_F(MeanState, DoesNotMindTheSignOfAQuaternion) {
  const std::vector<float> result =
      mean({state_of(0.5, 1, {0, 0, 0, 0}), state_of(-0.5, -1, {0, 0, 0, 0})}, {0.5, 0.5});
  EXPECT_NEAR(std::abs(result[3]), 1, 1e-6);
  EXPECT_NEAR(result[5], 0, 1e-6);
}

TEST_F(MeanState, TurnsTheShortWayRound) {
  // 170 degrees and -170 degrees: the mean is half a turn, not none
  const std::vector<float> result =
      mean({state_of(170 * pi / 180, 1, {0, 0, 0, 0}), state_of(-170 * pi / 180, 1, {0, 0, 0, 0})}, {0.5, 0.5});
  EXPECT_NEAR(std::abs(result[5]), 1, 1e-6);
  EXPECT_NEAR(result[3], 0, 1e-6);
}

TEST_F(MeanState, TwistsAreAveragedAsRotationsAndKeepTheirLimits) {
  const std::vector<float> result = mean({state_of(0, 1, {0, 0, 0, 3.0}), state_of(0, 1, {0, 0, 0, -3.0})}, {0.5, 0.5});
  EXPECT_GT(std::abs(result.back()), 3.1f);
  EXPECT_LE(std::abs(result.back()), 3.14f);
}

TEST_F(MeanState, JointAnglesInvertTheRotation) {
  const FlatJoint& ball = flat.view().joints[2];
  for (const auto& angles : {std::vector<float>{0, 0, 0}, {0.5f, -1.2f, 2.0f}, {-1.9f, 0, 0}, {0.1f, 0.1f, -3.1f}}) {
    const Quaternionf q = joint_rotation(ball, angles.data());
    double back[3] = {9, 9, 9};
    joint_angles(ball, {q.w, q.x, q.y, q.z}, back);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(back[i], angles[i], 1e-5) << i;
    // the other quaternion of the same rotation
    joint_angles(ball, {-q.w, -q.x, -q.y, -q.z}, back);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(back[i], angles[i], 1e-5) << i;
  }
}

TEST_F(MeanState, OfOppositePosesIsFinite) {
  for (float number : mean({state_of(0, 1, {0, 0, 0, pi}), state_of(pi, 1, {0, 0, 0, 0})}, {0.5, 0.5})) {
    EXPECT_TRUE(std::isfinite(number));
  }
}

}  // namespace
}  // namespace kinema::body
