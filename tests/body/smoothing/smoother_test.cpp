// The smoother on what a tracker might have said of a walker.
#include "kinema/body_smoother.h"
#include "tracker_scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace kinema::body {
namespace {

constexpr double frame_time = 1.0 / 30;

class BodySmoother : public ::testing::Test {
protected:
  BodySmoother() {
    settings.fit_shape = false;
    for (int i = 0; i < 14; ++i) seen.push_back(see(skeleton, pose(i)));
  }
  Pose pose(int frame) const { return walking(skeleton, frame * frame_time); }
  Frame frame(int i) const { return {i * frame_time, seen[static_cast<std::size_t>(i)].view()}; }

  // What a tracker says; the number of the frame stands in its log-likelihood.
  Estimate said(int i, const Pose& pose) const {
    Estimate estimate;
    estimate.found = true;
    estimate.pose = pose;
    estimate.joints = joint_positions(skeleton, pose);
    estimate.deviation.assign(estimate.joints.size(), 0.01);
    estimate.log_likelihood = i;
    return estimate;
  }
  Estimate said(int i) const { return said(i, pose(i)); }
  std::vector<Estimate> said_up_to(int end) const {
    std::vector<Estimate> all;
    all.reserve(static_cast<std::size_t>(end));
    for (int i = 0; i < end; ++i) all.push_back(said(i));
    return all;
  }
  Estimate nobody(int i) const {
    Estimate estimate;
    estimate.log_likelihood = i;
    return estimate;
  }

  // All frames through a smoother; `estimates` may leave some without a person.
  std::vector<Estimate> smooth(const std::vector<Estimate>& estimates, std::size_t lag, int threads = 0) const {
    const auto smoother = make_smoother(settings, lag, {Backend::cpu, threads});
    std::vector<Estimate> all;
    for (int i = 0; i < static_cast<int>(estimates.size()); ++i) {
      const auto some = smoother->add(frame(i), estimates[static_cast<std::size_t>(i)], skeleton);
      all.insert(all.end(), some.begin(), some.end());
    }
    const auto rest = smoother->finish();
    all.insert(all.end(), rest.begin(), rest.end());
    EXPECT_TRUE(smoother->finish().empty());
    return all;
  }

  const Skeleton skeleton = default_human();
  TrackerSettings settings;
  std::vector<SeenPoints> seen;
};

bool same(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Vec3& x, const Vec3& y) { return x.x == y.x && x.y == y.y && x.z == y.z; });
}

TEST_F(BodySmoother, WithoutLagGivesBackAtOnceWhatItWasGiven) {
  const auto smoother = make_smoother(settings, 0);
  for (int i = 0; i < 3; ++i) {
    const Estimate given = said(i);
    const std::vector<Estimate> back = smoother->add(frame(i), given, skeleton);
    ASSERT_EQ(back.size(), 1u);
    EXPECT_TRUE(same(back[0].joints, given.joints));
    EXPECT_EQ(back[0].deviation, given.deviation);
    EXPECT_EQ(back[0].pose.angles, given.pose.angles);
  }
  EXPECT_TRUE(smoother->finish().empty());
}

TEST_F(BodySmoother, EveryFrameComesBackOnceAndInOrder) {
  for (std::size_t lag : {1, 2, 4, 100}) {
    for (int gap : {-1, 0, 5, 13}) {
      std::vector<Estimate> given;
      given.reserve(14);
      for (int i = 0; i < 14; ++i) given.push_back(i == gap ? nobody(i) : said(i));
      const std::vector<Estimate> back = smooth(given, lag);
      ASSERT_EQ(back.size(), given.size()) << lag << ' ' << gap;
      for (int i = 0; i < 14; ++i) {
        const Estimate& estimate = back[static_cast<std::size_t>(i)];
        EXPECT_EQ(estimate.log_likelihood, i);
        EXPECT_EQ(estimate.found, i != gap);
        if (i == gap) continue;
        EXPECT_LT(mean_error(estimate.joints, joint_positions(skeleton, estimate.pose)), 1e-6);   // floats
        EXPECT_LT(mean_error(estimate.joints, given[static_cast<std::size_t>(i)].joints), 0.02);  // it was right
        for (double deviation : estimate.deviation) EXPECT_GT(deviation, 0);
      }
    }
  }
}

TEST_F(BodySmoother, WaitsForTheFramesAfterAndNotForMore) {
  const auto smoother = make_smoother(settings, 3);
  for (int i = 0; i < 14; ++i) {
    // the first half of each six
    EXPECT_EQ(smoother->add(frame(i), said(i), skeleton).size(), i == 5 || i == 8 || i == 11 ? 3u : 0u) << i;
  }
  EXPECT_EQ(smoother->finish().size(), 5u);
}

TEST_F(BodySmoother, WhereNobodyIsFoundAllIsSettled) {
  const auto smoother = make_smoother(settings, 10);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(smoother->add(frame(i), said(i), skeleton).empty());
  EXPECT_EQ(smoother->add({4 * frame_time, {}}, nobody(4), skeleton).size(), 5u);
}

