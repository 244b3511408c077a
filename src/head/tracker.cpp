#include "kinema/head_tracker.h"

#include "core/stages.h"
#include "head/constants.h"
#include "head/head_window.h"
#include "head/static_background.h"
#include "kinema/error.h"
#include "kinema/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kinema::head {
namespace {

bool is_empty(const SkinModel& model) {
  const auto* plane = std::get_if<SkinPlane>(&model);
  return plane != nullptr && plane->r == 0 && plane->g == 0 && plane->b == 0 && plane->d == 0;
}

const TrackerSettings& checked(const TrackerSettings& settings) {
  const Calibration& calibration = settings.calibration;
  if (is_empty(calibration.filter.model)) {
    throw Error("no calibration: TrackerSettings::calibration comes from calibrate() or read_filter()");
  }
  if (settings.reference_distance && !(*settings.reference_distance > 0.01 && *settings.reference_distance <= 100)) {
    throw Error(fmt::format("a reference distance of {} m: give metres, 0.01 to 100", *settings.reference_distance));
  }
  if (settings.field_of_view && !(*settings.field_of_view > 0.01 && *settings.field_of_view < 3.1)) {
    throw Error(
        fmt::format("a field of view of {} rad: it lies between 0.01 and 3.1 (half a turn)", *settings.field_of_view));
  }
  if (settings.mode == Mode::window && !calibration.head) {
    throw Error("window mode needs the head's size, which this filter does not know: calibrate, or use plain mode");
  }
  if (!settings.colours && (!settings.pattern || !calibration.head)) {
    throw Error("without colours a head is followed by its pattern: leave it on, and calibrate");
  }
  return settings;
}

}  // namespace

std::string_view name(Mode mode) {
  constexpr std::string_view names[] = {"auto", "plain", "paper", "window"};
  return names[static_cast<std::size_t>(mode)];
}

struct Tracker::State {
  State(const TrackerSettings& with, const Compute& wanted)
      : settings(checked(with)), compute(choose(wanted)), moments(make_moments(with.moments, compute)) {
    check(calibration.filter.model);
    classifier = make_classifier(calibration.filter.model, compute.threads);
    moments->set_classifier(classifier);
    if (settings.mode == Mode::automatic) {
      settings.mode = calibration.head ? Mode::window : Mode::plain;
    }
    if (const auto& head = calibration.head) {
      if (!settings.reference_distance) settings.reference_distance = head->distance;
      if (!settings.field_of_view) settings.field_of_view = head->field_of_view;
    }
    if (settings.smoothing)
      smooth = {OneEuro(*settings.smoothing), OneEuro(*settings.smoothing), OneEuro(*settings.smoothing)};
  }

  void take_size(const ColourView& frame);
  void plain(const Scene& scene, Estimate& estimate) const;
  void place(Estimate& estimate, double time);

  TrackerSettings settings;
  const Calibration& calibration = settings.calibration;
  Compute compute;
  std::unique_ptr<Moments> moments;
  Classifier classifier;
  std::optional<HeadWindow> window;
  StaticBackground background;
  std::optional<Oval> start;
  std::size_t width = 0, height = 0;
  double reference_area = 0;  // at this size of frames; 0: not known yet
  std::vector<OneEuro> smooth;
};

void Tracker::State::take_size(const ColourView& frame) {
  if (frame.data == nullptr || frame.width == 0 || frame.height == 0) throw Error("a frame without pixels");
  const bool reads_pixels = settings.mode == Mode::window || settings.background;
  if (frame.on_device && reads_pixels) {
    throw Error("a frame in device memory goes with plain mode without a background: give it in host memory");
  }
  if (width == 0) {
    width = frame.width;
    height = frame.height;
    if (calibration.head) {
      const bool follows = settings.mode == Mode::window;
      reference_area = follows ? calibration.head->area : calibration.head->frame_area;
      if (follows) window.emplace(*calibration.head, width, height, settings, compute.threads);
    }
    return;
  }
  if (frame.width != width || frame.height != height) {
    throw Error(fmt::format("a frame of {} x {} pixels, where those before had {} x {}: start again for another camera",
                            frame.width, frame.height, width, height));
  }
}

