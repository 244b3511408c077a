// What a skeleton must be, and the names of its joints.
#include "kinema/skeleton.h"
#include "kinema/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace kinema::body {
namespace {

void refuses(const std::function<void(Skeleton&)>& spoil, const std::string& says) {
  SCOPED_TRACE(says);
  Skeleton skeleton = default_human();
  spoil(skeleton);
  try {
    check(skeleton);
    FAIL() << "was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    EXPECT_EQ(error.cause(), Error::Cause::input);
  }
}

TEST(Skeleton, ThatMakesNoSenseIsRefused) {
  check(default_human());
  refuses([](Skeleton& s) { s.joints.clear(); }, "has no joint");
  refuses([](Skeleton& s) { s.joints[3].parent = 5; }, "has the parent 5");
  refuses([](Skeleton& s) { s.joints[3].parent = 3; }, "has the parent 3");
  refuses([](Skeleton& s) { s.joints[3].parent = -1; }, "has the parent -1");
  refuses([](Skeleton& s) { s.joints[0].parent = 0; }, "has the parent 0");
  refuses([](Skeleton& s) { s.joints[4].name = "neck"; }, "two joints have the name neck");
  refuses([](Skeleton& s) { s.joints[4].name.clear(); }, "joint 4 has no name");
  refuses([](Skeleton& s) { s.joints[0].freedoms = s.joints[1].freedoms; }, "give it no freedoms");
  refuses([](Skeleton& s) { s.joints[2].offset.x = NAN; }, "offset that is not finite");
  refuses([](Skeleton& s) { s.joints[1].freedoms[0].axis = {2, 0, 0}; }, "axis of length 2");
  refuses([](Skeleton& s) { s.joints[1].freedoms[0].axis = {NAN, 0, 0}; }, "axis of length nan");
  refuses([](Skeleton& s) { s.joints[1].freedoms[1].axis = s.joints[1].freedoms[0].axis; }, "right angles");
  refuses([](Skeleton& s) { s.joints[1].freedoms[0].lower = 2; }, "the lower first");
  refuses([](Skeleton& s) { s.joints[1].freedoms[0].upper = INFINITY; }, "give finite ones");
  refuses([](Skeleton& s) { s.joints[1].freedoms[0].speed = -1; }, "has the speed -1");
  refuses([](Skeleton& s) { s.joints[1].freedoms.push_back(s.joints[1].freedoms[0]); }, "has 4 freedoms");
  refuses([](Skeleton& s) { s.capsules[0].joint = 99; }, "is on joint 99");
  refuses([](Skeleton& s) { s.capsules[0].joint = -1; }, "is on joint -1");
  refuses([](Skeleton& s) { s.capsules[0].radius = 0; }, "radius above 0");
  refuses([](Skeleton& s) { s.capsules[0].a.z = INFINITY; }, "ends must be finite");
  refuses([](Skeleton& s) { s.capsules.resize(max_capsules + 1, s.capsules[0]); }, "the limits are");
  refuses([](Skeleton& s) { s.joints.resize(max_joints + 1, s.joints[1]); }, "the limits are");
}

TEST(Skeleton, OfTheDefaultHumanHasItsSizes) {
  const Skeleton human = default_human();
  EXPECT_EQ(human.joints.size(), 21u);
  EXPECT_EQ(human.angle_count(), 40u);
  EXPECT_EQ(human.capsules.size(), 40u);
  for (std::string_view name : common_joints) EXPECT_GE(human.find(name), 0) << name;
  EXPECT_EQ(human.find("tail"), -1);
  for (double height : {0.0, -1.7, 0.2, 17.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    EXPECT_THROW(default_human(height), Error) << height;
  }
}

TEST(Skeleton, ScalesAllItsLengths) {
  const Skeleton human = default_human(), large = scaled(human, 2);
  for (std::size_t j = 0; j < human.joints.size(); ++j) {
    EXPECT_DOUBLE_EQ(large.joints[j].offset.y, 2 * human.joints[j].offset.y);
  }
  for (std::size_t k = 0; k < human.capsules.size(); ++k) {
    EXPECT_DOUBLE_EQ(large.capsules[k].radius, 2 * human.capsules[k].radius);
    EXPECT_DOUBLE_EQ(large.capsules[k].b.x, 2 * human.capsules[k].b.x);
  }
  EXPECT_THROW(scaled(human, 0), Error);
  EXPECT_THROW(scaled(human, -1), Error);
  EXPECT_THROW(scaled(human, NAN), Error);
}

TEST(Skeleton, JointsAreKnownUnderTheNamesOfOthers) {
  for (std::string_view name : common_joints) EXPECT_EQ(common_joint(name), name);
  EXPECT_EQ(common_joint("Hips"), "pelvis");
  EXPECT_EQ(common_joint("LeftArm"), "left_shoulder");
  EXPECT_EQ(common_joint("LeftForeArm"), "left_elbow");
  EXPECT_EQ(common_joint("LeftHand"), "left_wrist");
  EXPECT_EQ(common_joint("RightUpLeg"), "right_hip");
  EXPECT_EQ(common_joint("RIGHTLEG"), "right_knee");
  EXPECT_EQ(common_joint("mixamorig:RightFoot"), "right_ankle");
  EXPECT_EQ(common_joint("a:b:Neck"), "neck");
  EXPECT_EQ(common_joint("foot_l"), "left_ankle");
  EXPECT_EQ(common_joint("Spine2"), "");
  EXPECT_EQ(common_joint(""), "");
  EXPECT_EQ(common_joint("mixamorig:"), "");
}

}  // namespace
}  // namespace kinema::body
