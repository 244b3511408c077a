// One face from frame to frame: where it was, and what is learnt of its head and expressions.
#pragma once

#include "core/pose_smoothing.h"
#include "core/stopwatch.h"
#include "face/constants.h"
#include "face/tracker/frame_picture.h"
#include "face/tracker/landmark_smoothing.h"
#include "kinema/face_tracker.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace kinema::face {

/// The distance that normalises errors and speeds: between the outer corners of the eyes if they are known.
inline double size_of(const Model& model, const Fit& fit) {
  const auto [left, right] = model.layout.outer_eyes;
  if (left < 0 || right < 0) return std::hypot(fit.pose.a, fit.pose.b);
  const auto at = [&](int i, std::size_t axis) {
    return static_cast<double>(fit.landmarks[2 * static_cast<std::size_t>(i) + axis]);
  };
  return std::max(1.0, std::hypot(at(left, 0) - at(right, 0), at(left, 1) - at(right, 1)));
}

class FollowedFace {
public:
  explicit FollowedFace(const TrackerSettings& settings) : model_(settings.model.get()) {
    if (settings.smoothing > 0) smoothing_.emplace(settings.smoothing, smoothing_rise);
    if (!settings.head) return;
    head_.emplace(*settings.head);
    if (settings.head_smoothing > 0)
      head_smoothing_.emplace(PoseSmoothingRates{settings.head_smoothing, pose_turn_rise, pose_move_rise,
                                                 pose_expression_rise, speed_cutoff});
    if (settings.expression) expressions_.emplace(*settings.expression);
  }

  /// Landmarks of the last frame, if it was trusted; those of the last frame that was; and frames since.
  const std::vector<float>* last() const { return missed_ == 0 && !last_seen_.empty() ? &last_seen_ : nullptr; }
  const std::vector<float>& last_seen() const { return last_seen_; }
  int missed() const { return missed_; }

  /// A frame that shows it: smooths its landmarks, and places its head.
  void see(FramePicture& image, Estimate& estimate) {
    last_seen_ = estimate.fit.landmarks;
    missed_ = 0;
    estimate.landmarks = estimate.fit.landmarks;
    if (smoothing_) {
      if (estimate.detected) smoothing_->reset();
      estimate.landmarks = smoothing_->smooth(estimate.fit.landmarks, estimate.time, size_of(*model_, estimate.fit));
    }
    place_head(image, estimate);
  }

  /// A frame that does not.
  void miss() {
    ++missed_;
    reset_smoothing();
  }

  /// What was learnt of the person is kept.
  void forget_place() {
    last_seen_.clear();
    missed_ = 0;
    reset_smoothing();
  }

  void set_neutral() {
    if (expressions_) expressions_->set_neutral();
  }

private:
  void reset_smoothing() {
    if (smoothing_) smoothing_->reset();
    if (head_smoothing_) head_smoothing_->reset();
  }

  // From the landmarks of this frame alone: those that are smoothed lag behind.
  void place_head(FramePicture& image, Estimate& estimate) {
    if (!head_) return;
    const Stopwatch watch;
    estimate.head = head_->follow(estimate.fit.landmarks, estimate.fit.confidence, image.width(), image.height());
    if (head_smoothing_) {
      if (!estimate.head || estimate.detected) head_smoothing_->reset();
      if (estimate.head) estimate.head = head_smoothing_->smooth(*estimate.head, estimate.time);
    }
    if (expressions_ && estimate.head) {
      const auto follow = [&](const auto& picture) {
        expressions_->follow(picture, estimate.fit.landmarks, estimate.time, *estimate.head);
      };
      image.is_grey() ? follow(image.grey_view()) : follow(image.colour_view());
    }
    estimate.times.push_back({"pose", watch.ms()});
  }

  const Model* model_;
  std::vector<float> last_seen_;
  int missed_ = 0;
  std::optional<LandmarkSmoothing> smoothing_;
  std::optional<HeadPoseSolver> head_;
  std::optional<PoseSmoothing> head_smoothing_;
  std::optional<ExpressionTracker> expressions_;
};

}  // namespace kinema::face
