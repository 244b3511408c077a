// Poses elsewhere that are held against the tracked one.
#include "body/tracker/rival_poses.h"
#include "tracker_scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace kinema::body {
namespace {

class BodyRivalPoses : public ::testing::Test {
protected:
  float angle(const std::vector<float>& of, const char* joint, std::size_t freedom) const {
    std::size_t at = root_floats;
    for (const Joint& one : skeleton.joints) {
      if (one.name == joint) return of.at(at + freedom);
      at += one.freedoms.size();
    }
    return NAN;
  }

  // Everything that has a side is its own on the other side.
  bool swapped(const std::vector<float>& of, const std::vector<const char*>& joints) const {
    return std::all_of(joints.begin(), joints.end(), [&](const std::string& name) {
      const std::string left = "left_" + name, right = "right_" + name;
      return angle(of, left.c_str(), 0) == angle(state, right.c_str(), 0) &&
             angle(of, right.c_str(), 0) == angle(state, left.c_str(), 0);
    });
  }

  const Skeleton skeleton = default_human();
  const RivalPoses rivals{skeleton};
  const std::vector<float> state = to_state(skeleton, walking(skeleton, 0.2));
};

TEST_F(BodyRivalPoses, KeepThePlaceAndTheLimits) {
  ASSERT_GT(rivals.count(), 10u);
  std::set<std::vector<float>> different;
  for (std::size_t i = 0; i < rivals.count(); ++i) {
    const std::vector<float> rival = rivals.make(state, i);
    EXPECT_TRUE(within_limits(skeleton, rival)) << i;
    EXPECT_TRUE(std::equal(state.begin(), state.begin() + 3, rival.begin())) << i;
    const double length = std::hypot(std::hypot(rival[3], rival[4]), std::hypot(rival[5], rival[6]));
    EXPECT_NEAR(length, 1, 1e-5) << i;
    EXPECT_NE(rival, state) << i;
    different.insert(rival);
  }
  EXPECT_EQ(different.size(), rivals.count());
}

TEST_F(BodyRivalPoses, TurnAboutThePersonsOwnAxis) {
  // the first is the person taken for its own back, so limbs change sides
  const std::vector<float> back = rivals.make(state, 0);
  const Quaternionf before{state[3], state[4], state[5], state[6]}, after{back[3], back[4], back[5], back[6]};
  const Vec3f up = rotate(before, Vec3f{0, 1, 0}), up_after = rotate(after, Vec3f{0, 1, 0});
  EXPECT_NEAR(dot(up, up_after), 1, 1e-5);
  EXPECT_NEAR(dot(rotate(before, Vec3f{0, 0, 1}), rotate(after, Vec3f{0, 0, 1})), -1, 1e-5);
  EXPECT_TRUE(swapped(back, {"hip", "knee", "shoulder", "elbow"}));
}

TEST_F(BodyRivalPoses, SwapLegsOrArmsAndTwiceIsNothing) {
  bool legs = false, arms = false;
  for (std::size_t i = 0; i < rivals.count(); ++i) {
    const std::vector<float> rival = rivals.make(state, i);
    if (rivals.make(rival, i) != state) continue;
    const bool swaps_legs = swapped(rival, {"hip", "knee"}), swaps_arms = swapped(rival, {"shoulder", "elbow"});
    legs = legs || (swaps_legs && !swaps_arms);
    arms = arms || (swaps_arms && !swaps_legs);
  }
  EXPECT_TRUE(legs);
  EXPECT_TRUE(arms);
}

TEST_F(BodyRivalPoses, OfASkeletonWithOtherNamesOnlyTurn) {
  Skeleton other;
  other.name = "lamp";
  other.joints = {{"foot", -1, {0, 0, 0}, {}}, {"arm", 0, {0, 0.5, 0}, {{{1, 0, 0}, -1, 1, 1}}}};
  other.capsules = {{"arm", 1, {0, 0, 0}, {0, 0.4, 0}, 0.05}};
  const RivalPoses turns(other);
  EXPECT_GT(turns.count(), 0u);
  const std::vector<float> lamp = to_state(other, rest_pose(other));
  for (std::size_t i = 0; i < turns.count(); ++i) {
    const std::vector<float> rival = turns.make(lamp, i);
    EXPECT_EQ(rival.back(), lamp.back());
    EXPECT_TRUE(within_limits(other, rival));
  }
}

// Two sides that bend differently far: an angle from the other side must not leave its own limits.
TEST_F(BodyRivalPoses, HoldLimitsOfSidesThatDiffer) {
  Skeleton stiff = skeleton;
  Joint& knee = stiff.joints[static_cast<std::size_t>(stiff.find("left_knee"))];
  knee.freedoms[0].upper = 0.1;
  Pose pose = walking(stiff, 0.2);
  turn(stiff, pose, "left_knee", 0, 0.05);
  turn(stiff, pose, "right_knee", 0, 1.5);
  const RivalPoses others(stiff);
  const std::vector<float> bent = to_state(stiff, pose);
  for (std::size_t i = 0; i < others.count(); ++i) EXPECT_TRUE(within_limits(stiff, others.make(bent, i))) << i;
}

}  // namespace
}  // namespace kinema::body
