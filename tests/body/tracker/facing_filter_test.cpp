// Which of two facings is given out, and what is said of the frames before: with filters whose every answer is written
// down.
#include "body/tracker/pose_filter.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

namespace kinema::body {
namespace {

constexpr double lost = std::numeric_limits<double>::quiet_NaN();
constexpr double front = 0.25, back = 0.75;  // names of filters
constexpr double searching = back;           // the one that searches in every frame

// A filter that says `name`, and the given log-posteriors frame by frame.
class Scripted final : public PoseFilter {
public:
  Scripted(double name, std::vector<double> posteriors, std::unique_ptr<PoseFilter> other = nullptr)
      : name_(name), posteriors_(std::move(posteriors)), other_(std::move(other)) {}

  Estimate track(const Frame& frame) override {
    Estimate estimate;
    estimate.time = frame.time;
    estimate.confidence = name_;
    posterior_ = posteriors_.at(next_++);
    estimate.found = posterior_ == posterior_;
    estimate.times = {{"weigh", 1}};
    estimate.searched = name_ == searching;
    return estimate;
  }
  void start(const Pose& /*pose*/) override {}
  void restart() override {}
  void set_particles(std::size_t /*count*/) override {}
  void set_search_rest(int /*factor*/) override {}
  const Skeleton& skeleton() const override { return skeleton_; }
  std::vector<Vec3> particle_joints(std::size_t most) override { return std::vector<Vec3>(most); }
  bool undecided() const override { return false; }
  std::vector<Estimate> revised() override { return {}; }
  std::unique_ptr<PoseFilter> take_other_facing() override { return std::move(other_); }
  double log_posterior() override { return posterior_; }
  double facing_cost() const override { return 0; }
  void keep_facing(bool /*keep*/) override {}

private:
  double name_;
  std::vector<double> posteriors_;
  std::unique_ptr<PoseFilter> other_;
  Skeleton skeleton_;
  std::size_t next_ = 0;
  double posterior_ = 0;
};

std::unique_ptr<Filter> filter_of(std::vector<double> fronts, std::vector<double> backs) {
  return follow_both_facings(
      std::make_unique<Scripted>(front, std::move(fronts), std::make_unique<Scripted>(back, std::move(backs))));
}

// The names given out in `count` frames.
std::vector<double> names(Filter& filter, std::size_t count) {
  std::vector<double> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(filter.track({static_cast<double>(i), {}}).confidence);
  return result;
}

TEST(FacingFilter, GoesOnAloneWhereThereIsNoOtherFacing) {
  const auto filter = follow_both_facings(std::make_unique<Scripted>(front, std::vector<double>(3, 0.0)));
  EXPECT_EQ(names(*filter, 3), (std::vector<double>{front, front, front}));
  EXPECT_FALSE(filter->undecided());
  EXPECT_TRUE(filter->revised().empty());
}

TEST(FacingFilter, DecidesAtOnceWhereOneIsClearlyLikelier) {
  const auto filter = filter_of({-10, -10}, {-100, -100});
  EXPECT_EQ(names(*filter, 1), std::vector<double>{front});
  EXPECT_FALSE(filter->undecided());
  EXPECT_EQ(filter->revised().size(), 1u);
  EXPECT_TRUE(filter->revised().empty()) << "once";
}

TEST(FacingFilter, RevisesTheFramesBeforeAChange) {
  const auto filter = filter_of({-10, -10, -40, -90}, {-10, -10, -20, -10});
  EXPECT_EQ(names(*filter, 2), (std::vector<double>{front, front}));
  EXPECT_TRUE(filter->undecided());
  // on the mean 7 better, then 25: given out, then decided
  EXPECT_EQ(filter->track({2, {}}).confidence, back);
  EXPECT_TRUE(filter->undecided());
  EXPECT_EQ(filter->track({3, {}}).confidence, back);
  EXPECT_FALSE(filter->undecided());
  const std::vector<Estimate> revised = filter->revised();
  ASSERT_EQ(revised.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(revised[i].confidence, back);
    EXPECT_EQ(revised[i].time, static_cast<double>(i));
  }
}

TEST(FacingFilter, DecidesInTheEndHoweverAlikeTheyAre) {
  const auto filter = filter_of(std::vector<double>(20, -10), std::vector<double>(20, -9));
  std::size_t frames = 0;
  do {
    filter->track({static_cast<double>(frames++), {}});
  } while (filter->undecided() && frames < 20);
  EXPECT_LT(frames, 20u);
  const std::vector<Estimate> revised = filter->revised();
  EXPECT_EQ(revised.size(), frames);
  EXPECT_EQ(revised.back().confidence, back);
}

TEST(FacingFilter, TheOneThatIsNotLostWins) {
  EXPECT_EQ(names(*filter_of({-10, lost, -10}, {-12, -12, -12}), 3), (std::vector<double>{front, back, back}));
  EXPECT_EQ(names(*filter_of({-10, -10, -10}, {-9, lost, -9}), 3), (std::vector<double>{front, front, front}));
  const auto both = filter_of({-10, lost, -10}, {-9, lost, -9});
  EXPECT_EQ(names(*both, 3), (std::vector<double>{front, front, front}));
  EXPECT_FALSE(both->undecided());
}

TEST(FacingFilter, APoseToStartFromEndsTheComparison) {
  const auto filter = filter_of({-10, -10}, {-9, -9});
  EXPECT_EQ(names(*filter, 1), std::vector<double>{front});
  EXPECT_TRUE(filter->undecided());
  filter->start(Pose{});
  EXPECT_FALSE(filter->undecided());
  EXPECT_EQ(filter->revised().size(), 1u);
}

TEST(FacingFilter, BothFiltersTakeTime) {
  const Estimate estimate = filter_of({-10}, {-9})->track({0, {}});
  ASSERT_EQ(estimate.times.size(), 1u);
  EXPECT_EQ(estimate.times.front().ms, 2);
  EXPECT_EQ(estimate.confidence, front);
  EXPECT_TRUE(estimate.searched) << "by the other one";
}

}  // namespace
}  // namespace kinema::body
