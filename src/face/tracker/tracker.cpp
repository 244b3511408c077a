#include "kinema/face_tracker.h"

#include "core/stopwatch.h"
#include "face/constants.h"
#include "face/tracker/followed_face.h"
#include "face/tracker/followed_faces.h"
#include "face/tracker/frame_picture.h"
#include "kinema/error.h"
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
  if (settings.people < 0) throw Error(fmt::format("{} people: give 1 or more, or 0 for all", settings.people));
  if (!(settings.smoothing >= 0) || !std::isfinite(settings.smoothing)) {
    throw Error(fmt::format("smoothing is {} Hz: give 0 or more", settings.smoothing));
  }
  if (!(settings.head_smoothing >= 0) || !std::isfinite(settings.head_smoothing)) {
    throw Error(fmt::format("smoothing of the pose is {} Hz: give 0 or more", settings.head_smoothing));
  }
}

}  // namespace

struct Tracker::State {
  explicit State(const TrackerSettings& given_settings, const Compute& compute) : settings(given_settings) {
    check(settings);
    fitter = make_fitter(settings.model, settings.fit, compute);
    if (settings.model->shape.landmarks() != HeadPoseSolver::landmarks) settings.head.reset();
    settings.people == 1 ? void(one.emplace(settings)) : void(several.emplace(settings, *fitter, compute.threads));
  }

  TrackerSettings settings;
  std::unique_ptr<Fitter> fitter;
  std::optional<FollowedFace> one;  // or several
  std::optional<FollowedFaces> several;
  std::vector<Estimate> estimates;  // of the last frame

  std::optional<Start> given;  // by start(), for the next frame
  double detect_ms = 0;        // in this frame

  const Estimate& track(FramePicture& image, double time) {
    if (several)
      estimates = several->track(image, time);
    else
      estimates.assign(1, track_one(image, time));
    return estimates.front();
  }

  Estimate track_one(FramePicture& image, double time);

  Fit from_last(FramePicture& image) {
    Start start;
    start.landmarks = *one->last();
    return fitter->fit(image.face(*fitter, start));
  }

  /// The best fit from the boxes of the detector.
  std::optional<Fit> from_detector(FramePicture& image) {
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
  std::optional<Fit> from_last_seen(FramePicture& image) {
    if (one->last_seen().empty() || one->missed() > search_frames) return std::nullopt;
    Start start;
    start.landmarks = one->last_seen();
    return fit_again(*fitter, *settings.model, image.face(*fitter, start));
  }
};

Tracker::Tracker(const TrackerSettings& settings, const Compute& compute)
    : state_(std::make_unique<State>(settings, compute)) {}

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
  FramePicture picture(image);
  if (!state_->fitter->takes_colour()) picture.grey();
  Estimate estimate = state_->track(picture, time);
  estimate.times.insert(estimate.times.begin(), {"convert", picture.conversion_ms()});
  return estimate;
}

Estimate Tracker::track(const GreyView& image, double time) {
  FramePicture picture(image);
  return state_->track(picture, time);
}

Estimate Tracker::skip(double time, const std::string& why) {
  state_->fitter->expect({});  // what was copied is of this frame
  Estimate estimate;
  estimate.time = time;
  estimate.why = why;
  state_->estimates.assign(1, estimate);
  return estimate;
}

const std::vector<Estimate>& Tracker::people() const { return state_->estimates; }

void Tracker::start(const Start& start) {
  if (state_->several) return state_->several->start(start);
  state_->given = start;
}

void Tracker::restart() {
  state_->given.reset();
  state_->several ? state_->several->restart() : state_->one->forget_place();
}

void Tracker::set_neutral() { state_->several ? state_->several->set_neutral() : state_->one->set_neutral(); }

const TrackerSettings& Tracker::settings() const { return state_->settings; }
Backend Tracker::backend() const { return state_->fitter->backend(); }

Estimate Tracker::State::track_one(FramePicture& image, double time) {
  detect_ms = 0;
  const Stopwatch watch;
  Estimate estimate;
  estimate.time = time;
  std::optional<Fit> fit;
  const bool followed = one->last() != nullptr;

  // continue from what is known: a given start, or the last frame
  if (given) {
    fit = fitter->fit(image.face(*fitter, *std::exchange(given, std::nullopt)));
    estimate.detected = true;
  } else if (followed) {
    fit = from_last(image);
  }

  // lost or in doubt: detect the face in the same frame, and take the better fit
  if (!fit || fit->failure > settings.doubt) {
    std::optional<Fit> found = from_detector(image);
    if (found && (!fit || found->failure < fit->failure)) {
      fit = std::move(found);
      estimate.detected = true;
    }
  }

  if (!followed && (!fit || fit->failure > settings.lost)) {
    std::optional<Fit> found = from_last_seen(image);
    if (found && (!fit || found->failure < fit->failure)) {
      fit = std::move(found);
      estimate.detected = true;
    }
  }
  estimate.times = {{"detect", detect_ms}, {"fit", watch.ms() - detect_ms}};

  estimate.tried = fit.has_value();
  if (!estimate.tried) fitter->expect({});  // what was copied is of this frame, whose pixels may change now
  estimate.found = fit && fit->failure <= settings.lost;
  if (fit) {
    estimate.confidence = fit->quality;
    estimate.fit = std::move(*fit);
  }
  if (!estimate.found) {
    estimate.why = estimate.tried ? lost_words : nobody_words;
    one->miss();
    return estimate;
  }
  one->see(image, estimate);
  return estimate;
}

}  // namespace kinema::face
