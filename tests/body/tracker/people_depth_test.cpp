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

}  // namespace
}  // namespace kinema::body
