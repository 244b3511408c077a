// Several people in depth images: who hides whom, who leaves the picture, and that furniture is nobody.
#include "people_scene.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

namespace kinema::body {
namespace {

using SeveralPeopleInDepth = SeveralPeople;

TEST_F(SeveralPeopleInDepth, KeepTheirNumbersWhereOneHidesTheOther) {
  // one walks past behind the other, who sways
  const auto walker = [&](int frame) { return at(-1.1 + 0.045 * frame, 3.2, -std::numbers::pi / 2); };
  const auto other = [&](int frame) { return at(0.1 + 0.05 * std::sin(0.4 * frame), 2.2); };
  const std::vector<Estimate> settled = track_depth(everybody(), 50, [&](int frame) {
    return std::vector{other(frame), walker(frame)};
  });
  std::map<int, std::set<int>> numbers;  // of who stands, and of who walks
  int hidden = 0;
  for (const Estimate& estimate : settled) {
    if (!estimate.found) continue;
    const bool walks = estimate.pose.position.z > 2.7;
    numbers[walks].insert(estimate.person);
    hidden += walks && estimate.hidden;
    const auto frame = static_cast<int>(estimate.frame);
    // 20 cm for somebody who is half seen; who is hidden is expected to slow down
    EXPECT_LT(norm(estimate.pose.position - (walks ? walker(frame) : other(frame)).position),
              estimate.hidden ? 0.6 : 0.2)
        << frame;
  }
  EXPECT_EQ(numbers[0].size(), 1u);
  EXPECT_EQ(numbers[1].size(), 1u);
  EXPECT_GT(hidden, 0);
  EXPECT_EQ(most_at_once(settled), 2u);
}

TEST_F(SeveralPeopleInDepth, WhoNeverMovesIsNobody) {
  // as a coat on its stand; the other one sways
  const Pose still = at(0.7, 2.8);
  const std::vector<Estimate> settled = track_depth(everybody(), 24, [&](int frame) {
    return std::vector{at(-0.6 + 0.1 * std::sin(0.5 * frame), 2.6), still};
  });
  for (std::size_t frame = 16; frame < now.size(); ++frame) {
    ASSERT_EQ(now[frame].size(), 1u) << frame;
    EXPECT_LT(now[frame].front().pose.position.x, 0) << frame;
  }
}

TEST_F(SeveralPeopleInDepth, WhoIsSeenPastIsGoneAtOnce) {
  const std::vector<Estimate> settled = track_depth(everybody(), 26, [&](int frame) {
    const double sway = 0.1 * std::sin(0.5 * frame);
    std::vector<Pose> people = {at(-0.6 + sway, 2.6)};
    if (frame < 18) people.push_back(at(0.7 + sway, 2.8));
    return people;
  });
  ASSERT_EQ(now[17].size(), 2u);
  // the camera sees the wall where it stood: it is not expected behind anything
  for (std::size_t frame = 20; frame < now.size(); ++frame) EXPECT_EQ(now[frame].size(), 1u) << frame;
}

TEST_F(SeveralPeopleInDepth, SideBySideAndCutOutTheyAreNoWall) {
  // in a picture that shows nothing else they are the plane with nothing behind
  track_depth(
      everybody(), 14,
      [&](int frame) {
        const double sway = 0.1 * std::sin(0.5 * frame);
        return std::vector{at(-0.75 + sway, 2.8), at(-0.2 - sway, 2.8), at(0.3 + sway, 2.8), at(0.85 - sway, 2.8)};
      },
      true);
  EXPECT_EQ(now.back().size(), 4u);
}

TEST_F(SeveralPeopleInDepth, WhoWalksWhereNothingIsMeasuredMoves) {
  // as a coat that is carried along: no limb moves
  track_depth(
      everybody(), 24,
      [&](int frame) {
        return std::vector{at(-0.6 + 0.1 * std::sin(0.5 * frame), 2.4), at(0.3 + 0.03 * frame, 3.0)};
      },
      true);
  EXPECT_EQ(now.back().size(), 2u);
}

TEST_F(SeveralPeopleInDepth, WhoIsCutInHalfByTheBorderIsOne) {
  const double half = 2.6 * camera.cx / camera.fx;
  const std::vector<Estimate> settled = track_depth(
      everybody(), 24, [&](int frame) { return std::vector{at(half + 0.08 * std::sin(0.5 * frame), 2.6)}; });
  EXPECT_EQ(most_at_once(settled), 1u);
  // 15 cm: an arm and a leg are not seen
  for (const Estimate& estimate : settled) {
    if (!estimate.found) continue;
    EXPECT_LT(norm(estimate.pose.position - at(half, 2.6).position), 0.15) << estimate.frame;
  }
}

TEST_F(SeveralPeopleInDepth, WhoComesInHalfSeenIsCorrectedByLaterFrames) {
  TrackerSettings settings = everybody();
  settings.lag = 10;
  const auto comes = [&](int frame) {
    Pose pose = at(2.0 - 0.06 * frame, 2.8, -std::numbers::pi / 2);
    turn(skeleton, pose, "left_hip", 0, 0.5 * std::sin(0.4 * frame));
    turn(skeleton, pose, "right_hip", 0, -0.5 * std::sin(0.4 * frame));
    return pose;
  };
  const std::vector<Estimate> settled = track_depth(settings, 26, [&](int frame) { return std::vector{comes(frame)}; });
  double sum = 0;
  int found = 0;
  for (const Estimate& estimate : settled) {
    if (!estimate.found) continue;
    sum += error(estimate, comes(static_cast<int>(estimate.frame)));
    ++found;
  }
  ASSERT_GT(found, 16);
  EXPECT_LT(sum / found, 0.06);
}

TEST_F(SeveralPeopleInDepth, WhoStartInEachOthersArmsAreTwo) {
  const std::vector<Estimate> settled = track_depth(everybody(), 20, [&](int frame) {
    const double sway = 0.06 * std::sin(0.5 * frame);
    std::vector<Pose> people = {at(-0.2 + sway, 2.5, std::numbers::pi / 2), at(0.2 + sway, 2.5, -std::numbers::pi / 2)};
    for (Pose& pose : people)
      for (const char* side : {"left_shoulder", "right_shoulder"}) turn(skeleton, pose, side, 0, -1.2);
    return people;
  });
  EXPECT_EQ(most_at_once(settled), 2u);
  ASSERT_EQ(now.back().size(), 2u);
  std::set<int> numbers;
  for (const Estimate& estimate : settled)
    if (estimate.found) numbers.insert(estimate.person);
  EXPECT_EQ(numbers.size(), 2u);
  EXPECT_NEAR(now.back()[0].pose.position.x + now.back()[1].pose.position.x, 2 * 0.06 * std::sin(0.5 * 19), 0.1);
}

}  // namespace
}  // namespace kinema::body
