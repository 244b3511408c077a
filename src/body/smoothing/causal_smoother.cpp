#include "body/smoothing/causal_smoother.h"

#include <algorithm>
#include <utility>

namespace kinema::body {
namespace {

using namespace constants::smoothing;

Vec3 between(const Vec3& a, const Vec3& b, double share) { return (1 - share) * a + share * b; }

// A person whose shape is between those of two skeletons of the same joints.
Skeleton between(const Skeleton& a, const Skeleton& b, double share) {
  Skeleton result = b;
  for (std::size_t j = 0; j < b.joints.size(); ++j)
    result.joints[j].offset = between(a.joints[j].offset, b.joints[j].offset, share);
  for (std::size_t k = 0; k < b.capsules.size(); ++k) {
    SkinCapsule& capsule = result.capsules[k];
    capsule.a = between(a.capsules[k].a, b.capsules[k].a, share);
    capsule.b = between(a.capsules[k].b, b.capsules[k].b, share);
    capsule.radius = (1 - share) * a.capsules[k].radius + share * b.capsules[k].radius;
  }
  return result;
}

}  // namespace

void CausalSmoother::restart() {
  frames_.clear();
  if (changed_ < 1) show(target_);
  changed_ = 1;
}

void CausalSmoother::set_skeleton(const Skeleton& skeleton) {
  target_ = skeleton;
  if (frames_.empty()) {
    show(skeleton);
  } else {
    before_ = *skeleton_;
    changed_ = 0;
  }
}

void CausalSmoother::show(const Skeleton& skeleton) {
  skeleton_ = std::make_shared<const Skeleton>(skeleton);
  flat_ = std::make_unique<FlatSkeleton>(*skeleton_);
  model_.emplace(*skeleton_, flat_->view());
}

const TrajectoryFrame& CausalSmoother::add(const RefinePoints& points, const RefineSettings& refinement,
                                           const std::vector<float>& state, double seconds, const Threads& threads) {
  TrajectoryFrame frame;
  frame.seconds = seconds;
  frame.state = state;
  frame.refinement = refinement;
  if (changed_ < 1) {
    changed_ = std::min(1.0, changed_ + seconds / shape_transition);
    show(between(before_, target_, changed_ * changed_ * (3 - 2 * changed_)));
  }
  frame.points = points;
  frame.refinement.evidence /= static_cast<double>(std::max<std::size_t>(1, frame.points.person.size()));
  frames_.push_back(std::move(frame));
  // the first frame keeps its pose
  const bool first = frames_.size() == 1;
  fit_trajectory(*model_, frames_, frames_.size() - 1, threads,
                 {.still_share = causal_still_share,
                  .steps = first ? 0 : causal_steps,
                  .passes = first ? 1 : speed_passes,
                  .covariances = false});
  frames_.back().points = {};
  if (frames_.size() > constants::motion::speed_window) frames_.erase(frames_.begin());
  return frames_.back();
}

}  // namespace kinema::body
