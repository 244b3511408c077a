#include "kinema/head_tracker.h"

#include "core/stopwatch.h"
#include "head/head_window.h"
#include "head/still_scene.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace kinema::head {
namespace {

// Less of a frame is no head: the noise of a camera before a background without skin.
constexpr double least_area = 2e-4;

// A tenth of the area at calibration is three times its distance.
constexpr double least_of_reference = 0.05;

// Skin that covers less of its own extent than this is strewn over the frame, not a head.
constexpr double least_compact = 0.12;

class Stages {
public:
  explicit Stages(std::vector<StageTime>& times) : times_(times) {}
  void end(const char* stage) { times_.push_back({stage, watch_.lap()}); }

private:
  std::vector<StageTime>& times_;
  Stopwatch watch_;
};

// The steps of the paper's ladder know whole frames only.
bool takes_windows(const std::string& backend) {
  constexpr std::array words = {"auto", "reference", "cpu", "cuda", "joint"};
  return std::any_of(words.begin(), words.end(), [&](const char* word) { return backend == word; });
}

void check_settings(const TrackerSettings& settings, const Calibration& calibration) {
  if (settings.reference_distance && !(*settings.reference_distance > 0.01 && *settings.reference_distance <= 100)) {
    throw Error(fmt::format("a reference distance of {} m: give metres, 0.01 to 100", *settings.reference_distance));
  }
  if (settings.field_of_view && !(*settings.field_of_view > 0.01 && *settings.field_of_view < 3.1)) {
    throw Error(
        fmt::format("a field of view of {} rad: it lies between 0.01 and 3.1 (half a turn)", *settings.field_of_view));
  }
  if (settings.following == Following::window && !calibration.head) {
    throw Error("the window needs the head's size, which this filter does not know: calibrate, or use the plain mode");
  }
}

}  // namespace

struct Tracker::State {
  State(const Calibration& from, const TrackerSettings& with)
      : calibration(from), settings(with), moments(make_moments(with.backend, with.moments)) {
    check_settings(settings, calibration);
    check(calibration.filter.model);
    classifier = make_classifier(calibration.filter.model, settings.moments.threads);
    moments->set_classifier(classifier);
    if (settings.following == Following::automatic) {
      settings.following = calibration.head && takes_windows(settings.backend) ? Following::window : Following::plain;
    }
    if (settings.smoothing)
      smooth = {OneEuro(*settings.smoothing), OneEuro(*settings.smoothing), OneEuro(*settings.smoothing)};
  }

  void take_size(const ColourView& frame);
  void plain(const Scene& scene, HeadEstimate& estimate) const;
  void place(HeadEstimate& estimate, double time);

  Calibration calibration;
  TrackerSettings settings;
  std::unique_ptr<Moments> moments;
  Classifier classifier;
  std::optional<HeadWindow> window;
  StillScene still;
  std::optional<Oval> start;
  std::size_t width = 0, height = 0;
  double reference_area = 0;  // in this size of frames; 0: not known yet
  std::vector<OneEuro> smooth;
};

void Tracker::State::take_size(const ColourView& frame) {
  if (frame.data == nullptr || frame.width == 0 || frame.height == 0) throw Error("a frame without pixels");
  const bool reads_pixels = settings.following == Following::window || settings.background;
  if (frame.on_device && reads_pixels) {
    throw Error(
        "a frame that lies on the device goes with the plain mode without a background: give it in host memory");
  }
  if (width == 0) {
    width = frame.width;
    height = frame.height;
    if (calibration.head) {
      const bool follows = settings.following == Following::window;
      reference_area = follows ? calibration.head->area : calibration.head->frame_area;
      if (follows) window.emplace(*calibration.head, width, height, settings);
    }
    return;
  }
  if (frame.width != width || frame.height != height) {
    throw Error(fmt::format("a frame of {} x {} pixels, where those before had {} x {}: start again for another camera",
                            frame.width, frame.height, width, height));
  }
}

