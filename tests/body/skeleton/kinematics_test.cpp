// Forward kinematics against places that were worked out by hand.
#include "body/skeleton/kinematics.h"
#include "kinema/error.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kinema::body {
namespace {

constexpr double pi = 3.14159265358979323846;

Skeleton chain() {
  Skeleton skeleton;
  skeleton.name = "chain";
  skeleton.joints = {
      {"base", -1, {0, 0, 0}, {}},
      {"hinge", 0, {1, 0, 0}, {{{0, 0, 1}, -2, 2, 1}}},
      {"ball", 1, {1, 0, 0}, {{{0, 0, 1}, -2, 2, 1}, {{0, 1, 0}, -2, 2, 1}, {{1, 0, 0}, -2, 2, 1}}},
      {"tip", 2, {0, 1, 0}, {}},
  };
  skeleton.capsules = {{"forearm", 1, {0, 0, 0}, {1, 0, 0}, 0.25}};
  return skeleton;
}

void expect_at(const Vec3& place, double x, double y, double z) {
  EXPECT_NEAR(place.x, x, 1e-6);
  EXPECT_NEAR(place.y, y, 1e-6);
  EXPECT_NEAR(place.z, z, 1e-6);
}

TEST(Kinematics, AHingeTurnsWhatHangsOnIt) {
  const std::vector<Vec3> joints = joint_positions(chain(), {{0, 0, 5}, {1, 0, 0, 0}, {pi / 2, 0, 0, 0}});
  expect_at(joints[0], 0, 0, 5);
  expect_at(joints[1], 1, 0, 5);
  expect_at(joints[2], 1, 1, 5);
  expect_at(joints[3], 0, 1, 5);
}

TEST(Kinematics, TheRootTurnsEverything) {
  // a quarter turn about y takes x to -z
  const double half = std::sqrt(0.5);
  const std::vector<Vec3> joints = joint_positions(chain(), {{1, 2, 3}, {half, 0, half, 0}, {0, 0, 0, 0}});
  expect_at(joints[1], 1, 2, 2);
  expect_at(joints[2], 1, 2, 1);
  expect_at(joints[3], 1, 3, 1);
}

TEST(Kinematics, TheTwistComesBeforeTheSwing) {
  // the tip at y: a quarter twist about x takes it to z, then a quarter swing about y takes it to x
  const std::vector<Vec3> joints = joint_positions(chain(), {{0, 0, 0}, {1, 0, 0, 0}, {0, 0, pi / 2, pi / 2}});
  expect_at(joints[3], 3, 0, 0);
}

TEST(Kinematics, ASwingIsOneRotationVector) {
  // about (0, 1, 1)/sqrt 2 by half a turn: y and z change places
  const double each = pi * std::sqrt(0.5);
  Skeleton free = chain();
  for (Freedom& freedom : free.joints[2].freedoms) freedom.lower = -4, freedom.upper = 4;
  const std::vector<Vec3> joints = joint_positions(free, {{0, 0, 0}, {1, 0, 0, 0}, {0, each, each, 0}});
  expect_at(joints[3], 2, 0, 1);
}

TEST(Kinematics, CapsulesGoWithTheirJoint) {
  const std::vector<float> skin = pose_capsules(chain(), {{0, 0, 5}, {1, 0, 0, 0}, {pi / 2, 0, 0, 0}});
  const float expected[] = {1, 0, 5, 0.25f, 1, 1, 5};
  ASSERT_EQ(skin.size(), 7u);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(skin[i], expected[i], 1e-6) << i;
}

TEST(Kinematics, RotationsAreThoseOfTheJoints) {
  const std::vector<Quaternion> rotations = joint_rotations(chain(), {{0, 0, 0}, {1, 0, 0, 0}, {pi / 2, 0, 0, 0}});
  EXPECT_NEAR(rotations[0].w, 1, 1e-6);
  for (std::size_t j = 1; j < 4; ++j) {
    EXPECT_NEAR(rotations[j].w, std::sqrt(0.5), 1e-6);
    EXPECT_NEAR(rotations[j].z, std::sqrt(0.5), 1e-6);
  }
}

TEST(Kinematics, TheRestPoseStandsUprightBeforeTheCamera) {
  const Skeleton human = default_human(1.8);
  const std::vector<Vec3> joints = joint_positions(human, rest_pose(human, 3));
  const auto at = [&](const char* name) { return joints[static_cast<std::size_t>(human.find(name))]; };
  expect_at(at("pelvis"), 0, 0, 3);
  EXPECT_LT(at("head").y, -0.3);          // y points down
  EXPECT_GT(at("left_ankle").y, 0.7);     // and so the feet are there
  EXPECT_GT(at("left_shoulder").x, 0.1);  // who looks at the camera has the left hand at its right
  EXPECT_LT(at("right_shoulder").x, -0.1);
  EXPECT_LT(at("left_toe").z, at("left_ankle").z - 0.05);  // toes point to the camera
  double top = 9, bottom = -9;
  const std::vector<float> skin = pose_capsules(human, rest_pose(human, 3));
  for (std::size_t k = 0; k < skin.size(); k += capsule_floats) {
    for (std::size_t end : {k, k + 4}) {
      top = std::min<double>(top, skin[end + 1] - skin[k + 3]);
      bottom = std::max<double>(bottom, skin[end + 1] + skin[k + 3]);
    }
  }
  EXPECT_NEAR(bottom - top, 1.8, 0.03);
}

TEST(Kinematics, StatesAndPosesAreTheSame) {
  Pose pose{{1, 2, 3}, {2, 0, 0, 0}, {0.1, 0.2, 0.3, 0.4}};
  const std::vector<float> state = to_state(chain(), pose);
  ASSERT_EQ(state.size(), 11u);
  EXPECT_EQ(state[3], 1);  // normalised
  const Pose back = to_pose(state);
  expect_at(back.position, 1, 2, 3);
  ASSERT_EQ(back.angles.size(), 4u);
  EXPECT_NEAR(back.angles[3], 0.4, 1e-6);
  pose.angles.push_back(0);
  EXPECT_THROW(to_state(chain(), pose), Error);
  EXPECT_THROW(joint_positions(chain(), pose), Error);
}

TEST(Kinematics, ExponentialAndLogarithmInvertEachOther) {
  for (const Vec3 v : {Vec3{0, 0, 0}, Vec3{1e-9, 0, 0}, Vec3{0.3, -2, 1}, Vec3{0, 3.1415, 0}}) {
    const Vec3 back = logarithm(exponential(v));
    EXPECT_NEAR(norm(back - v), 0, 1e-9);
  }
}

}  // namespace
}  // namespace kinema::body
