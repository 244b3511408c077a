#include "kinema/face_tracker.h"

#include "face/landmark_smoothing.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace kinema::face {
namespace {

// Frames after a loss in which a face that the detector does not find is looked for where it was last.
constexpr int patience = 15;

void check(const TrackerSettings& settings) {
  for (const auto& [name, value] : {std::pair{"lost", settings.lost}, {"doubt", settings.doubt}}) {
    if (!(value >= 0 && value <= 1))
      throw Error(fmt::format("{} is {}: a probability is between 0 and 1", name, value));
  }
  if (!(settings.smoothing >= 0) || !std::isfinite(settings.smoothing) || !(settings.smoothing_speed >= 0)) {
    throw Error(fmt::format("smoothing is {} Hz: give 0 or more", settings.smoothing));
  }
}

}  // namespace

struct Tracker::State {
  std::shared_ptr<const Model> model;
  TrackerSettings settings;
  Detect detect;
  std::unique_ptr<Fitter> fitter;
  std::optional<LandmarkSmoothing> smoothing;

  std::optional<Start> given;              // by start(), for the next frame
  std::optional<std::vector<float>> last;  // landmarks of the last frame, where it was trusted
  std::vector<float> seen;                 // landmarks of the last frame that was trusted
  int missed = 0;                          // frames since

  // A distance that errors and speeds are measured against: between the outer corners of the eyes where they are known.
  double size(const Fit& fit) const {
    const auto [left, right] = model->layout.outer_eyes;
    if (left < 0 || right < 0) return std::hypot(fit.pose.a, fit.pose.b);
    const auto at = [&](int i, std::size_t axis) {
      return static_cast<double>(fit.landmarks[2 * static_cast<std::size_t>(i) + axis]);
    };
    return std::max(1.0, std::hypot(at(left, 0) - at(right, 0), at(left, 1) - at(right, 1)));
  }

  Fit from_last(const GreyView& image) {
    Start start;
    start.landmarks = *last;
    start.keep_shape = true;
    return fitter->fit({image, start, false});
  }

  /// The best fit from the boxes of the detector.
  std::optional<Fit> from_detector(const GreyView& image) {
    if (!detect) return std::nullopt;
    const std::vector<Start::Box> boxes = detect(image);
    std::optional<Fit> best;
    for (std::size_t i = 0; i < std::min(boxes.size(), static_cast<std::size_t>(std::max(1, settings.boxes))); ++i) {
      Start start;
      start.box = boxes[i];
      Fit fit = fit_again(*fitter, *model, {image, start, false});
      if (!best || fit.failure < best->failure) best = std::move(fit);
      if (best->failure <= settings.doubt) break;
    }
    return best;
  }

  /// Where the face was last: turned heads escape detectors, and seldom go far.
  std::optional<Fit> from_seen(const GreyView& image) {
    if (seen.empty() || missed > patience) return std::nullopt;
    Start start;
    start.landmarks = seen;
    return fit_again(*fitter, *model, {image, start, false});
  }
};

Tracker::Tracker(std::shared_ptr<const Model> model, const TrackerSettings& settings, Detect detect, Backend backend)
    : state_(std::make_unique<State>()) {
  check(settings);
  state_->model = model;
  state_->settings = settings;
  state_->detect = std::move(detect);
  state_->fitter = make_fitter(std::move(model), settings.fit, backend);
  if (settings.smoothing > 0) state_->smoothing.emplace(settings.smoothing, settings.smoothing_speed);
}

Tracker::~Tracker() = default;
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;

void Tracker::start(const Start& start) { state_->given = start; }

TrackedFace Tracker::track(const GreyView& image, double time) {
  State& state = *state_;
  TrackedFace tracked;
  std::optional<Fit> fit;

  // go on from what is known: a start that was given, or the last frame
  if (state.given) {
    fit = state.fitter->fit({image, *std::exchange(state.given, std::nullopt), false});
    tracked.detected = true;
  } else if (state.last) {
    fit = state.from_last(image);
  }

  // lost or in doubt: look for the face, in the same frame, and take the better
  if (!fit || fit->failure > state.settings.doubt) {
    std::optional<Fit> found = state.from_detector(image);
    if (found && (!fit || found->failure < fit->failure)) {
      fit = std::move(found);
      tracked.detected = true;
    }
  }

  if (!state.last && (!fit || fit->failure > state.settings.lost)) {
    std::optional<Fit> found = state.from_seen(image);
    if (found && (!fit || found->failure < fit->failure)) {
      fit = std::move(found);
      tracked.detected = true;
    }
  }

  tracked.tried = fit.has_value();
  tracked.found = fit && fit->failure <= state.settings.lost;
  if (fit) tracked.fit = std::move(*fit);
  if (!tracked.found) {
    state.last.reset();
    ++state.missed;
    if (state.smoothing) state.smoothing->reset();
    return tracked;
  }
  state.last = state.seen = tracked.fit.landmarks;
  state.missed = 0;
  tracked.landmarks = tracked.fit.landmarks;
  if (state.smoothing) {
    if (tracked.detected) state.smoothing->reset();
    tracked.landmarks = state.smoothing->smooth(tracked.fit.landmarks, time, state.size(tracked.fit));
  }
  return tracked;
}

}  // namespace kinema::face