// The paper: the centroid of all skin in the frame.
void Tracker::State::plain(const Scene& scene, HeadEstimate& estimate) const {
  const Sums sums = scene.moments.measure(scene.frame, scene.weighing);
  const double pixels = static_cast<double>(width) * static_cast<double>(height);
  estimate.area = sums.w / pixels;  // eqs. 3, 5 and 6
  const double least =
      calibration.head ? std::max(least_area, least_of_reference * calibration.head->area) : least_area;
  if (!(estimate.area >= least)) {
    estimate.why = "too little of the frame has skin's colour";
    return;
  }
  estimate.x = sums.wx / sums.w;  // eq. 4a
  estimate.y = sums.wy / sums.w;  // eq. 4b

  // a filled ellipse of semi-axes a and b has the variances a^2/4 and b^2/4, and the area pi a b
  const double variance_x = std::max(0.0, sums.wxx / sums.w - estimate.x * estimate.x);
  const double variance_y = std::max(0.0, sums.wyy / sums.w - estimate.y * estimate.y);
  const double extent = 4 * std::numbers::pi * std::sqrt(variance_x * variance_y);
  estimate.score = extent > 0 ? std::min(1.0, sums.w / extent) : 1;
  // a filter written by hand says nothing about how compact its colours are: the paper's answer stands
  estimate.found = !calibration.head || estimate.score >= least_compact;
  if (!estimate.found) estimate.why = "what has skin's colour is strewn over the frame";
}

// From pixels to metres, by one reference distance and the field of view.
void Tracker::State::place(HeadEstimate& estimate, double time) {
  std::optional<double> distance = settings.reference_distance, view = settings.field_of_view;
  if (calibration.head) {
    if (!distance) distance = calibration.head->distance;
    if (!view) view = calibration.head->field_of_view;
  }
  if (!(reference_area > 0)) reference_area = estimate.area;
  if (distance) estimate.distance = *distance * std::sqrt(reference_area / estimate.area);
  estimate.raw_x = estimate.x;
  estimate.raw_y = estimate.y;
  if (!smooth.empty()) {
    estimate.x = smooth[0].filter(estimate.x, time);
    estimate.y = smooth[1].filter(estimate.y, time);
    // a millimetre weighs as much as a pixel
    if (estimate.distance) estimate.distance = smooth[2].filter(1000 * *estimate.distance, time) / 1000;
  }
  if (estimate.distance && view) {
    const double focal = static_cast<double>(width) / 2 / std::tan(*view / 2);
    const double z = *estimate.distance;
    estimate.position = Vec3{(estimate.x - (static_cast<double>(width) - 1) / 2) / focal * z,
                             (estimate.y - (static_cast<double>(height) - 1) / 2) / focal * z, z};
  }
}

Tracker::Tracker(const Calibration& calibration, const TrackerSettings& settings)
    : state_(std::make_unique<State>(calibration, settings)) {}
Tracker::~Tracker() = default;
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;

HeadEstimate Tracker::track(const ColourView& frame, double time) {
  State& state = *state_;
  HeadEstimate estimate;
  Stages stages(estimate.times);
  state.take_size(frame);
  Scene scene{*state.moments, frame, {}};
  if (state.settings.background) {
    scene.weighing.mask = state.still.mask(frame);
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
    state.still.learn(frame, estimate.oval);
    stages.end("learn background");
  }
  if (state.window && estimate.found && state.window->learn(scene, state.classifier)) stages.end("recalibrate");
  return estimate;
}

void Tracker::set_background(const ColourView& frame) {
  state_->take_size(frame);
  state_->still.set(frame);
}

void Tracker::start(const Oval& oval) { state_->start = oval; }
Following Tracker::following() const { return state_->settings.following; }

double Tracker::degree_now(std::uint8_t r, std::uint8_t g, std::uint8_t b) const {
  return static_cast<double>(Degrees(state_->classifier)({r, g, b}));
}

}  // namespace kinema::head
