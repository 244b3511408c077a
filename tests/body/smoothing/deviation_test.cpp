// What is stated of how sure joints are.
#include "body/smoothing/deviation.h"
#include "core/random.h"
#include "tracker_scene.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kinema::body {
namespace {

// The points of a standing person, moved along their rays by normal noise, with every `strays`th thrown 0.5 m off.
PointList noisy_points(const Skeleton& skeleton, const Pose& pose, double deviation, std::size_t strays) {
  const PointList clean = see(skeleton, pose).refine_points().person;
  const Random random{7, 0, 0};
  std::vector<Vec3f> points;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    double away = deviation * random.normal(static_cast<std::uint32_t>(i));
    if (strays > 0 && i % strays == 0) away = 0.5;
    const Vec3f point = clean[i];
    points.push_back((1 + static_cast<float>(away) / norm(point)) * point);
  }
  return {points, PointList::Neighbours::in_space};
}

double residual_of(double deviation, std::size_t strays) {
  const Skeleton skeleton = default_human();
  const FlatSkeleton flat(skeleton);
  const Pose pose = standing(skeleton, 2.5, 0);
  const std::vector<float> state = to_state(skeleton, pose);
  return residual_deviation(flat.view(), noisy_points(skeleton, pose, deviation, strays), state, Threads(2));
}

TEST(BodyDeviation, ResidualGrowsWithTheNoiseOfThePoints) {
  // rays meet the skin aslant, and a moved point is nearer to the skin than it was moved: two thirds to all of it
  for (double deviation : {0.005, 0.01, 0.02, 0.04}) {
    EXPECT_GT(residual_of(deviation, 0), 0.5 * deviation) << deviation;
    EXPECT_LT(residual_of(deviation, 0), 1.05 * deviation) << deviation;
  }
}

TEST(BodyDeviation, StraysHardlyChangeTheResidual) {
  // a tenth of strays moves the median from the half to five ninths of the rest: by 13 %
  EXPECT_NEAR(residual_of(0.02, 10) / residual_of(0.02, 0), 1.13, 0.1);
}

TEST(BodyDeviation, NoPointsHaveNoResidual) {
  const Skeleton skeleton = default_human();
  const FlatSkeleton flat(skeleton);
  EXPECT_EQ(residual_deviation(flat.view(), {}, to_state(skeleton, standing(skeleton, 2.5, 0)), Threads(1)), 0);
}

TEST(BodyDeviation, AJointIsAsThickAsWhatItHangsFrom) {
  const Skeleton skeleton = default_human();
  const std::vector<double> radii = flesh_radii(skeleton);
  const auto radius = [&](const char* joint) { return radii.at(static_cast<std::size_t>(skeleton.find(joint))); };
  EXPECT_GT(radius("pelvis"), radius("left_knee"));
  EXPECT_EQ(radius("left_hip"), radius("pelvis"));  // which lies within the pelvis
  EXPECT_GT(radius("left_knee"), radius("left_ankle"));
  EXPECT_EQ(radius("left_wrist"), radius("right_wrist"));
}

TEST(BodyDeviation, StatesMoreForNoisyPointsThickFleshAndFittedLengths) {
  const double variance = 0.01 * 0.01, radius = 0.05;
  const ErrorSources usual{0.02, 0.02, 0, false};
  const double stated = stated_deviation(variance, radius, usual);
  EXPECT_GT(stated, std::sqrt(variance));
  EXPECT_GT(stated_deviation(variance, radius, {0.04, 0.02, 0, false}), stated);
  EXPECT_LT(stated_deviation(variance, radius, {0.01, 0.02, 0, false}), stated);
  EXPECT_GT(stated_deviation(variance, 2 * radius, usual), stated);
  EXPECT_GT(stated_deviation(variance, radius, {0.02, 0.02, 0, true}), stated);
  EXPECT_GT(stated_deviation(variance, radius, {0.02, 0.02, 0.01, false}), stated);
}

TEST(BodyDeviation, WhatIsHiddenGainsNothingFromGoodPoints) {
  // as wide as the last frame's pose lets it be: the points elsewhere may be as clean as they like
  const double hidden = 0.1 * 0.1;
  EXPECT_GT(stated_deviation(hidden, 0.05, {0.001, 0.02, 0, false}), std::sqrt(hidden));
}

}  // namespace
}  // namespace kinema::body
