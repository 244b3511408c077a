// How people differ from a skeleton: statures, proportions of adults and children, and variation about them.
#include "body/skeleton/shape_space.h"

#include "body/skeleton/proportions.h"

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <cmath>

namespace kinema::body {
namespace {

Vec3 offset(const Skeleton& skeleton, const char* joint) {
  return skeleton.joints.at(static_cast<std::size_t>(skeleton.find(joint))).offset;
}
double radius(const Skeleton& skeleton, const std::string& name) {
  for (const SkinCapsule& capsule : skeleton.capsules)
    if (capsule.name == name) return capsule.radius;
  ADD_FAILURE() << name;
  return 0;
}

TEST(BodyShapeSpace, DefaultHumanIsAsTallAsAsked) {
  for (const double height : {0.95, 1.2, 1.5, 1.69, 2.0}) EXPECT_NEAR(stature(default_human(height)), height, 1e-9);
}

TEST(BodyShapeSpace, JointsOfTheDefaultHumanAreAnatomical) {
  const Skeleton adult = default_human(1.69);
  const double tall = stature(adult);
  EXPECT_EQ(offset(adult, "left_hip").y, 0);  // the pelvis is midway between the hips
  EXPECT_EQ(offset(adult, "left_hip").x, -offset(adult, "right_hip").x);
  // shares of the stature in the ANSUR II survey, both sexes
  EXPECT_NEAR(-offset(adult, "left_wrist").x / tall + 0.152, 0, 0.003);
  EXPECT_NEAR(-(offset(adult, "left_knee").y + offset(adult, "left_ankle").y) / tall, 0.48, 0.005);
  const double neck = offset(adult, "lower_back").y + offset(adult, "spine").y + offset(adult, "neck").y;
  EXPECT_NEAR(neck / tall + 0.52, 0.86, 0.01);  // cervicale height
}

TEST(BodyShapeSpace, ChildrenHaveLargerHeadsAndShorterLegs) {
  const Skeleton child = default_human(1.1), adult = default_human(1.75);
  EXPECT_GT(radius(child, "skull") / 1.1, 1.2 * radius(adult, "skull") / 1.75);
  EXPECT_LT(-offset(child, "left_knee").y / 1.1, 0.96 * -offset(adult, "left_knee").y / 1.75);
  // and no jump where childhood ends
  EXPECT_NEAR(offset(default_human(1.499), "left_knee").y, offset(default_human(1.501), "left_knee").y, 1e-3);
}

TEST(BodyShapeSpace, MeanOfTheSameSizeIsTheSkeleton) {
  const Skeleton skeleton = default_human(1.6);
  const ShapeSpace space(skeleton);
  EXPECT_EQ(space.mean(1).norm(), 0);
  const Skeleton same = space.shaped(space.mean(1));
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    EXPECT_EQ(same.joints[j].offset.x, skeleton.joints[j].offset.x);
    EXPECT_EQ(same.joints[j].offset.y, skeleton.joints[j].offset.y);
  }
}

TEST(BodyShapeSpace, CovarianceIsOneAndLetsSizeVaryMost) {
  const ShapeSpace space(default_human());
  const Eigen::MatrixXd covariance = space.covariance(0.06);
  EXPECT_LT((covariance - covariance.transpose()).norm(), 1e-15);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);
  EXPECT_GT(solver.eigenvalues().minCoeff(), 1e-5);
  // known height: lengths vary less
  const Eigen::MatrixXd known = space.covariance(0.01);
  for (Eigen::Index i = 0; i < covariance.rows(); ++i) EXPECT_LE(known(i, i), covariance(i, i));
}

TEST(BodyShapeSpace, UnknownJointsScaleWithTheWhole) {
  Skeleton thing;
  thing.joints = {{"base", -1, {}, {}}, {"tip", 0, {0, 1, 0}, {}}};
  thing.capsules = {{"rod", 0, {0, 0, 0}, {0, 1, 0}, 0.1}};
  const Skeleton larger = resized(thing, 1.5);
  EXPECT_NEAR(offset(larger, "tip").y, 1.5, 1e-9);
  EXPECT_NEAR(radius(larger, "rod"), 0.15, 1e-9);
}

TEST(BodyShapeSpace, AdultsAreCommonerThanChildren) {
  EXPECT_LT(stature_cost(1.7), stature_cost(1.2));
  EXPECT_LT(stature_cost(1.2), stature_cost(2.2));
  EXPECT_LT(stature_cost(1.2) - stature_cost(1.7), 4);  // which a few points outweigh
}

}  // namespace
}  // namespace kinema::body
