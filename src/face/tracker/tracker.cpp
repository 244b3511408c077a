#include "kinema/face_tracker.h"

#include "core/pose_smoothing.h"
#include "core/stopwatch.h"
#include "face/constants.h"
#include "face/tracker/landmark_smoothing.h"
#include "kinema/error.h"
#include "kinema/grey.h"
#include "kinema/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace kinema::face {
namespace {

void check(const TrackerSettings& settings) {
  for (const auto& [name, value] : {std::pair{"lost", settings.lost}, {"doubt", settings.doubt}}) {
    if (!(value >= 0 && value <= 1))
      throw Error(fmt::format("{} is {}: a probability is between 0 and 1", name, value));
  }
  if (!(settings.smoothing >= 0) || !std::isfinite(settings.smoothing)) {
    throw Error(fmt::format("smoothing is {} Hz: give 0 or more", settings.smoothing));
  }
  if (!(settings.head_smoothing >= 0) || !std::isfinite(settings.head_smoothing)) {
    throw Error(fmt::format("smoothing of the pose is {} Hz: give 0 or more", settings.head_smoothing));
  }
}

// A frame as the fitter and the detector want it: a fitter on a device may take colour, the detector needs grey.
class GreyOrColour {
public:
  explicit GreyOrColour(const GreyView& grey) : grey_(grey) {}
  explicit GreyOrColour(const ColourView& colour) : colour_(colour) {}

  const GreyView& grey() {
    if (grey_.data == nullptr) {
      const Stopwatch watch;
      made_ = grey_of(colour_);
      grey_ = {made_.data(), colour_.width, colour_.height, colour_.width};
      conversion_ms_ += watch.ms();
    }
    return grey_;
  }

  Face face(const Fitter& fitter, Start start) {
    if (colour_.data != nullptr && fitter.takes_colour()) return {{}, std::move(start), false, colour_};
    return {grey(), std::move(start), false};
  }

  // As it came: of colour, only what lies about the eyes is converted.
  void express(ExpressionTracker& expressions, const Estimate& estimate, HeadPose& pose) const {
    if (grey_.data != nullptr) {
      expressions.follow(grey_, estimate.fit.landmarks, estimate.time, pose);
    } else {
      expressions.follow(colour_, estimate.fit.landmarks, estimate.time, pose);
    }
  }

  double conversion_ms() const { return conversion_ms_; }

  std::size_t width() const { return colour_.data != nullptr ? colour_.width : grey_.width; }
  std::size_t height() const { return colour_.data != nullptr ? colour_.height : grey_.height; }

private:
  GreyView grey_{};
  ColourView colour_{};
  std::vector<std::uint8_t> made_;
  double conversion_ms_ = 0;
};

}  // namespace

struct Tracker::State {
  TrackerSettings settings;
  std::unique_ptr<Fitter> fitter;
  std::optional<LandmarkSmoothing> smoothing;
  std::optional<HeadPoseSolver> head;
  std::optional<PoseSmoothing> head_smoothing;
  std::optional<ExpressionTracker> expressions;

  std::optional<Start> given;              // by start(), for the next frame
  std::optional<std::vector<float>> last;  // landmarks of the last frame, if it was trusted
  std::vector<float> last_seen;            // landmarks of the last frame that was trusted
  int missed = 0;                          // frames since
  double detect_ms = 0;                    // in this frame

  // The distance that normalises errors and speeds: between the outer corners of the eyes if they are known.
  double size(const Fit& fit) const {
    const auto [left, right] = settings.model->layout.outer_eyes;
    if (left < 0 || right < 0) return std::hypot(fit.pose.a, fit.pose.b);
    const auto at = [&](int i, std::size_t axis) {
      return static_cast<double>(fit.landmarks[2 * static_cast<std::size_t>(i) + axis]);
    };
    return std::max(1.0, std::hypot(at(left, 0) - at(right, 0), at(left, 1) - at(right, 1)));
  }

  Estimate track(GreyOrColour& image, double time);

  // From the landmarks of this frame alone: those that are smoothed lag behind.
  void place_head(const GreyOrColour& image, Estimate& estimate) {
    if (!head) return;
    const Stopwatch watch;
    estimate.head = head->follow(estimate.fit.landmarks, estimate.fit.confidence, image.width(), image.height());
    if (head_smoothing) {
      if (!estimate.head || estimate.detected) head_smoothing->reset();
      if (estimate.head) estimate.head = head_smoothing->smooth(*estimate.head, estimate.time);
    }
    if (expressions && estimate.head) image.express(*expressions, estimate, *estimate.head);
    estimate.times.push_back({"pose", watch.ms()});
  }

  Fit from_last(GreyOrColour& image) {
    Start start;
    start.landmarks = *last;
    return fitter->fit(image.face(*fitter, start));
  }

  /// The best fit from the boxes of the detector.
  std::optional<Fit> from_detector(GreyOrColour& image) {
    if (!settings.detect) return std::nullopt;
    const GreyView& grey = image.grey();
    const Stopwatch watch;
    const std::vector<Start::Box> boxes = settings.detect(grey);
    detect_ms += watch.ms();
    std::optional<Fit> best;
    for (std::size_t i = 0; i < std::min(boxes.size(), static_cast<std::size_t>(std::max(1, settings.boxes))); ++i) {
      Start start;
      start.box = boxes[i];
      Fit fit = fit_again(*fitter, *settings.model, image.face(*fitter, start));
      if (!best || fit.failure < best->failure) best = std::move(fit);
      if (best->failure <= settings.doubt) break;
    }
    return best;
  }

