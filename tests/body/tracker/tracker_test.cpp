// The tracker as its users call it: frames in, estimates out at once and settled by later frames.
#include "kinema/body_tracker.h"

#include "../../stereo/drawn_pair.h"
#include "bench/body/tracker_problem.h"
#include "kinema/error.h"
#include "kinema/recording.h"
#include "print_backend.h"
#include "tracker_scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace kinema::body {
namespace {

constexpr double frame_time = 1.0 / 30;

class BodyTracker : public ::testing::TestWithParam<Backend> {
protected:
  void SetUp() override {
    if (!available(GetParam())) GTEST_SKIP() << "no device for the " << name(GetParam()) << " backend";
  }

  TrackerSettings small(std::size_t lag) const {
    TrackerSettings settings;
    settings.particles = 40;
    settings.fit_shape = false;
    settings.lag = lag;
    return settings;
  }

  Estimate follow(Tracker& tracker, int frame) const {
    const SeenPoints seen = see(skeleton, walking(skeleton, frame * frame_time));
    return tracker.track(seen.view(), frame * frame_time);
  }

  // A frame of a recording of points, without rays past the person.
  io::Frame person_at(double time) const {
    const SeenPoints seen = see(skeleton, walking(skeleton, time));
    io::Frame frame;
    frame.time = time;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (seen.background[i] == 0) frame.points.insert(frame.points.end(), &seen.xyz[3 * i], &seen.xyz[3 * i] + 3);
    }
    return frame;
  }

  const Skeleton skeleton = default_human();
};

TEST_P(BodyTracker, SettlesEveryFrameOnceAndInOrder) {
  for (const std::size_t lag : {std::size_t{0}, std::size_t{2}}) {
    Tracker tracker(small(lag), GetParam());
    std::vector<Estimate> first, settled;
    const auto take = [&](std::vector<Estimate> some) { settled.insert(settled.end(), some.begin(), some.end()); };
    for (int frame = 0; frame < 7; ++frame) {
      first.push_back(frame == 3 ? tracker.skip(frame * frame_time, "a torn frame") : follow(tracker, frame));
      take(tracker.settled());
      if (lag == 0) {
        EXPECT_EQ(settled.size(), first.size());
      }
    }
    take(tracker.finish());
    EXPECT_TRUE(tracker.finish().empty());
    ASSERT_EQ(settled.size(), first.size());
    for (std::size_t i = 0; i < settled.size(); ++i) {
      EXPECT_EQ(settled[i].frame, static_cast<std::int64_t>(i));
      EXPECT_EQ(settled[i].time, static_cast<double>(i) * frame_time);
      EXPECT_EQ(settled[i].found, i != 3);
      EXPECT_EQ(settled[i].found, first[i].found);
      EXPECT_EQ(settled[i].log_likelihood, first[i].log_likelihood);
      ASSERT_TRUE(settled[i].skeleton);
      if (i != 3) {
        EXPECT_GT(settled[i].confidence, 0.5);  // clean points on the very capsules
      }
    }
    EXPECT_EQ(settled[3].why, "a torn frame");
  }
}

TEST_P(BodyTracker, SaysWhyNobodyIsFound) {
  Tracker tracker(small(0), GetParam());
  const Estimate nobody = tracker.track(PointsView{}, 0);
  EXPECT_FALSE(nobody.found);
  EXPECT_EQ(nobody.why, "nobody in sight");
  EXPECT_TRUE(follow(tracker, 1).found) << "who comes into sight is found";
}

