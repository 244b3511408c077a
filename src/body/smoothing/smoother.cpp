// Keeps the frames of a window and fits a trajectory through it: once there are 2 lag frames, the first half is
// settled, so that each has at least `lag` later frames, and the second half waits.
#include "kinema/body_smoother.h"

#include "body/constants.h"
#include "body/constants_mechanisms.h"
#include "body/particles/motion.h"
#include "body/refine/denoised_points.h"
#include "body/smoothing/anatomical_joints.h"
#include "body/smoothing/constants_smoothing.h"
#include "body/smoothing/deviation.h"
#include "body/smoothing/trajectory.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace kinema::body {
namespace {

using namespace constants::smoothing;

// Settled frames from which the next ones continue: two give position and velocity.
constexpr std::size_t gone_on_from = 2;

bool same(const Vec3& a, const Vec3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// Whether a pose is the same in both.
bool same_person(const Skeleton& a, const Skeleton& b) {
  return std::equal(a.joints.begin(), a.joints.end(), b.joints.begin(), b.joints.end(),
                    [](const Joint& x, const Joint& y) { return same(x.offset, y.offset); }) &&
         std::equal(a.capsules.begin(), a.capsules.end(), b.capsules.begin(), b.capsules.end(),
                    [](const SkinCapsule& x, const SkinCapsule& y) {
                      return same(x.a, y.a) && same(x.b, y.b) && x.radius == y.radius;
                    });
}

class TrajectorySmoother final : public Smoother {
public:
  TrajectorySmoother(const TrackerSettings& settings, std::size_t lag, int threads)
      : settings_(settings), lag_(lag), threads_(threads) {}

  std::vector<Estimate> add(const Frame& frame, const Estimate& estimate, const Skeleton& skeleton) override {
    if (lag_ == 0) return {estimate};
    std::vector<Estimate> settled;
    if (!estimate.found) {
      settled = finish();
      settled.push_back(estimate);
      return settled;
    }
    if (!frames_.empty() && found_anew(frame, estimate)) {
      set_skeleton(skeleton);
      settled = finish();
    }
    if (frames_.empty()) set_skeleton(skeleton);
    keep(frame, estimate);
    set_skeleton(skeleton);  // a tracker may have measured the person in this very frame, after posing it
    if (estimates_.size() / 2 < lag_) return settled;
    const std::vector<Estimate> first = settle(lag_);
    settled.insert(settled.end(), first.begin(), first.end());
    return settled;
  }

  std::vector<Estimate> finish() override {
    const std::vector<Estimate> settled = settle(estimates_.size());
    frames_.clear();
    last_seen_.clear();
    return settled;
  }

private:
  bool found_anew(const Frame& frame, const Estimate& estimate) const {
    const std::vector<float> now = to_state(skeleton_, estimate.pose);
    float away[root_tangent];
    root_difference(frames_.back().state.data(), now.data(), away);
    const double seconds = seconds_to(frame);
    return std::hypot(away[0], away[1], away[2]) > jump + fastest * seconds ||
           std::hypot(away[3], away[4], away[5]) > spin + fastest_turn * seconds;
  }

  // Counted as by a tracker.
  double seconds_to(const Frame& frame) const {
    using namespace constants::pipeline;
    return std::clamp(frames_.empty() ? usual_interval : frame.time - last_time_, shortest_interval, longest_interval);
  }

  // The same person with a better measured shape, or another person.
  void set_skeleton(const Skeleton& skeleton) {
    if (flat_ && same_person(skeleton, skeleton_)) return;
    skeleton_ = skeleton;
    flat_ = std::make_unique<FlatSkeleton>(skeleton);
    model_.emplace(skeleton, flat_->view());
    flesh_radii_ = flesh_radii(skeleton);
    anatomical_.emplace(skeleton);
    // poses of other bone lengths: settled ones cannot be continued, and the others must be fitted again
    frames_.erase(frames_.begin(), frames_.end() - static_cast<std::ptrdiff_t>(estimates_.size()));
    if (!mechanisms::refitted_frames) return;
    threads_.for_each(frames_.size(), [&](std::size_t i) {
      TrajectoryFrame& frame = frames_[i];
      const PosePrior prior = expected_pose(skeleton_, frame.state, frame.seconds);
      refine(flat_->view(), frame.points, prior, frame.refinement, frame.state);
    });
  }

  void keep(const Frame& frame, const Estimate& estimate) {
    RefinePoints points;
    denoised_.set(frame.points, settings_.sensor_noise, estimate.pose.position.z);
    points.set(denoised_.view(), smoothed_points, smoothed_background_points);
    TrajectoryFrame kept;
    kept.seconds = seconds_to(frame);
    last_time_ = frame.time;
    kept.state = to_state(skeleton_, estimate.pose);
    kept.refinement = refine_settings(settings_, points.person.size(), denoised_.noise());
    const PointList some = points.person.thinned(constants::deviation::residual_points);
    const ErrorSources sources{residual_deviation(flat_->view(), some, kept.state, threads_),
                               kept.refinement.deviation(), settings_.shared_noise * kept.state[2] * kept.state[2],
                               settings_.fit_shape};
    kept.refinement.evidence /= std::max(least_evidence_shared, evidence_shared(sources));
    kept.points = std::move(points);
    frames_.push_back(std::move(kept));
    estimates_.push_back(estimate);
    error_sources_.push_back(sources);
  }

  // What somebody was found to do in the end may explain the frames before better than the poses found then, in a start
  // or a limb that was lost: follows each pose of the window back in time, and keeps the better one of every frame.
  void follow_backwards(std::size_t first) {
    const Kinematics kinematics = flat_->view();
    const auto explained = [&](const TrajectoryFrame& frame, std::span<const float> state) {
      return point_evidence(kinematics, frame.points, frame.refinement, state, threads_).cost +
             model_->comfort.cost(state);
    };
    const auto refined = [&](std::size_t t, std::vector<float> state) {
      const PosePrior prior = expected_pose(skeleton_, state, frames_[t + 1].seconds);
      refine(kinematics, frames_[t].points, prior, frames_[t].refinement, state, &threads_);
      return state;
    };
    for (std::size_t t = frames_.size() - 1; t-- > first;) {
      TrajectoryFrame& frame = frames_[t];
      const std::vector<float> state = refined(t, frames_[t + 1].state);
      const double enough = frame.refinement.projective ? clearly_better : clearly_better_seen;
      const double most = explained(frame, state) + enough;
      // whatever is not better than the frame's own pose is not better than the same one improved
      if (explained(frame, frame.state) > most && explained(frame, refined(t, frame.state)) > most) frame.state = state;
    }
  }

  // Fits all, returns the first `count` and keeps those from which the rest continues.
  std::vector<Estimate> settle(std::size_t count) {
    if (count == 0) return {};
    const std::size_t before = frames_.size() - estimates_.size();
    // somebody who comes in, or out from behind somebody else, is half seen at first
    const bool often_wrong = frames_.back().refinement.projective || settings_.people != 1;
    if (mechanisms::followed_back && often_wrong) follow_backwards(before);
    fit_trajectory(*model_, frames_, before, threads_, {.passes = speed_passes});
    std::vector<Estimate> settled;
    for (std::size_t i = 0; i < count; ++i) {
      settled.push_back(smoothed(estimates_[i], frames_[before + i], error_sources_[i]));
      if (settings_.people != 1) doubt_unseen(settled.back(), frames_[before + i].points.person);
    }
    const auto drop = [](auto& list, std::size_t many) {
      list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(many));
    };
    drop(estimates_, count);
    drop(error_sources_, count);
    drop(frames_, before + count - std::min(before + count, gone_on_from));
    return settled;
  }

  Estimate smoothed(Estimate estimate, const TrajectoryFrame& frame, const ErrorSources& sources) const {
    estimate.pose = to_pose(frame.state);
    std::vector<Place> places(skeleton_.joints.size());
    place_joints(flat_->view(), frame.state.data(), places.data());
    const std::vector<double> variances = joint_variances(flat_->view(), frame.state, frame.covariance);
    estimate.joints.clear();
    estimate.deviation.clear();
    for (std::size_t j = 0; j < places.size(); ++j) {
      const Vec3f origin = places[j].origin;
      estimate.joints.push_back({origin.x, origin.y, origin.z});
      const double deviation = smoothed_deviation(variances[j], flesh_radii_[j], sources);
      const std::vector<double>& shape = estimate.shape_deviation;
      estimate.deviation.push_back(j < shape.size() ? std::hypot(deviation, shape[j]) : deviation);
    }
    estimate.anatomical = anatomical_->angles(estimate.pose.angles, frame.covariance, sources);
    return estimate;
  }

  // A limb that moved while somebody hid it may as well not have moved.
  void doubt_unseen(Estimate& estimate, const PointList& points) {
    last_seen_.resize(estimate.joints.size());
    for (std::size_t j = 0; j < last_seen_.size(); ++j) {
      const Vec3 at = estimate.joints[j], away = at - estimate.joints.front();
      std::size_t near = 0;
      for (std::size_t i = 0; i < points.size() && near < seen_points; ++i)
        near += norm(Vec3{points[i].x, points[i].y, points[i].z} - at) < flesh_radii_[j] + seen_within;
      if (near >= seen_points)
        last_seen_[j] = away;
      else if (last_seen_[j])
        estimate.deviation[j] = std::hypot(estimate.deviation[j], unseen_share * norm(away - *last_seen_[j]));
    }
  }

  TrackerSettings settings_;
  std::size_t lag_;
  Threads threads_;
  Skeleton skeleton_;
  std::unique_ptr<FlatSkeleton> flat_;
  std::optional<TrajectoryModel> model_;
  std::vector<double> flesh_radii_;  // (joints)
  std::optional<AnatomicalJoints> anatomical_;
  DenoisedPoints denoised_;              // of the last frame
  std::vector<TrajectoryFrame> frames_;  // the last settled ones, then the window
  std::vector<Estimate> estimates_;      // of the window
  std::vector<ErrorSources> error_sources_;
  std::vector<std::optional<Vec3>> last_seen_;  // each joint from the first one; nothing before
  double last_time_ = 0;
};

}  // namespace

std::unique_ptr<Smoother> make_smoother(const TrackerSettings& settings, std::size_t lag, const Compute& compute) {
  return std::make_unique<TrajectorySmoother>(settings, lag, compute.threads);
}

}  // namespace kinema::body
