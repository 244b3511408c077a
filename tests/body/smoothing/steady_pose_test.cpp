// The low pass on poses given out at once: still at rest, quick in motion, and out of the way of corrected poses.
#include "body/smoothing/steady_pose.h"

#include "core/geometry.h"
#include "kinema/error.h"
#include "tracker_scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kinema::body {
namespace {

constexpr double frame_time = 1.0 / 30;

class SteadyPoses : public ::testing::Test {
protected:
  Estimate estimate(const Pose& pose, int frame) const {
    Estimate result;
    result.time = frame * frame_time;
    result.found = true;
    result.pose = pose;
    result.skeleton = person;
    result.joints = joint_positions(*person, pose);
    result.anatomical = anatomical_angles(*person, pose);
    for (AnatomicalAngle& angle : result.anatomical) angle.deviation = 0.1;
    return result;
  }

  // What a filter with a noisy sensor gives of somebody who stands.
  Estimate trembling(int frame) const {
    Pose pose = standing(*person, 2.5, 0.3);
    const auto noise = [&](std::uint64_t what, double size) {
      // the phase grows with the square of the number: as good as random from frame to frame
      return size * std::sin(2.4 * frame * frame + 78.233 * static_cast<double>(what) * (frame + 1));
    };
    pose.position = pose.position + Vec3{noise(1, 0.001), noise(2, 0.001), noise(3, 0.001)};
    pose.rotation = exponential(Vec3{noise(4, 0.002), noise(5, 0.002), noise(6, 0.002)}) * pose.rotation;
    for (std::size_t i = 0; i < pose.angles.size(); ++i) pose.angles[i] += noise(7 + i, 0.002);
    return estimate(pose, frame);
  }

  const std::shared_ptr<const Skeleton> person = std::make_shared<const Skeleton>(default_human());
};

// Mean length of second differences of all joints.
double jitter(const std::vector<Estimate>& estimates) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t t = 2; t < estimates.size(); ++t) {
    for (std::size_t j = 0; j < estimates[t].joints.size(); ++j, ++count)
      sum += norm(estimates[t].joints[j] - 2.0 * estimates[t - 1].joints[j] + estimates[t - 2].joints[j]);
  }
  return sum / static_cast<double>(count);
}

TEST_F(SteadyPoses, StillsWhoeverRests) {
  SteadyPose filter(1);
  std::vector<Estimate> before, after;
  for (int frame = 0; frame < 60; ++frame) {
    before.push_back(trembling(frame));
    after.push_back(before.back());
    filter.correct(after.back());
  }
  // a low pass of 1 Hz at 30 frames per second passes 17 % of what changes from frame to frame, and the speed of the
  // noise raises its cutoff somewhat
  EXPECT_LT(jitter(after), 0.4 * jitter(before));
  // and it does not wander off
  const std::vector<Vec3> place = joint_positions(*person, standing(*person, 2.5, 0.3));
  EXPECT_LT(mean_error(after.back().joints, place), 0.003);
}

TEST_F(SteadyPoses, FollowsWhoeverMoves) {
  SteadyPose filter(1);
  double behind = 0;
  for (int frame = 0; frame <= 60; ++frame) {
    Estimate now = estimate(walking(*person, frame * frame_time), frame);
    const std::vector<Vec3> truth = now.joints;
    filter.correct(now);
    behind = std::max(behind, mean_error(now.joints, truth));
  }
  // less than the way of one frame at a walker's 1 m/s
  EXPECT_LT(behind, 1.0 * frame_time);
}

TEST_F(SteadyPoses, KeepsPoseJointsAndAnglesTogether) {
  SteadyPose filter(0.5);
  for (int frame = 0; frame < 5; ++frame) {
    Estimate now = trembling(frame);
    filter.correct(now);
    EXPECT_LT(mean_error(now.joints, joint_positions(*person, now.pose)), 1e-9);  // rounding
    const std::vector<AnatomicalAngle> angles = anatomical_angles(*person, now.pose);
    ASSERT_EQ(now.anatomical.size(), angles.size());
    for (std::size_t i = 0; i < angles.size(); ++i) {
      EXPECT_EQ(now.anatomical[i].value, angles[i].value);
      EXPECT_EQ(now.anatomical[i].deviation, 0.1);
    }
  }
}

TEST_F(SteadyPoses, BeginsAnewAfterALossARestartAndATimeThatIsNotLater) {
  const Pose here = standing(*person, 2.5, 0), there = standing(*person, 2.501, 0);
  for (const char* why : {"loss", "restart", "time"}) {
    SCOPED_TRACE(why);
    SteadyPose filter(1);
    Estimate first = estimate(here, 1);
    filter.correct(first);
    EXPECT_EQ(first.pose.position.z, here.position.z);
    Estimate nobody;
    nobody.time = 1.5 * frame_time;
    if (*why == 'l') filter.correct(nobody);
    if (*why == 'r') filter.restart();
    Estimate second = estimate(there, *why == 't' ? 1 : 2);
    filter.correct(second);
    EXPECT_EQ(second.pose.position.z, there.position.z);
  }
}

TEST_F(SteadyPoses, RefusesACutoffThatIsNone) {
  for (const double cutoff :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(SteadyPose{cutoff}, Error);
}

}  // namespace
}  // namespace kinema::body
