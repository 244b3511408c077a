#include "body/tracker/shape_learner.h"

#include <algorithm>

namespace kinema::body {

using namespace constants::shape;

ShapeLearner::ShapeLearner(const Skeleton& skeleton, double size_deviation)
    : space_(skeleton), size_deviation_(size_deviation), mean_(space_.mean(1)), shape_(mean_) {}

void ShapeLearner::begin_at_size(double size) {
  mean_ = space_.mean(size);
  shape_ = mean_;
  kept_.clear();
}

std::optional<ShapeFit> ShapeLearner::add(const RefinePoints& points, const std::optional<Plane>& floor,
                                          const std::vector<float>& state, RefineSettings refinement,
                                          const Threads& threads) {
  RefinePoints some{points.person.thinned(shape_points), points.background.thinned(shape_background_points), floor};
  refinement.evidence /= shape_evidence_together * static_cast<double>(std::max<std::size_t>(1, some.person.size()));
  kept_.push_back({std::move(some), state, refinement});
  const std::size_t count = kept_.size();
  // the first frame only tells how little is known
  if (count == 1) joint_variance_ = fit_shape(space_, kept_, threads, mean_, size_deviation_, shape_, 0).joint_variance;
  if (count != early_shape_frames && count != enough_shape_frames && count != most_shape_frames) return std::nullopt;
  ShapeFit fit = fit_shape(space_, kept_, threads, mean_, size_deviation_, shape_);
  shape_ = fit.shape;
  joint_variance_ = fit.joint_variance;
  for (std::size_t f = 0; f < count; ++f) kept_[f].state = fit.states[f];
  known_ = known_ || count >= enough_shape_frames;
  if (count == most_shape_frames) {
    // every second one is dropped, and half as many are kept from now on
    for (std::size_t f = 1; 2 * f < count; ++f) kept_[f] = std::move(kept_[2 * f]);
    kept_.resize(count / 2);
    every_ *= 2;
  }
  return fit;
}

}  // namespace kinema::body