// The paper: the centroid of all skin in the frame. Plain mode refuses what can be no head.
void Tracker::State::plain(const Scene& scene, Estimate& estimate) const {
  const Sums sums = scene.moments.measure(scene.frame, scene.weighing);
  const double pixels = static_cast<double>(width) * static_cast<double>(height);
  estimate.area = sums.w / pixels;  // eqs. 3, 5 and 6
  const bool paper = settings.mode == Mode::paper;
  const double least =
      calibration.head ? std::max(least_area, least_reference_area * calibration.head->area) : least_area;
  if (!(paper ? estimate.area > 0 : estimate.area >= least)) {
    estimate.why = "too little of the frame has skin's colour";
    return;
  }
  estimate.x = sums.wx / sums.w;  // eq. 4a
  estimate.y = sums.wy / sums.w;  // eq. 4b
  estimate.confidence = 1;
  estimate.found = true;
  if (paper) return;

  // a filled ellipse of semi-axes a and b has the variances a^2/4 and b^2/4, and the area pi a b
  const double variance_x = std::max(0.0, sums.wxx / sums.w - estimate.x * estimate.x);
  const double variance_y = std::max(0.0, sums.wyy / sums.w - estimate.y * estimate.y);
  const double extent = 4 * std::numbers::pi * std::sqrt(variance_x * variance_y);
  estimate.confidence = extent > 0 ? std::min(1.0, sums.w / extent) : 1;
  // a filter written by hand does not say how compact its colours are: the paper's answer is used
  estimate.found = !calibration.head || estimate.confidence >= least_compactness;
  if (!estimate.found) estimate.why = "what has skin's colour is strewn over the frame";
}

// From pixels to metres, by one reference distance and the field of view.
void Tracker::State::place(Estimate& estimate, double time) {
  const std::optional<double>& distance = settings.reference_distance;
  const std::optional<double>& view = settings.field_of_view;
  if (!(reference_area > 0)) reference_area = estimate.area;
  if (distance) estimate.distance = *distance * std::sqrt(reference_area / estimate.area);
  const auto in_metres = [&]() -> std::optional<Vec3> {
    if (!estimate.distance || !view) return std::nullopt;
    const double focal = static_cast<double>(width) / 2 / std::tan(*view / 2), z = *estimate.distance;
    return Vec3{(estimate.x - (static_cast<double>(width) - 1) / 2) / focal * z,
                (estimate.y - (static_cast<double>(height) - 1) / 2) / focal * z, z};
  };
  estimate.raw_x = estimate.x;
  estimate.raw_y = estimate.y;
  estimate.raw_position = in_metres();
  if (!smooth.empty()) {
    estimate.x = smooth[0].filter(estimate.x, time);
    estimate.y = smooth[1].filter(estimate.y, time);
    // a millimetre weighs as much as a pixel
    if (estimate.distance) estimate.distance = smooth[2].filter(1000 * *estimate.distance, time) / 1000;
  }
  estimate.position = in_metres();
}

Tracker::Tracker(const TrackerSettings& settings, const Compute& compute)
    : state_(std::make_unique<State>(settings, compute)) {}
Tracker::~Tracker() = default;
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;

Estimate Tracker::track(const io::Frame& frame) {
  return frame.gap.empty() ? track(frame.view(), frame.time) : skip(frame.time, frame.gap);
}

Estimate Tracker::track(const ColourView& image, double time) {
  State& state = *state_;
  Estimate estimate;
  estimate.time = time;
  Stages stages(estimate.times);
  state.take_size(image);
  Scene scene{*state.moments, image, {}};
  if (state.settings.background) {
    scene.weighing.mask = state.background.mask(image);
    stages.end("background");
  }
  if (state.window) {
    if (state.start) state.window->start(*state.start);
    state.window->follow(scene, state.classifier, estimate);
    state.start.reset();
  } else {
    state.plain(scene, estimate);
  }
  stages.end("find");
  if (estimate.found) {
    state.place(estimate, time);
  } else {
    for (OneEuro& signal : state.smooth) signal.reset();
  }
  if (state.settings.background) {
    state.background.learn(image, estimate.oval);
    stages.end("learn background");
  }
  if (state.window && estimate.found && state.window->learn(scene, state.classifier)) stages.end("recalibrate");
  return estimate;
}

Estimate Tracker::skip(double time, const std::string& why) {
  Estimate estimate;
  estimate.time = time;
  estimate.why = why;
  return estimate;
}

void Tracker::start(const Oval& oval) { state_->start = oval; }

void Tracker::restart() {
  state_->start.reset();
  if (state_->window) state_->window->restart();
  for (OneEuro& signal : state_->smooth) signal.reset();
}

const TrackerSettings& Tracker::settings() const { return state_->settings; }
Backend Tracker::backend() const { return state_->compute.backend; }

void Tracker::set_background(const ColourView& frame) {
  state_->take_size(frame);
  state_->background.set(frame);
}

double Tracker::degree_now(std::uint8_t r, std::uint8_t g, std::uint8_t b) const {
  return static_cast<double>(Degrees(state_->classifier)({r, g, b}));
}

}  // namespace kinema::head
