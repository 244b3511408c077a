#include "body/tracker/settled_frames.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace kinema::body {
namespace {

Estimate of_frame(std::int64_t frame, bool found = true) {
  Estimate estimate;
  estimate.frame = frame;
  estimate.found = found;
  return estimate;
}

std::vector<std::pair<std::int64_t, int>> frames_and_people(const std::vector<Estimate>& estimates) {
  std::vector<std::pair<std::int64_t, int>> list;
  for (const Estimate& estimate : estimates) list.emplace_back(estimate.frame, estimate.found ? estimate.person : 0);
  return list;
}

using List = std::vector<std::pair<std::int64_t, int>>;

TEST(SettledFrames, WaitForEverybodyAndGoByNumber) {
  SettledFrames frames(100);
  for (int frame = 0; frame < 3; ++frame) {
    frames.begin(of_frame(frame, false));
    frames.expect(7, 0);
    if (frame > 0) frames.expect(5, 0);
  }
  frames.name(7, 2);
  frames.add(7, {of_frame(0), of_frame(1), of_frame(2)});
  EXPECT_EQ(frames_and_people(frames.take()), (List{{0, 2}}));
  frames.add(5, {of_frame(1)});
  EXPECT_TRUE(frames.take().empty()) << "it may be nobody";
  frames.name(5, 1);
  EXPECT_EQ(frames_and_people(frames.take()), (List{{1, 1}, {1, 2}}));
  frames.add(5, {of_frame(2)});
  EXPECT_EQ(frames_and_people(frames.take()), (List{{2, 1}, {2, 2}}));
}

TEST(SettledFrames, LeaveOutWhoWasNobodyAndWhoWasReplaced) {
  SettledFrames frames(100);
  for (int frame = 0; frame < 4; ++frame) {
    frames.begin(of_frame(frame, false));
    frames.expect(1, 1);
    frames.expect(2, 0);
  }
  frames.add(1, {of_frame(0), of_frame(1), of_frame(2), of_frame(3)});
  frames.drop(2);
  frames.drop(1, 2);
  EXPECT_EQ(frames_and_people(frames.take()), (List{{0, 1}, {1, 1}, {2, 0}, {3, 0}}));
}

TEST(SettledFrames, KeepTheNewestForACallerWhoTakesNone) {
  SettledFrames frames(2);
  for (int frame = 0; frame < 5; ++frame) {
    frames.begin(of_frame(frame, false));
    frames.expect(1, 1);
  }
  frames.add(1, {of_frame(0), of_frame(1), of_frame(2), of_frame(3)});
  EXPECT_EQ(frames_and_people(frames.take()), (List{{3, 1}}));
  EXPECT_EQ(frames_and_people(frames.take(true)), (List{{4, 0}})) << "not settled";
}

TEST(SettledFrames, HaveNoMorePeopleThanWantedSinceWhoIsHiddenGivesWay) {
  SettledFrames frames(100, 2);
  for (int frame = 0; frame < 2; ++frame) {
    frames.begin(of_frame(frame, false));
    for (int key = 1; key <= 3; ++key) frames.expect(key, key);
  }
  const auto add = [&](int key, bool hidden_first) {
    Estimate first = of_frame(0);
    first.hidden = hidden_first;
    frames.add(key, {first, of_frame(1)});
  };
  add(1, true);
  add(2, false);
  add(3, false);
  EXPECT_EQ(frames_and_people(frames.take()), (List{{0, 2}, {0, 3}, {1, 1}, {1, 2}, {1, 3}}))
      << "whoever is seen stays";
}

}  // namespace
}  // namespace kinema::body
