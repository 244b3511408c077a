// Several people whose particles others help to weigh, as the ranks of mpirun do: they are asked by one thread, and may fail.
#include "kinema/error.h"
#include "people_scene.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <thread>

namespace kinema::body {
namespace {

// Who asked, and whether an answer fails.
struct Asked {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::atomic<bool> fails{false};
};

class Asking final : public Likelihood {
public:
  Asking(Asked& asked, std::unique_ptr<Likelihood> own) : asked_(asked), own_(std::move(own)) {}
  PointCount set_points(PointsView points) override { return own_->set_points(points); }
  void evaluate(CapsulesView capsules, std::span<double> out) override {
    {
      const std::scoped_lock lock(asked_.mutex);
      asked_.threads.insert(std::this_thread::get_id());
    }
    if (asked_.fails) throw Error("nobody answers");
    own_->evaluate(capsules, out);
    exchanged_ += capsules.rows;
  }
  std::uint64_t exchanged_bytes() const override { return exchanged_; }

private:
  Asked& asked_;
  std::unique_ptr<Likelihood> own_;
  std::uint64_t exchanged_ = 0;
};

class SeveralPeopleShared : public SeveralPeople {
protected:
  TrackerSettings shared() {
    TrackerSettings settings = everybody();
    settings.share_weighing = [this](const LikelihoodSettings&, std::unique_ptr<Likelihood> own) {
      return std::make_unique<Asking>(asked_, std::move(own));
    };
    return settings;
  }

  Asked asked_;
};

TEST_F(SeveralPeopleShared, AskFromOneThread) {
  const std::vector<Pose> people = {at(-0.9, 3.1, 0.4), at(0, 2.5), at(0.9, 2.8, -0.3)};
  track(
      shared(), 12, [&](int) { return people; }, 4);
  EXPECT_EQ(now.back().size(), 3u);
  EXPECT_EQ(asked_.threads.size(), 1u);
}

TEST_F(SeveralPeopleShared, AskNothingAboutWhoIsHidden) {
  track(shared(), 14, [&](int frame) { return frame < 12 ? std::vector{at(0, 2.5)} : std::vector<Pose>(); });
  EXPECT_GT(now[11].front().exchanged_bytes, 0u);
  ASSERT_TRUE(now.back().front().hidden);
  EXPECT_EQ(now.back().front().exchanged_bytes, 0u);
}

TEST_F(SeveralPeopleShared, AFrameThatFailsIsNone) {
  Tracker tracker(shared(), Backend::cpu);
  const SeenPoints seen = see(skeleton, std::vector{at(-0.6, 2.6), at(0.6, 3.0)}, camera);
  for (int frame = 0; frame < 12; ++frame) tracker.track(seen.view(), frame * frame_time);
  asked_.fails = true;
  EXPECT_THROW(tracker.track(seen.view(), 12 * frame_time), Error);
  std::set<std::int64_t> frames;
  for (const Estimate& estimate : tracker.finish()) {
    EXPECT_TRUE(estimate.found);
    frames.insert(estimate.frame);
  }
  EXPECT_EQ(frames.size(), 12u);
}

}  // namespace
}  // namespace kinema::body
