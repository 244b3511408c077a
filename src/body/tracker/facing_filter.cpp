// Front and back of a person are so similar that one frame often cannot tell them apart, and a filter that took the
// wrong one stays with it. In the first frames, and whenever a rival faces the other way, both are therefore followed,
// each by a filter of its own, until one explains what was seen clearly better.
#include "body/constants_mechanisms.h"
#include "body/tracker/constants_search.h"
#include "body/tracker/pose_filter.h"
#include "core/geometry.h"

#include <cmath>
#include <utility>

namespace kinema::body {
namespace {

using namespace constants::facing;

class FacingFilter final : public Filter {
public:
  explicit FacingFilter(std::unique_ptr<PoseFilter> own) : own_(std::move(own)) {}

  Estimate track(const Frame& frame) override {
    Estimate estimate = own_->track(frame);
    std::unique_ptr<PoseFilter> found = own_->take_other_facing();
    if (found) {
      other_ = std::move(found);
      own_->keep_facing(true);
      other_->keep_facing(true);
      advantage_ = 0;
      history_.clear();
      other_history_.clear();
    }
    if (!other_) return estimate;
    Estimate other = other_->track(frame);
    for (const StageTime& time : other.times) add(estimate, time);
    other.times = estimate.times;
    other.searched = estimate.searched = estimate.searched || other.searched;
    other.shape_fitted = estimate.shape_fitted = estimate.shape_fitted || other.shape_fitted;
    history_.push_back(estimate);
    other_history_.push_back(other);
    compare();
    estimate = history_.back();
    if (mechanisms::facing_doubt && other_) add_doubt(estimate, other_history_.back());
    return estimate;
  }

  void start(const Pose& pose) override {
    decide();
    own_->start(pose);
  }

  void restart() override {
    decide();
    own_->restart();
  }

  void set_particles(std::size_t count) override {
    own_->set_particles(count);
    if (other_) other_->set_particles(count);
  }

  void set_search_rest(int factor) override {
    own_->set_search_rest(factor);
    if (other_) other_->set_search_rest(factor);
  }

  bool undecided() const override { return other_ != nullptr; }
  std::vector<Estimate> revised() override { return std::exchange(history_, {}); }
  const Skeleton& skeleton() const override { return own_->skeleton(); }
  std::vector<Vec3> particle_joints(std::size_t most) override { return own_->particle_joints(most); }

private:
  static void add(Estimate& estimate, const StageTime& time) {
    for (StageTime& own : estimate.times) {
      if (own.stage == time.stage) {
        own.ms += time.ms;
        return;
      }
    }
    estimate.times.push_back(time);
  }

  // Weighs the two against each other with the last frame; the likelier one is the filter's own from then on.
  void compare() {
    const bool own_found = history_.back().found, other_found = other_history_.back().found;
    if (own_found && other_found) {
      advantage_ += other_->log_posterior() - own_->log_posterior();
      const double likelier = log_ratio();
      if (likelier > (history_.size() < longest ? change_log_ratio : 0)) swap();
      if (std::abs(likelier) < decided_log_ratio && history_.size() < longest) return;
    } else if (other_found) {
      swap();
    }
    decide();
  }

  // How much likelier the other one is by now, as a logarithm. The mean of the frames, not their sum: consecutive ones
  // err alike.
  double log_ratio() const {
    return advantage_ / static_cast<double>(history_.size()) - (other_->facing_cost() - own_->facing_cost());
  }

  // Joints may be where the other facing has them.
  void add_doubt(Estimate& estimate, const Estimate& other) const {
    const double share = 1 / (1 + std::exp(-log_ratio() / ratio_together));
    for (std::size_t j = 0; j < estimate.deviation.size(); ++j) {
      const double away = norm(other.joints[j] - estimate.joints[j]);
      estimate.deviation[j] = std::hypot(estimate.deviation[j], away * std::sqrt(share / 3));
    }
  }

  void swap() {
    std::swap(own_, other_);
    std::swap(history_, other_history_);
    advantage_ = -advantage_;
  }

  void decide() {
    other_.reset();
    other_history_.clear();
    own_->keep_facing(false);
  }

  std::unique_ptr<PoseFilter> own_, other_;  // the likelier one; the other while undecided
  double advantage_ = 0;                     // sum of the logarithms by which the other was likelier in each frame
  std::vector<Estimate> history_, other_history_;
};

}  // namespace

std::unique_ptr<Filter> follow_both_facings(std::unique_ptr<PoseFilter> own) {
  return std::make_unique<FacingFilter>(std::move(own));
}

std::unique_ptr<Filter> make_filter(const TrackerSettings& settings, const Compute& compute) {
  return follow_both_facings(make_pose_filter(settings, compute));
}

}  // namespace kinema::body