  /// The last position: detectors miss turned heads, which seldom move far.
  std::optional<Fit> from_last_seen(GreyOrColour& image) {
    if (last_seen.empty() || missed > search_frames) return std::nullopt;
    Start start;
    start.landmarks = last_seen;
    return fit_again(*fitter, *settings.model, image.face(*fitter, start));
  }
};

Tracker::Tracker(const TrackerSettings& settings, const Compute& compute) : state_(std::make_unique<State>()) {
  check(settings);
  state_->settings = settings;
  state_->fitter = make_fitter(settings.model, settings.fit, compute);
  if (settings.smoothing > 0) state_->smoothing.emplace(settings.smoothing, smoothing_rise);
  if (settings.model->shape.landmarks() != HeadPoseSolver::landmarks) state_->settings.head.reset();
  if (state_->settings.head) {
    state_->head.emplace(*settings.head);
    if (settings.head_smoothing > 0) {
      state_->head_smoothing.emplace(PoseSmoothingRates{settings.head_smoothing, pose_turn_rise, pose_move_rise,
                                                        pose_expression_rise, speed_cutoff});
    }
    if (settings.expression) state_->expressions.emplace(*settings.expression);
  }
}

Tracker::~Tracker() = default;
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;

void Tracker::expect(const GreyView& image) { state_->fitter->expect({image, {}, false}); }

void Tracker::expect(const ColourView& image) {
  if (state_->fitter->takes_colour()) state_->fitter->expect({{}, {}, false, image});
}

std::vector<PlacedStage> Tracker::stages() const { return state_->fitter->stages(); }

Estimate Tracker::track(const io::Frame& frame) {
  return frame.gap.empty() ? track(frame.view(), frame.time) : skip(frame.time, frame.gap);
}

Estimate Tracker::track(const ColourView& image, double time) {
  GreyOrColour picture(image);
  if (!state_->fitter->takes_colour()) picture.grey();
  Estimate estimate = state_->track(picture, time);
  estimate.times.insert(estimate.times.begin(), {"convert", picture.conversion_ms()});
  return estimate;
}

Estimate Tracker::track(const GreyView& image, double time) {
  GreyOrColour picture(image);
  return state_->track(picture, time);
}

Estimate Tracker::skip(double time, const std::string& why) {
  state_->fitter->expect({});  // what was copied is of this frame
  Estimate estimate;
  estimate.time = time;
  estimate.why = why;
  return estimate;
}

void Tracker::start(const Start& start) { state_->given = start; }

void Tracker::restart() {
  State& state = *state_;
  state.given.reset();
  state.last.reset();
  state.last_seen.clear();
  state.missed = 0;
  if (state.smoothing) state.smoothing->reset();
  if (state.head_smoothing) state.head_smoothing->reset();
}

void Tracker::set_neutral() {
  if (state_->expressions) state_->expressions->set_neutral();
}

const TrackerSettings& Tracker::settings() const { return state_->settings; }
Backend Tracker::backend() const { return state_->fitter->backend(); }

Estimate Tracker::State::track(GreyOrColour& image, double time) {
  State& state = *this;
  state.detect_ms = 0;
  const Stopwatch watch;
  Estimate estimate;
  estimate.time = time;
  std::optional<Fit> fit;

  // continue from what is known: a given start, or the last frame
  if (state.given) {
    fit = state.fitter->fit(image.face(*state.fitter, *std::exchange(state.given, std::nullopt)));
    estimate.detected = true;
  } else if (state.last) {
    fit = state.from_last(image);
  }

  // lost or in doubt: detect the face in the same frame, and take the better fit
  if (!fit || fit->failure > state.settings.doubt) {
    std::optional<Fit> found = state.from_detector(image);
    if (found && (!fit || found->failure < fit->failure)) {
      fit = std::move(found);
      estimate.detected = true;
    }
  }

  if (!state.last && (!fit || fit->failure > state.settings.lost)) {
    std::optional<Fit> found = state.from_last_seen(image);
    if (found && (!fit || found->failure < fit->failure)) {
      fit = std::move(found);
      estimate.detected = true;
    }
  }
  estimate.times = {{"detect", state.detect_ms}, {"fit", watch.ms() - state.detect_ms}};

  estimate.tried = fit.has_value();
  if (!estimate.tried) fitter->expect({});  // what was copied is of this frame, whose pixels may change now
  estimate.found = fit && fit->failure <= state.settings.lost;
  if (fit) {
    estimate.confidence = fit->quality;
    estimate.fit = std::move(*fit);
  }
  if (!estimate.found) {
    estimate.why = estimate.tried ? "lost: the score does not trust the fit" : "no face was found";
    state.last.reset();
    ++state.missed;
    if (state.smoothing) state.smoothing->reset();
    if (state.head_smoothing) state.head_smoothing->reset();
    return estimate;
  }
  state.last = state.last_seen = estimate.fit.landmarks;
  state.missed = 0;
  estimate.landmarks = estimate.fit.landmarks;
  if (state.smoothing) {
    if (estimate.detected) state.smoothing->reset();
    estimate.landmarks = state.smoothing->smooth(estimate.fit.landmarks, time, state.size(estimate.fit));
  }
  state.place_head(image, estimate);
  return estimate;
}

}  // namespace kinema::face
