// Several people before one camera: numbers, who hides whom, and that one explains what the other does not.
#include "body/tracker/people.h"

#include "kinema/body_tracker.h"
#include "kinema/error.h"
#include "people_scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <vector>

namespace kinema::body {
namespace {

TEST_F(SeveralPeople, HaveNumbersFromTheirFirstFrameOn) {
  const std::vector<Pose> people = {at(-0.6, 2.6), at(0.6, 3.0, 0.3)};
  const std::vector<Estimate> settled = track(everybody(), 14, [&](int) { return people; });
  ASSERT_EQ(settled.size(), 28u);
  for (std::size_t i = 0; i < settled.size(); ++i) {
    EXPECT_EQ(settled[i].frame, static_cast<std::int64_t>(i / 2));
    EXPECT_EQ(settled[i].person, static_cast<int>(i % 2) + 1);
    ASSERT_TRUE(settled[i].found);
    const std::size_t who = settled[i].pose.position.x < 0 ? 0 : 1;
    // 5 cm: a small picture; the other one stands 1.2 m away
    EXPECT_LT(error(settled[i], people[who]), 0.05);
  }
  EXPECT_FALSE(now.front().front().found) << "who was seen once may be nobody";
  EXPECT_EQ(now.back().size(), 2u);
}

TEST_F(SeveralPeople, KeepTheirNumbersWhereOneHidesTheOther) {
  // one walks past behind the other
  const auto x_at = [](int frame) { return -1.1 + 0.045 * frame; };
  const std::vector<Estimate> settled = track(everybody(), 50, [&](int frame) {
    return std::vector{at(0.1, 2.2), at(x_at(frame), 3.2, -std::numbers::pi / 2)};
  });
  std::map<int, std::set<int>> numbers;  // of who stands, and of who walks
  int last_walker = 0;
  for (const Estimate& estimate : settled) {
    if (!estimate.found) continue;
    const bool walks = estimate.pose.position.z > 2.7;
    numbers[walks].insert(estimate.person);
    if (walks) last_walker = static_cast<int>(estimate.frame);
    const Pose truth = walks ? at(x_at(static_cast<int>(estimate.frame)), 3.2, -std::numbers::pi / 2) : at(0.1, 2.2);
    // 30 cm for somebody of whom hardly anything is seen
    EXPECT_LT(norm(estimate.pose.position - truth.position), 0.3) << estimate.frame;
  }
  EXPECT_EQ(numbers[0].size(), 1u);
  EXPECT_EQ(numbers[1].size(), 1u);
  EXPECT_EQ(last_walker, 49);
}

TEST_F(SeveralPeople, WhoComesBackHasTheOldNumberAndNobodyElseGetsIt) {
  const auto present = [&](int frame) {
    std::vector<Pose> people = {at(-0.5, 2.4)};
    if (frame < 16 || frame >= 30) people.push_back(at(0.7, 2.8));
    return people;
  };
  const std::vector<Estimate> settled = track(everybody(), 46, present);
  std::set<int> left, right;
  for (const Estimate& estimate : settled)
    if (estimate.found && !estimate.hidden) (estimate.pose.position.x < 0 ? left : right).insert(estimate.person);
  EXPECT_EQ(left.size(), 1u);
  EXPECT_EQ(right.size(), 1u);
  EXPECT_NE(left, right);

  // somebody else, half an adult's height, does not
  now.clear();
  const Skeleton child = default_human(1.05);
  Tracker tracker(everybody(), Backend::cpu);
  std::set<int> numbers;
  for (int frame = 0; frame < 40; ++frame) {
    const Skeleton& who = frame < 16 ? skeleton : child;
    Pose pose = standing(who, 2.6, 0);
    const SeenPoints seen = frame >= 16 && frame < 20 ? SeenPoints{} : see(who, std::vector{pose}, camera);
    tracker.track(seen.view(), frame * frame_time);
    for (const Estimate& estimate : tracker.people())
      if (estimate.found && !estimate.hidden) numbers.insert(estimate.person);
  }
  EXPECT_LE(numbers.size(), 2u);
}

TEST_F(SeveralPeople, AreNoMoreThanWanted) {
  const std::vector<Pose> people = {at(-0.9, 3.1, 0.4), at(0, 2.5), at(0.9, 2.8, -0.3)};
  for (const int most : {2, 3}) {
    now.clear();
    track(everybody(most), 14, [&](int) { return people; });
    EXPECT_EQ(now.back().size(), static_cast<std::size_t>(most));
  }
  EXPECT_THROW(Tracker(everybody(-1), Backend::cpu), Error);
}

TEST_F(SeveralPeople, AreNoMoreThanWantedWhereSomebodyIsHidden) {
  // one leaves, another comes instead, and the first is back while it would still be expected
  const auto present = [&](int frame) {
    std::vector<Pose> people = {at(0.1, 2.5)};
    if (frame < 14 || frame >= 32) people.push_back(at(-1.1, 3.1));
    if (frame >= 15) people.push_back(at(1.2, 3.0));
    return people;
  };
  const std::vector<Estimate> settled = track(everybody(2), 40, present);
  for (std::size_t frame = 0; frame < now.size(); ++frame) EXPECT_LE(now[frame].size(), 2u) << frame;
  EXPECT_EQ(most_at_once(settled), 2u);
  std::set<int> right;
  for (const Estimate& estimate : settled)
    if (estimate.found && !estimate.hidden && estimate.pose.position.x > 0.7) right.insert(estimate.person);
  EXPECT_EQ(right, (std::set{3})) << "somebody else";
}

TEST_F(SeveralPeople, WhoIsFoundWhileItIsStillExpectedElsewhereIsOnceInAFrame) {
  // ten frames per second: one is gone, expected for 1.5 s, and comes back elsewhere shortly before they are over
  const auto present = [&](int frame) {
    std::vector<Pose> people;
    if (frame < 14) people.push_back(at(-0.6, 2.6));
    if (frame >= 23) people.push_back(at(0.6, 2.6));
    return people;
  };
  const std::vector<Estimate> settled = track(everybody(), 38, present, 0, 0.1);
  EXPECT_EQ(most_at_once(settled), 1u);
  ASSERT_EQ(settled.size(), 38u);
  for (std::size_t i = 0; i < settled.size(); ++i) EXPECT_EQ(settled[i].frame, static_cast<std::int64_t>(i));
  EXPECT_EQ(settled.back().person, 1);
  EXPECT_GT(settled.back().pose.position.x, 0.3);
}

TEST_F(SeveralPeople, WhoWasStartedAndIsNotSeenIsExpectedThere) {
  Tracker tracker(everybody(), Backend::cpu);
  tracker.start(at(0.3, 2.6));
  // a camera counts from where it likes
  const Estimate estimate = tracker.track(PointsView{}, 1000);
  ASSERT_TRUE(estimate.found);
  EXPECT_TRUE(estimate.hidden);
  EXPECT_EQ(estimate.person, 1);
  EXPECT_LT(error(estimate, at(0.3, 2.6)), 1e-6);
  ASSERT_EQ(estimate.deviation.size(), estimate.joints.size());
  for (const double deviation : estimate.deviation) EXPECT_GT(deviation, 0);
}

TEST_F(SeveralPeople, WhoMayBeNobodyHasNoPointsToShow) {
  Tracker tracker(everybody(), Backend::cpu);
  const SeenPoints seen = see(skeleton, std::vector{at(0.1, 2.6)}, camera);
  for (int frame = 0; frame < 12; ++frame) {
    tracker.track(seen.view(), frame * frame_time);
    EXPECT_EQ(tracker.points().size() > 0, tracker.people().front().found) << frame;
    EXPECT_EQ(tracker.particle_joints(5).size() > 0, tracker.people().front().found) << frame;
  }
  EXPECT_TRUE(tracker.people().front().found);
}

TEST_F(SeveralPeople, ASearchForSomebodyNewIsSaid) {
  TrackerSettings settings = everybody();
  settings.rivals = 0;  // no other searches
  track(settings, 20, [&](int frame) {
    return frame < 12 ? std::vector{at(-0.6, 2.6)} : std::vector{at(-0.6, 2.6), at(0.6, 3.0)};
  });
  std::size_t searched = 0;
  for (std::size_t frame = 11; frame < now.size(); ++frame) searched += now[frame].front().searched ? 1 : 0;
  EXPECT_EQ(searched, 1u);
}

TEST_F(SeveralPeople, NobodyIsALineThatSaysWhy) {
  const std::vector<Estimate> settled = track(everybody(), 3, [](int) { return std::vector<Pose>(); });
  ASSERT_EQ(settled.size(), 3u);
  for (const Estimate& estimate : settled) {
    EXPECT_FALSE(estimate.found);
    EXPECT_EQ(estimate.person, 0);
    EXPECT_EQ(estimate.why, "nobody in sight");
  }
}

TEST_F(SeveralPeople, GiveTheSameBitsForAnyNumberOfThreads) {
  const auto poses = [&](int frame) { return std::vector{at(-0.4 + 0.02 * frame, 2.4), at(0.5 - 0.02 * frame, 3.1)}; };
  const std::vector<Estimate> one = track(everybody(), 16, poses, 1), three = track(everybody(), 16, poses, 3);
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    ASSERT_EQ(one[i].person, three[i].person);
    ASSERT_EQ(one[i].found, three[i].found);
    for (std::size_t j = 0; j < one[i].joints.size(); ++j) {
      EXPECT_EQ(one[i].joints[j].x, three[i].joints[j].x);
      EXPECT_EQ(one[i].deviation[j], three[i].deviation[j]);
    }
  }
}

TEST_F(SeveralPeople, OneOfThemCanBeChosen) {
  const std::vector<Pose> people = {at(-0.6, 2.6), at(0.6, 3.0)};
  for (std::size_t who = 0; who < 2; ++who) {
    TrackerSettings settings = everybody(1);
    settings.camera = camera;
    Tracker tracker(settings, Backend::cpu);
    const Vec3& place = people[who].position;
    tracker.choose(camera.fx * place.x / place.z + camera.cx, camera.fy * place.y / place.z + camera.cy);
    const Estimate estimate = tracker.track(see(skeleton, people, camera).view(), 0);
    ASSERT_TRUE(estimate.found);
    EXPECT_LT(error(estimate, people[who]), 0.06);
    EXPECT_THROW(tracker.choose(-1, 3), Error);
  }
}

TEST(ChosenCandidate, IsAtThePixelOrThereIsNone) {
  std::vector<Candidate> candidates(2);
  candidates[0].centre = {-0.6, 0, 2};
  candidates[1].centre = {0.9, 0, 3};
  for (Candidate& candidate : candidates) {
    candidate.width = 0.5;
    candidate.height = 1.7;
  }
  EXPECT_EQ(nearest(candidates, {-0.3, 0, 1}), std::optional<std::size_t>(0));
  EXPECT_EQ(nearest(candidates, {-0.25, 0.4, 1}), std::optional<std::size_t>(0)) << "a foot";
  EXPECT_EQ(nearest(candidates, {0.35, 0.1, 1}), std::optional<std::size_t>(1));
  EXPECT_EQ(nearest(candidates, {0.05, 0, 1}), std::nullopt) << "between them";
  EXPECT_EQ(nearest(candidates, {0.3, -0.9, 1}), std::nullopt) << "above the head";
  EXPECT_EQ(nearest({}, {0, 0, 1}), std::nullopt);
}

TEST_F(SeveralPeople, NobodyElseIsFollowedBeforeSomebodyIsAtTheChosenPixel) {
  TrackerSettings settings = everybody(1);
  settings.camera = camera;
  Tracker tracker(settings, Backend::cpu);
  const Vec3 place = at(0.7, 2.8).position;
  tracker.choose(camera.fx * place.x / place.z + camera.cx, camera.fy * place.y / place.z + camera.cy);
  for (int frame = 0; frame < 20; ++frame) {
    std::vector<Pose> people = {at(-0.9, 2.6)};
    // comes, and walks away from the pixel
    if (frame >= 3) people.push_back(at(0.7 - 0.06 * std::max(0, frame - 6), 2.8));
    const Estimate estimate = tracker.track(see(skeleton, people, camera).view(), frame * frame_time);
    ASSERT_EQ(estimate.found, frame >= 3) << frame;
    if (estimate.found) {
      EXPECT_LT(error(estimate, people.back()), 0.1) << frame;
    } else {
      EXPECT_EQ(estimate.why, "nobody stands at the chosen pixel");
    }
  }
}

TEST_F(SeveralPeople, WhoIsChosenLaterHasNobodyElsesShape) {
  TrackerSettings settings = everybody(1);
  settings.camera = camera;
  settings.fit_shape = true;
  Tracker tracker(settings, Backend::cpu);
  const Skeleton tall = default_human(2.0);
  Pose pose = standing(tall, 2.8, 0);
  pose.position.x = -0.5;
  std::vector<Estimate> settled;
  const auto take = [&](const std::vector<Estimate>& some) { settled.insert(settled.end(), some.begin(), some.end()); };
  int frame = 0;
  for (; frame < 12; ++frame) {
    tracker.track(see(tall, pose, camera).view(), frame * frame_time);
    take(tracker.settled());
  }
  EXPECT_GT(stature(tracker.skeleton()), stature(default_human()) + 0.05);
  tracker.choose(camera.fx * 0.7 / 2.8 + camera.cx, camera.cy);
  EXPECT_EQ(stature(tracker.skeleton()), stature(default_human()));
  for (; frame < 14; ++frame) tracker.track(see(skeleton, at(0.7, 2.8), camera).view(), frame * frame_time);
  take(tracker.finish());
  ASSERT_EQ(settled.size(), 14u);
  for (std::size_t i = 0; i < settled.size(); ++i) {
    EXPECT_EQ(settled[i].frame, static_cast<std::int64_t>(i));
    ASSERT_TRUE(settled[i].found);
    EXPECT_EQ(settled[i].pose.position.x > 0.3, i >= 12) << i;
    // of a man of 2 m
    if (i < 12) {
      EXPECT_GT(stature(*settled[i].skeleton), stature(default_human()) + 0.05) << i;
    }
  }
}

}  // namespace
}  // namespace kinema::body