TEST_F(BodySmoother, PutsRightWhatLaterFramesTell) {
  // the tracker thinks of a bent elbow, until it sees that there is none
  std::vector<Estimate> given;
  for (int i = 0; i < 10; ++i) {
    Pose wrong = pose(i);
    if (i < 4) turn(skeleton, wrong, "left_elbow", 0, 0.8);
    given.push_back(said(i, wrong));
  }
  const std::vector<Estimate> back = smooth(given, 5);
  const auto wrist = static_cast<std::size_t>(skeleton.find("left_wrist"));
  // the first frame of all is held from one side only
  for (std::size_t i = 1; i < 4; ++i) {
    const Vec3 truth = joint_positions(skeleton, pose(static_cast<int>(i)))[wrist];
    EXPECT_LT(distance(back[i].joints[wrist], truth), 0.5 * distance(given[i].joints[wrist], truth)) << i;
  }
}

// In frames of matched pairs, whose points state deviations.
TEST_F(BodySmoother, FollowsPosesBackToWhereALimbWasLost) {
  std::vector<Estimate> given;
  const auto smoother = make_smoother(settings, 10);
  std::vector<Estimate> back;
  for (int i = 0; i < 12; ++i) {
    Pose wrong = pose(i);
    // the arm is held up while it hangs
    if (i < 6) turn(skeleton, wrong, "left_shoulder", 1, 1.2);
    given.push_back(said(i, wrong));
    const SeenPoints& points = seen[static_cast<std::size_t>(i)];
    const std::vector<float> deviation(points.size(), 0.02f);
    PointsView view = points.view();
    view.deviation = deviation;
    for (Estimate& estimate : smoother->add({i * frame_time, view}, given.back(), skeleton)) back.push_back(estimate);
  }
  for (Estimate& estimate : smoother->finish()) back.push_back(estimate);
  ASSERT_EQ(back.size(), given.size());
  const auto wrist = static_cast<std::size_t>(skeleton.find("left_wrist"));
  for (std::size_t i = 0; i < back.size(); ++i) {
    const Vec3 truth = joint_positions(skeleton, pose(static_cast<int>(i)))[wrist];
    if (i < 6) EXPECT_GT(distance(given[i].joints[wrist], truth), 0.5) << i;
    EXPECT_LT(distance(back[i].joints[wrist], truth), 0.05) << i;
  }
}

TEST_F(BodySmoother, SomebodyFoundElsewhereDoesNotPullAtThoseBefore) {
  std::vector<Estimate> given = said_up_to(6);
  for (int i = 6; i < 8; ++i) given.push_back(said(i, standing(skeleton, 2.5, 3)));  // turned round at once
  const auto smoother = make_smoother(settings, 10);
  std::vector<Estimate> back;
  for (int i = 0; i < 7; ++i) back = smoother->add(frame(i), given[static_cast<std::size_t>(i)], skeleton);
  ASSERT_EQ(back.size(), 6u);  // settled as soon as it is seen
  const std::vector<Estimate> alone = smooth({given.begin(), given.begin() + 6}, 10);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_TRUE(same(back[i].joints, alone[i].joints)) << i;
}

TEST_F(BodySmoother, PosesBelongToThePersonAsMeasuredLast) {
  const Skeleton tall = scaled(skeleton, 1.03);
  const auto smoother = make_smoother(settings, 10);
  for (int i = 0; i < 6; ++i) {
    EXPECT_TRUE(smoother->add(frame(i), said(i), i < 3 ? tall : skeleton).empty());
  }
  for (const Estimate& estimate : smoother->finish()) {
    EXPECT_LT(mean_error(estimate.joints, joint_positions(skeleton, estimate.pose)), 1e-6);  // floats
    EXPECT_LT(mean_error(estimate.joints, joint_positions(skeleton, pose(static_cast<int>(estimate.log_likelihood)))),
              0.02);
  }
}

TEST_F(BodySmoother, StatesAnglesOfTheCorrectedPoses) {
  const std::vector<Estimate> given = said_up_to(14);
  for (const Estimate& estimate : smooth(given, 4)) {
    const std::vector<AnatomicalAngle> expected = anatomical_angles(skeleton, estimate.pose);
    ASSERT_EQ(estimate.anatomical.size(), expected.size());
    const std::vector<AnatomicalAngle> truth =
        anatomical_angles(skeleton, pose(static_cast<int>(estimate.log_likelihood)));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(estimate.anatomical[i].name, expected[i].name);
      EXPECT_EQ(estimate.anatomical[i].value, expected[i].value);
      EXPECT_GT(estimate.anatomical[i].deviation, 0);
      // the deviation of a flexion that is seen is a few degrees, and its error no larger than four of them
      if (!expected[i].name.ends_with("knee_flexion")) continue;
      EXPECT_LT(estimate.anatomical[i].deviation, 0.15);
      EXPECT_LT(std::abs(estimate.anatomical[i].value - truth[i].value), 4 * estimate.anatomical[i].deviation);
    }
  }
}

TEST_F(BodySmoother, AnyThreadsGiveTheSameBits) {
  const std::vector<Estimate> given = said_up_to(8);
  const std::vector<Estimate> one = smooth(given, 3, 1);
  const std::vector<Estimate> three = smooth(given, 3, 3);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_TRUE(same(one[i].joints, three[i].joints)) << i;
    EXPECT_EQ(one[i].deviation, three[i].deviation) << i;
  }
}

}  // namespace
}  // namespace kinema::body
