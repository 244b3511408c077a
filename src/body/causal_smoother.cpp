#include "body/causal_smoother.h"

#include <utility>

namespace kinema::body {

std::vector<float> CausalSmoother::add(const TrajectoryModel& model, const RefinePoints& points,
                                       const RefineSettings& refinement, const std::vector<float>& state,
                                       double seconds, const Threads& threads) {
  TrajectoryFrame frame;
  frame.seconds = seconds;
  frame.state = state;
  frame.refinement = refinement;
  if (!frames_.empty()) {
    using namespace constants::smoothing;
    frame.points = {points.person.thinned(causal_points), points.background.thinned(causal_points / 2)};
    frame.refinement.evidence /= static_cast<double>(std::max<std::size_t>(1, frame.points.person.size()));
    frames_.push_back(std::move(frame));
    fit_trajectory(model, frames_, frames_.size() - 1, threads,
                   {.still_share = causal_still_share, .steps = causal_steps});
    frames_.back().points = {};
    if (frames_.size() > 2) frames_.erase(frames_.begin());
  } else {
    frames_.push_back(std::move(frame));
  }
  return frames_.back().state;
}

}  // namespace kinema::body
