// The choice of particles and points for a live camera, with a scripted tracker on a scripted clock.
#include "body/tracker/pace.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kinema::body {
namespace {

// A camera of 30 frames per second before a tracker that takes `fixed` ms and `per_point` ms for each point of a
// particle; it takes the newest frame whenever it is done, as a live run does.
class LiveRun {
public:
  explicit LiveRun(PaceCounts most = {100, 3000}) : pace(most, 30) {}

  // Tracks for `seconds` and returns the share of the frames that were late.
  double track(double seconds, double fixed, double per_point) {
    const double end = time_ + seconds;
    std::size_t frames = 0, before = late_;
    while (time_ < end) {
      const PaceCounts counts = pace.counts();
      const bool searched = ++age_ % (15 * counts.search_rest) == 0;
      const double ms =
          fixed + per_point * static_cast<double>(counts.points * counts.particles) + (searched ? search_ms : 0);
      const Pace::Kind kind = searched ? Pace::Kind::searched : Pace::Kind::usual;
      const double done = time_ + ms / 1000;
      pace.add(frame_ / 30, ms, kind, dropped_);
      // the newest frame at that time, or the next one
      const double next = std::max(frame_ + 1, std::floor(done * 30 + 1e-9));
      dropped_ = static_cast<std::size_t>(next - frame_ - 1);
      late_ += dropped_;
      frame_ = next;
      time_ = std::max(done, frame_ / 30);
      ++frames;
    }
    const auto late = static_cast<double>(late_ - before);
    return late / (late + static_cast<double>(frames));
  }

  Pace pace;
  double search_ms = 0;  // every 15 frames, or more rarely

private:
  double time_ = 0, frame_ = 0;
  std::size_t late_ = 0, dropped_ = 0;  // in all, and before the next frame
  int age_ = 0;
};

TEST(Pace, KeepsAllWhereThereIsTime) {
  LiveRun run;
  EXPECT_EQ(run.track(20, 5, 5e-5), 0);  // 20 ms of 33
  EXPECT_EQ(run.pace.counts(), (PaceCounts{100, 3000}));
  EXPECT_EQ(run.pace.changes(), 0u);
}

TEST(Pace, IsChosenByTheFirstSecond) {
  LiveRun run;
  EXPECT_GT(run.track(1.1, 5, 3e-4), 0.5);  // 95 ms
  const PaceCounts chosen = run.pace.counts();
  EXPECT_LT(chosen.points, 1500u);
  EXPECT_EQ(run.pace.changes(), 1u);
  // what was chosen keeps up, or nearly: one more second corrects it
  run.track(2, 5, 3e-4);
  EXPECT_LT(run.track(10, 5, 3e-4), 0.05);
}

TEST(Pace, IsLoweredWhenFramesAreLateAndRaisedAgain) {
  LiveRun run({400, 3000});
  EXPECT_EQ(run.track(5, 4, 1.5e-5), 0);  // 22 ms
  run.track(4, 4, 6e-5);                  // another program takes most of the machine
  const PaceCounts loaded = run.pace.counts();
  EXPECT_TRUE(run.pace.lowered());
  EXPECT_LT(loaded.particles, 300u);
  EXPECT_LT(run.track(6, 4, 6e-5), 0.1);
  run.track(60, 4, 1e-5);  // it ended
  EXPECT_FALSE(run.pace.lowered());
}

TEST(Pace, DoesNotSwingForEver) {
  LiveRun run;
  run.track(60, 12, 1.2e-4);
  const std::size_t settled = run.pace.changes();
  run.track(60, 12, 1.2e-4);
  // patience doubles with every attempt that fails
  EXPECT_LE(run.pace.changes(), settled + 4);
}

TEST(Pace, GoesNoLowerThanMakesSense) {
  LiveRun run({400, 3000});
  run.track(30, 100, 1e-4);
  EXPECT_EQ(run.pace.counts(), (PaceCounts{50, 700}));
}

TEST(Pace, IsNotLoweredWhereThatDoesNotHelp) {
  LiveRun run({400, 3000});
  run.track(10, 60, 1e-6);  // 61 ms, 1 of them for all points and particles
  EXPECT_FALSE(run.pace.lowered());
  const std::size_t settled = run.pace.changes();
  run.track(30, 60, 1e-6);
  EXPECT_EQ(run.pace.changes(), settled);
  run.track(10, 4, 1e-4);  // now they take 120 of 124 ms
  EXPECT_TRUE(run.pace.lowered());
  EXPECT_LT(run.track(10, 4, 1e-4), 0.1);
}

TEST(Pace, KeepsWhatTheUserChose) {
  LiveRun run({400, 3000});
  run.pace.fix_particles();
  run.track(30, 100, 1e-4);
  EXPECT_EQ(run.pace.counts(), (PaceCounts{400, 700}));
}

TEST(Pace, SearchesThatTakeLongBecomeRare) {
  LiveRun run;
  run.search_ms = 250;
  run.track(5, 5, 5e-5);
  // 20 % of 27 ms are 80 ms for each of the usual 15 frames
  EXPECT_EQ(run.pace.counts(), (PaceCounts{100, 3000, 4}));
  // and so do their late frames, which are no reason to lower the rest
  EXPECT_LT(run.track(20, 5, 5e-5), 0.12);
  EXPECT_EQ(run.pace.counts().points, 3000u);
  run.search_ms = 20;
  run.track(30, 5, 5e-5);
  EXPECT_EQ(run.pace.counts().search_rest, 1);
}

TEST(Pace, FramesWithoutAPersonSayNothing) {
  Pace pace({100, 3000}, 30);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(pace.add(i, 1000, Pace::Kind::other, 0));
  for (int i = 100; i < 104; ++i) EXPECT_FALSE(pace.add(i, 1000, Pace::Kind::usual, 0));
  EXPECT_TRUE(pace.add(104, 1000, Pace::Kind::usual, 0));
}

}  // namespace
}  // namespace kinema::body
