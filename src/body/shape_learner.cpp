#include "body/shape_learner.h"

#include <algorithm>

namespace kinema::body {
namespace {

// Fits are made with so many frames. The most are a minute's, or a day's: they lie evenly in all that was seen.
constexpr std::size_t early = 4, enough = 10, most = 20;

// Of a frame.
constexpr std::size_t person_points = 1500, background_points = 750;

// Flesh that is no capsule errs in the same way in all frames, so points say less about a shape than about a pose.
constexpr double evidence_together = 3;

}  // namespace

void ShapeLearner::begin_at_size(double size) {
  const std::vector<double> larger = shape_of_size(origin_, size);
  shape_.resize(larger.size(), 0.0);
  for (std::size_t i = 0; i < larger.size(); ++i) shape_[i] += larger[i];
  kept_.clear();
}

std::optional<ShapeFit> ShapeLearner::add(const RefinePoints& points, const std::optional<Plane>& floor,
                                          const std::vector<float>& state, RefineSettings refinement,
                                          const Threads& threads) {
  RefinePoints some{points.person.thinned(person_points), points.background.thinned(background_points), floor};
  refinement.evidence /= evidence_together * static_cast<double>(std::max<std::size_t>(1, some.person.size()));
  kept_.push_back({std::move(some), state, refinement});
  const std::size_t count = kept_.size();
  if (count != early && count != enough && count != most) return std::nullopt;
  ShapeFit fit = fit_shape(origin_, kept_, threads, shape_);
  shape_ = fit.shape;
  for (std::size_t f = 0; f < count; ++f) kept_[f].state = fit.states[f];
  known_ = known_ || count >= enough;
  if (count == most) {
    // every second one goes, and from now on half as many come
    for (std::size_t f = 1; 2 * f < count; ++f) kept_[f] = std::move(kept_[2 * f]);
    kept_.resize(count / 2);
    every_ *= 2;
  }
  return fit;
}

}  // namespace kinema::body