TEST_P(BodyTracker, GoesOnWithOtherCountsAndSearchesAgainWhereItIsAsked) {
  Tracker tracker(small(0), GetParam());
  EXPECT_TRUE(follow(tracker, 0).searched);
  EXPECT_FALSE(follow(tracker, 1).searched);
  tracker.set_counts({60, 200, 3});
  EXPECT_EQ(tracker.settings().particles, 60u);
  EXPECT_EQ(tracker.pace(), (PaceCounts{60, 200, 3}));
  for (int frame = 2; frame < 5; ++frame) {
    const Estimate estimate = follow(tracker, frame);
    ASSERT_TRUE(estimate.found) << frame;
    // 4 cm: a few centimetres are what 200 points of a small picture leave open
    EXPECT_LT(mean_error(estimate.joints, joint_positions(skeleton, walking(skeleton, frame * frame_time))), 0.04);
  }
  const auto& marks = tracker.points().background;
  // thinning keeps up to half as many again
  EXPECT_LE(std::count(marks.begin(), marks.end(), 0), 300);
  tracker.restart();
  const Estimate again = follow(tracker, 5);
  EXPECT_TRUE(again.found);
  EXPECT_TRUE(again.searched);
  for (const Estimate& estimate : tracker.settled()) {
    const bool stage = std::any_of(estimate.times.begin(), estimate.times.end(),
                                   [](const auto& time) { return time.stage == "search"; });
    EXPECT_EQ(estimate.searched, stage) << estimate.frame;
  }
}

TEST_P(BodyTracker, StartsAtTheGivenOneOfTwoPeople) {
  std::vector<Pose> people(2, standing(skeleton, 2.6, 0.2));
  people[0].position.x = -0.6;
  people[1].position.x = 0.6;
  const SeenPoints seen = see(skeleton, people);
  for (const std::size_t first : {0u, 1u}) {
    Tracker tracker(small(0), GetParam());
    // the first frame, and one in which the other person was tracked before
    for (const std::size_t given : {first, 1 - first}) {
      tracker.start(people[given]);
      const Estimate estimate = tracker.track(seen.view(), given == first ? 0 : frame_time);
      ASSERT_TRUE(estimate.found);
      // 5 cm: a small picture; the other one stands 1.2 m away
      EXPECT_LT(mean_error(estimate.joints, joint_positions(skeleton, people[given])), 0.05);
    }
  }
}

TEST_P(BodyTracker, FillsInCountsThatAreLeftOpen) {
  Tracker tracker(small(0), GetParam());
  const TrackerSettings usual = Tracker(TrackerSettings(), GetParam()).settings();
  follow(tracker, 0);
  tracker.set_counts({});
  EXPECT_EQ(tracker.settings().particles, usual.particles);
  EXPECT_EQ(tracker.settings().points, usual.points);
  const Estimate estimate = follow(tracker, 1);
  ASSERT_TRUE(estimate.found);
  EXPECT_LT(mean_error(estimate.joints, joint_positions(skeleton, walking(skeleton, frame_time))), 0.04);
}

TEST_P(BodyTracker, SettlesEstimatesWithTheTimesOfAllStages) {
  const stereo::DrawnPair pair;
  const std::vector<std::uint8_t> left = pair.left(), right = pair.right();
  for (const std::size_t lag : {std::size_t{0}, std::size_t{2}}) {
    TrackerSettings settings = small(lag);
    settings.camera = pair.camera();
    settings.baseline = stereo::DrawnPair::baseline;
    Tracker tracker(settings, GetParam());
    std::vector<std::vector<std::string>> given, settled;
    const auto stages = [](const Estimate& estimate) {
      std::vector<std::string> names;
      for (const StageTime& time : estimate.times) names.push_back(time.stage);
      return names;
    };
    for (int frame = 0; frame < 3; ++frame)
      given.push_back(stages(tracker.track(pair.view(left), pair.view(right), frame * frame_time)));
    for (const Estimate& estimate : tracker.finish()) settled.push_back(stages(estimate));
    EXPECT_EQ(given.front().front(), "stereo");
    EXPECT_EQ(settled, given);
  }
}

TEST_P(BodyTracker, IsSteadyInWhatItGivesAtOnceAndLeavesSettledEstimatesAlone) {
  for (const std::size_t lag : {std::size_t{0}, std::size_t{2}}) {
    TrackerSettings plain = small(lag), steady = small(lag);
    plain.rest_cutoff = 0;
    steady.rest_cutoff = 0.1;  // so low that it shows in a walk
    Tracker one(plain, GetParam()), other(steady, GetParam());
    std::vector<Estimate> first, second;
    for (int frame = 0; frame < 4; ++frame) {
      first.push_back(follow(one, frame));
      second.push_back(follow(other, frame));
    }
    EXPECT_EQ(first.front().pose.angles, second.front().pose.angles);
    EXPECT_NE(first.back().pose.angles, second.back().pose.angles);
    const std::vector<Estimate> settled = one.finish(), settled_steady = other.finish();
    ASSERT_EQ(settled.size(), settled_steady.size());
    for (std::size_t i = 0; i < settled.size(); ++i) {
      const std::vector<double>& angles = lag > 0 ? settled[i].pose.angles : second[i].pose.angles;
      EXPECT_EQ(settled_steady[i].pose.angles, angles) << "lag " << lag << ", frame " << i;
    }
  }
  TrackerSettings wrong = small(0);
  wrong.rest_cutoff = -1;
  EXPECT_THROW(Tracker(wrong, GetParam()), Error);
}

TEST_P(BodyTracker, TakesDepthImagesAndFramesOfRecordingsAlike) {
  TrackerSettings settings = small(0);
  settings.camera = bench::person_camera();
  Tracker first(settings, GetParam()), second(settings, GetParam());
  const auto width = static_cast<std::size_t>(settings.camera.width);
  for (int frame = 0; frame < 2; ++frame) {
    io::Frame recorded;
    recorded.index = 10 + frame;
    recorded.time = frame * frame_time;
    recorded.depth = bench::see_room(skeleton, bench::walking_pose(skeleton, 0.2 * frame), settings.camera, 0.005, 1);
    const ImageView<const float> depth{recorded.depth.data(), width, recorded.depth.size() / width, width};
    const Estimate one = first.track(depth, recorded.time), other = second.track(recorded);
    ASSERT_TRUE(one.found);
    EXPECT_EQ(one.frame, frame);
    EXPECT_EQ(other.frame, recorded.index);
    EXPECT_EQ(one.pose.angles, other.pose.angles);
    EXPECT_FALSE(first.points().background.empty());
  }
  io::Frame torn;
  torn.depth.assign(10, 1.0f);
  EXPECT_THROW(first.track(torn), Error) << "an image of another size than the camera's";
}

TEST_P(BodyTracker, AFrameWithAGapFindsNobodyAndSaysWhy) {
  for (const std::size_t lag : {std::size_t{0}, std::size_t{2}}) {
    Tracker tracker(small(lag), GetParam()), skipping(small(lag), GetParam());
    std::vector<Estimate> settled;
    for (int number = 0; number < 6; ++number) {
      io::Frame frame = person_at(number * frame_time);
      frame.index = 10 + number;
      if (number == 3) frame = {.index = 13, .time = frame.time, .gap = "a torn frame"};
      const Estimate estimate = tracker.track(frame);
      const Estimate other = number == 3 ? skipping.skip(frame.time, frame.gap) : skipping.track(frame);
      EXPECT_EQ(estimate.frame, 10 + number);
      EXPECT_EQ(estimate.time, number * frame_time);
      EXPECT_EQ(estimate.found, number != 3);
      EXPECT_EQ(estimate.why, number == 3 ? "a torn frame" : "");
      EXPECT_EQ(estimate.pose.angles, other.pose.angles);
    }
    for (const Estimate& estimate : tracker.finish()) settled.push_back(estimate);
    ASSERT_EQ(settled.size(), 6u);
    for (std::size_t i = 1; i < settled.size(); ++i) EXPECT_GT(settled[i].time, settled[i - 1].time);
    EXPECT_EQ(settled[3].why, "a torn frame");
    io::Frame wrong = person_at(0);
    wrong.time = std::nan("");
    EXPECT_THROW(tracker.track(wrong), Error);
  }
}

// Each frame shows the same person; a camera of a frame per second leaves all the time, one of a thousand million none.
class BodyTrackerPace : public BodyTracker {
protected:
  static constexpr double slow = 1e-9, fast = 1e9;

  TrackerSettings open() const {
    TrackerSettings settings = small(0);
    settings.particles = 0;
    settings.rivals = 0;  // no searches
    return settings;
  }

  // Of 7 frames in 1.5 seconds: the first finds the person, and five of the rest decide.
  PaceCounts pace_after(Tracker& tracker, std::size_t late = 0, double faces_ms = 0) const {
    for (int number = 0; number < 7; ++number) {
      io::Frame frame = person_at(0);
      frame.time = 0.25 * number;
      frame.late = late;
      if (faces_ms > 0) tracker.set_faces({}, faces_ms);
      EXPECT_TRUE(tracker.track(frame).found);
    }
    return tracker.pace();
  }
};

TEST_P(BodyTrackerPace, KeepsAllWhereThereIsTime) {
  Tracker tracker(open(), GetParam());
  const PaceCounts most = tracker.pace();
  EXPECT_EQ(most, (PaceCounts{tracker.settings().particles, tracker.settings().points, 1}));
  EXPECT_EQ(pace_after(tracker), most) << "nobody asked it to keep up";
  tracker.keep_up(slow);
  EXPECT_EQ(pace_after(tracker), most);
}

TEST_P(BodyTrackerPace, TakesTheFewestParticlesAndPointsWhereThereIsNone) {
  Tracker tracker(open(), GetParam());
  const PaceCounts most = tracker.pace();
  tracker.keep_up(fast);
  const PaceCounts least = pace_after(tracker);
  EXPECT_LT(least.particles, most.particles);
  EXPECT_LT(least.points, most.points);
  EXPECT_EQ(least.points, 700u);
  EXPECT_EQ(least.particles, tracker.settings().particles);
  EXPECT_EQ(least.points, tracker.settings().points);
  tracker.keep_up(slow);
  EXPECT_EQ(pace_after(tracker), most) << "of another source";
}

TEST_P(BodyTrackerPace, TakesFewerWhereTheSourceDropsFrames) {
  Tracker tracker(open(), GetParam());
  const PaceCounts most = tracker.pace();
  tracker.keep_up(slow);
  const PaceCounts fewer = pace_after(tracker, 1);
  EXPECT_LT(fewer.particles, most.particles);
  EXPECT_LT(fewer.points, most.points);
}

TEST_P(BodyTrackerPace, CountsTheTimeThatFacesTake) {
  Tracker tracker(open(), GetParam());
  const PaceCounts most = tracker.pace();
  tracker.keep_up(slow);
  EXPECT_LT(pace_after(tracker, 0, 1e300).points, most.points);
}

TEST_P(BodyTrackerPace, KeepsNumbersThatTheSettingsGave) {
  TrackerSettings settings = open();
  settings.particles = 60;
  Tracker one(settings, GetParam());
  one.keep_up(fast);
  EXPECT_EQ(pace_after(one), (PaceCounts{60, 700, 1}));
  settings.points = 900;
  Tracker both(settings, GetParam());
  both.keep_up(fast);
  EXPECT_EQ(pace_after(both), (PaceCounts{60, 900, 1}));
}

INSTANTIATE_TEST_SUITE_P(Backends, BodyTrackerPace, testing::Values(Backend::cpu, Backend::cuda),
                         [](const auto& backend) { return std::string(name(backend.param)); });

INSTANTIATE_TEST_SUITE_P(Backends, BodyTracker, testing::Values(Backend::cpu, Backend::cuda),
                         [](const auto& backend) { return std::string(name(backend.param)); });

}  // namespace
}  // namespace kinema::body
