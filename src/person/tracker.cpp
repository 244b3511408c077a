#include "kinema/person_tracker.h"

#include "core/pose_smoothing.h"
#include "core/stages.h"
#include "core/stopwatch.h"
#include "core/worker.h"
#include "kinema/error.h"
#include "kinema/grey.h"
#include "kinema/source.h"
#include "person/constants.h"
#include "person/face_search.h"
#include "person/join.h"
#include "person/outline.h"
#include "person/reduction.h"
#include "person/settings_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kinema::person {
namespace {

// Shape and place of the landmarks of a frame.
std::vector<float> moved(std::vector<float> landmarks, double dx, double dy) {
  for (std::size_t i = 0; i + 1 < landmarks.size(); i += 2) {
    landmarks[i] += static_cast<float>(dx);
    landmarks[i + 1] += static_cast<float>(dy);
  }
  return landmarks;
}

// A face that was fitted and believed.
struct Seen {
  std::vector<float> landmarks;
  Outline outline;
  double time = 0;
};

// What a frame shows of the person.
struct Evidence {
  std::optional<face::Fit> fit;
  head::Estimate head;                         // by the colours
  std::optional<Outline> by_face, by_colours;  // what of the two is believed
  std::optional<face::HeadPose> pose;          // of that face
};

}  // namespace

struct Tracker::State {
  State(const TrackerSettings& with, const Compute& wanted)
      : settings(checked(with)),
        fitter(face::make_fitter(with.model, with.fit, wanted)),
        solver(with.pose),
        expressions(with.expression),
        smoothing({with.smoothing, turn_rise, move_rise, expression_rise, 1}),
        search(with.detect) {
    if (with.parallel) worker = std::make_unique<Worker>();
  }

  Estimate track(const ColourView& frame, double time);
  void restart();

  void take(const ColourView& frame);
  void follow(const ColourView& frame, double time, Evidence& evidence, Stages& stages);
  void fit_anew(Evidence& evidence, Stages& stages);
  bool decide(double time, Evidence& evidence, Stages& stages);
  void learn(const ColourView& frame, double time, const Evidence& evidence, Stages& stages);

  void begin_colours(const head::Calibration& calibration, bool tell = true) {
    head::TrackerSettings tracker;
    tracker.calibration = calibration;
    tracker.colours = colours_tell = tell;
    tracker.field_of_view = settings.pose.field_of_view;
    colours.emplace(tracker, Compute(Backend::cpu, 1));
    contrast = 0;
    join.restart();
  }
  // Colours that the caller knows, perhaps from frames of another size.
  void begin_colours(const head::Calibration& calibration, const ColourView& frame) {
    if (calibration.head && calibration.head->width > 0) {
      head::Oval oval = calibration.head->oval;
      oval.rx *= static_cast<double>(frame.width) / static_cast<double>(calibration.head->width);
      reduction = reduction_for(oval, frame.format);
    }
    begin_colours(calibration);
  }
  void calibrate(const ColourView& frame, double time, const Outline& outline);
  void follow_box(const ColourView& frame, double time, const Evidence& evidence);

  face::Fit fit_from(face::Start start) { return fitter->fit({grey, std::move(start), false}); }
  std::optional<face::Start> continued() const;
  std::optional<face::Start> from_colours(const head::Estimate& head);
  std::optional<face::Fit> from_detector(double time, const std::optional<Outline>& head);

  Outline sized(Outline head, double time);
  std::optional<Outline> accept(const std::optional<face::Fit>& fit, const std::optional<Outline>& head,
                                std::optional<face::HeadPose>& found);
  void guide_colours(const ColourView& frame, const face::Fit& fit, const Outline& outline, const head::Estimate& head,
                     double time);
  void place(Estimate& estimate, const Outline& outline, const std::optional<face::HeadPose>& found,
             const head::Estimate& head);
  face::HeadPose smoothed(const face::HeadPose& joined, double time) {
    return settings.smoothing > 0 ? smoothing.smooth(joined, time) : joined;
  }

  TrackerSettings settings;
  std::unique_ptr<face::Fitter> fitter;
  face::HeadPoseSolver solver;
  face::ExpressionTracker expressions;
  PoseSmoothing smoothing;
  std::unique_ptr<Worker> worker;
  std::optional<head::Tracker> colours;
  bool colours_tell = true;         // off: they do not separate the head from the rest, and its edges are followed
  std::optional<head::Oval> given;  // by start(), for the next frame
  Join join;
  double contrast = 0;  // of the colours after their last calibration

  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> pixels, reduced_pixels;
  std::size_t reduction = 1;  // of the frames whose colours are measured
  face::GreyView grey{};
  Camera camera;

  std::optional<Seen> last, before;    // faces of the last frame and of the one before it
  std::optional<Seen> seen;            // the last that was believed
  std::optional<face::HeadPose> pose;  // of the last face, not smoothed
  FaceSearch search;
  int steady = 0;                       // frames in a row with a face
  int missed = 0;                       // frames since
  double pause = first_detector_pause;  // of the detector, while colours are followed and no face is seen
  double doubted_at = -1e9, searched_at = -1e9, calibrated_at = -1e9, lost_since = 0;
};

// The face of the last frame, moved on as it moved before.
std::optional<face::Start> Tracker::State::continued() const {
  if (!last) return std::nullopt;
  face::Start start;
  const Outline motion = mechanisms::moved_on && before ? last->outline - before->outline : Outline{};
  start.landmarks = moved(last->landmarks, motion.x, motion.y);
  return start;
}

// Where the colours are: the last shape moved there, or the mean face.
std::optional<face::Start> Tracker::State::from_colours(const head::Estimate& head) {
  if (!mechanisms::face_from_colours || !head.found || !head.oval) return std::nullopt;
  const Outline at = join.to_face(outline_of(*head.oval));
  face::Start start;
  if (mechanisms::last_shape && seen && missed % 2 == 0) {
    const double scale = std::exp(at.size - seen->outline.size);
    for (std::size_t i = 0; i + 1 < seen->landmarks.size(); i += 2) {
      start.landmarks.push_back(
          static_cast<float>(at.x + scale * (static_cast<double>(seen->landmarks[i]) - seen->outline.x)));
      start.landmarks.push_back(
          static_cast<float>(at.y + scale * (static_cast<double>(seen->landmarks[i + 1]) - seen->outline.y)));
    }
    return start;
  }
  const std::vector<float> box = box_in(at);
  start.box = face::Start::Box{box[0], box[1], box[2], box[3], false};
  return start;
}

// Faces about the head, where the colours have it, and anywhere: in every frame if they do not, else ever more seldom.
std::optional<face::Fit> Tracker::State::from_detector(double time, const std::optional<Outline>& head) {
  std::vector<face::Start::Box> boxes;
  if (!head || search.curious()) {
    boxes = search.look(grey, time);
  } else if (time - searched_at >= pause) {
    searched_at = time;
    pause = std::min(2 * pause, longest_first_pause * first_detector_pause);
    boxes = search.look(grey, time);
  } else {
    boxes = search.look_about(grey, join.to_face(*head).oval(), time);
  }
  std::optional<face::Fit> best;
  for (std::size_t i = 0; i < std::min(boxes.size(), detected_faces); ++i) {
    face::Start start;
    start.box = boxes[i];
    face::Fit fit = fit_again(*fitter, *settings.model, {grey, start, false});
    if (!best || fit.failure < best->failure) best = std::move(fit);
    if (best->failure <= trusted) break;
  }
  return best;
}

// The outline of a fit that is believed, and its pose.
std::optional<Outline> Tracker::State::accept(const std::optional<face::Fit>& fit, const std::optional<Outline>& head,
                                              std::optional<face::HeadPose>& found) {
  if (!fit || fit->failure > settings.lost) return std::nullopt;
  found = solver.follow(fit->landmarks, fit->confidence, width, height);
  if (!found) return std::nullopt;
  const Outline outline = outline_of(*found, camera, settings.pose.eye_distance);
  if (!std::isfinite(outline.size)) return std::nullopt;
  if (head && fit->failure > trusted) {
    const Outline off = outline - join.to_face(*head);
    const double radius = outline_width * outline.eye_distance();
    if (std::hypot(off.x, off.y) > elsewhere * radius || std::abs(off.size) > elsewhere_size) return std::nullopt;
  }
  return outline;
}

void Tracker::State::calibrate(const ColourView& frame, double time, const Outline& outline) {
  calibrated_at = time;
  const head::Oval oval = outline.oval();
  try {
    head::CalibrationSettings with;
    with.field_of_view = settings.pose.field_of_view;
    const std::size_t factor = reduction_for(oval, frame.format);
    const ColourView small = reduced(frame, factor, reduced_pixels);
    const head::Oval outlined = reduced(oval, factor);
    const head::Calibration calibration = head::calibrate({&small, 1}, {&outlined, 1}, with);
    begin_colours(calibration, calibration.filter.score >= separate && colourfulness(small, outlined) >= coloured);
    reduction = factor;
    colours->start(outlined);
  } catch (const Error&) {
    // the face reaches over the border of the frame, or nothing else is in it: another frame will do
  }
}

// A trusted face shows the colours where the head is, and what it looks like.
void Tracker::State::guide_colours(const ColourView& frame, const face::Fit& fit, const Outline& outline,
                                   const head::Estimate& head, double time) {
  if (fit.failure > trusted && (colours || steady < steady_frames)) return;
  const bool rested = time - calibrated_at >= calibration_pause;
  if (!colours) {
    if (rested || calibrated_at < 0) calibrate(frame, time, outline);
    return;
  }
  const Outline expected = join.to_colours(outline);
  if (head.found && head.oval) {
    if (contrast == 0) contrast = head.confidence;
    const Outline off = outline_of(*head.oval) - expected;
    const double radius = head.oval->rx, slack = colours_tell ? 1 : edges_slack;
    if (std::hypot(off.x, off.y) < slack * astray * radius && std::abs(off.size) < slack * astray_size) {
      if (rested && head.confidence < faded * contrast) calibrate(frame, time, join.known() ? expected : outline);
      return;
    }
  }
  if (rested && !head.found && missed == 0 && lost_since > 0 && time - lost_since > colours_pause) {
    calibrate(frame, time, join.known() ? expected : outline);
    return;
  }
  head::Oval oval = expected.oval();
  if (head.oval) oval.ry = head.oval->ry * oval.rx / head.oval->rx;
  colours->start(reduced(oval, reduction));
}

// The joined place, with the rotation of the last face.
void Tracker::State::place(Estimate& estimate, const Outline& outline, const std::optional<face::HeadPose>& found,
                           const head::Estimate& head) {
  const double time = estimate.time;
  if (found && !pose) smoothing.reset();  // of the colours alone
  if (found) pose = *found;
  if (!pose) {
    if (!head.position) return;
    estimate.raw_position = head.position;
    estimate.position = smoothed({.position = *head.position}, time).position;
    return;
  }
  face::HeadPose joined = *pose;
  joined.position = place_of(outline, joined.rotation, camera, settings.pose.eye_distance);
  if (!found && seen) {
    const double unseen = time - seen->time;
    for (double& deviation : joined.angle_deviation) deviation = std::hypot(deviation, unseen_turn * unseen);
    Vec3& at = joined.position_deviation;
    at = (1 + unseen) * at;
  }
  estimate.pose = smoothed(joined, time);
  if (found) {
    expressions.follow(grey, estimate.landmarks, time, *estimate.pose);
  } else {
    expressions.hold(*estimate.pose);
  }
  estimate.raw_position = joined.position;
  estimate.position = estimate.pose->position;
}

void Tracker::State::take(const ColourView& frame) {
  if (frame.data == nullptr || frame.width == 0 || frame.height == 0) throw Error("a frame without pixels");
  if (frame.on_device) throw Error("a person is tracked in host memory: this frame lies on a device");
  if (width == 0) {
    width = frame.width, height = frame.height;
    camera = solver.camera(width, height);
    if (settings.calibration) begin_colours(*settings.calibration, frame);
  } else if (frame.width != width || frame.height != height) {
    throw Error(fmt::format("a frame of {} x {} pixels, where those before had {} x {}: start again for another camera",
                            frame.width, frame.height, width, height));
  }
  pixels = grey_of(frame);
  grey = {pixels.data(), width, height, width};
}

// The face goes on from the last frame while the colours are measured.
void Tracker::State::follow(const ColourView& frame, double time, Evidence& evidence, Stages& stages) {
  double face_ms = 0;
  const std::optional<face::Start> next = given ? std::nullopt : continued();
  const auto fit_next = [&] {
    Stopwatch own;
    evidence.fit = fit_from(*next);
    face_ms = own.lap();
  };
  if (next && worker) worker->post(fit_next);
  if (colours) {
    if (given) colours->start(reduced(*given, reduction));
    try {
      evidence.head = colours->track(reduced(frame, reduction, reduced_pixels), time);
      if (evidence.head.oval) evidence.head.oval = enlarged(*evidence.head.oval, reduction);
    } catch (...) {
      if (worker) worker->wait();
      throw;
    }
  }
  stages.end("colours");
  if (next) {
    if (!worker) {
      fit_next();
    } else if (const std::exception_ptr failure = worker->wait()) {
      std::rethrow_exception(failure);
    }
  }
  stages.end("face", face_ms);
}

// In doubt or lost: from the place of the colours, or where the caller says.
void Tracker::State::fit_anew(Evidence& evidence, Stages& stages) {
  const std::optional<head::Oval> told = std::exchange(given, std::nullopt);
  if (evidence.fit && evidence.fit->failure <= trusted) return;
  head::Estimate place = evidence.head;
  if (told && !colours) place.found = true, place.oval = told;
  const bool eager = missed < eager_frames || missed % face_interval == 0;
  if (const auto start = eager ? from_colours(place) : std::nullopt) {
    face::Fit other = fit_from(*start);
    if (!evidence.fit || other.failure < evidence.fit->failure) evidence.fit = std::move(other);
  }
  stages.end("face again");
}

// Colours that are half covered shrink, and those that spread to something else grow: not for long, or by much, is a head
// another size than its face had.
Outline Tracker::State::sized(Outline head, double time) {
  if (!seen || !join.known() || time - seen->time > size_memory) return head;
  const double size = join.to_colours(seen->outline).size;
  const double kept = std::clamp(head.size, size - held_size, size + held_size);
  if (kept != head.size) {
    head.size = kept;
    colours->start(reduced(head.oval(), reduction));
  }
  return head;
}

// Which of the two to believe; the detector where nothing else is left, and now and then while the face stays away from where
// the colours go. True: the face is the detector's.
bool Tracker::State::decide(double time, Evidence& evidence, Stages& stages) {
  bool detected = false;
  if (evidence.head.found && evidence.head.oval) evidence.by_colours = sized(outline_of(*evidence.head.oval), time);
  const bool by_colours = evidence.by_colours.has_value();
  evidence.by_face = accept(evidence.fit, evidence.by_colours, evidence.pose);
  if (!evidence.by_face && (!by_colours || search.curious() || time - doubted_at >= doubt_pause)) {
    doubted_at = time;
    if (std::optional<face::Fit> other = from_detector(time, evidence.by_colours)) {
      // what both say, detector and fit, is believed wherever it is
      evidence.by_face = accept(other, search.steady(time) ? std::nullopt : evidence.by_colours, evidence.pose);
      evidence.fit = std::move(other);
      detected = evidence.by_face.has_value();
    }
    stages.end("detect");
  }
  stages.end("pose");
  if (evidence.by_face) {
    search.settle();
    doubted_at = time;
    pause = first_detector_pause;
  }
  if (!by_colours && lost_since <= 0) lost_since = time;
  if (by_colours) lost_since = 0;
  return detected;
}

// No face can be fitted, but the detector sees one: small, blurred or half covered.
void Tracker::State::follow_box(const ColourView& frame, double time, const Evidence& evidence) {
  const std::optional<head::Oval> box = search.steady(time);
  if (!box || !mechanisms::boxed_colours || !evidence.fit || evidence.fit->failure > no_face) return;
  const Outline outline = outline_of(*box);
  if (evidence.by_colours) {
    if (join.known()) return;  // colours that once were those of a face are surer than a box
    const Outline off = outline - *evidence.by_colours;
    if (std::hypot(off.x, off.y) < box_astray * box->rx) return;
  }
  calibrate(frame, time, outline);
}

// What the next frames start from.
void Tracker::State::learn(const ColourView& frame, double time, const Evidence& evidence, Stages& stages) {
  before = last ? std::move(last) : std::nullopt;
  last.reset();
  steady = evidence.by_face ? steady + 1 : 0;
  if (!evidence.by_face) follow_box(frame, time, evidence);
  if (!evidence.by_face) {
    before.reset();
    ++missed;
    return;
  }
  guide_colours(frame, *evidence.fit, *evidence.by_face, evidence.head, time);
  stages.end("calibrate");
  last = seen = Seen{evidence.fit->landmarks, *evidence.by_face, time};
  if (missed > 0) before.reset();
  missed = 0;
}

Estimate Tracker::State::track(const ColourView& frame, double time) {
  Estimate estimate;
  estimate.time = time;
  Stages stages(estimate.times);
  take(frame);
  stages.end("convert");
  Evidence evidence;
  follow(frame, time, evidence, stages);
  fit_anew(evidence, stages);
  estimate.detected = decide(time, evidence, stages);
  learn(frame, time, evidence, stages);

  const auto& [fit, head, by_face, by_colours, found] = evidence;
  estimate.face = by_face.has_value();
  estimate.colours = by_colours.has_value();
  estimate.found = estimate.face || estimate.colours;
  if (!estimate.found) {
    smoothing.reset();
    estimate.why = !colours           ? "no face was found"
                   : head.why.empty() ? "the head is lost"
                                      : fmt::format("the head is lost: {}", head.why);
    return estimate;
  }
  if (by_face) {
    estimate.landmarks = fit->landmarks;
    estimate.landmark_confidence = fit->confidence;
  }
  estimate.confidence = by_face ? fit->quality : head.confidence;
  const Outline joined = join.add(by_face, by_colours, time);
  estimate.oval = join.known() || by_face ? joined.oval() : *head.oval;
  estimate.x = estimate.oval.cx;
  estimate.y = estimate.oval.cy;
  place(estimate, joined, found, head);
  stages.end("join");
  return estimate;
}

// The colours learnt are kept. What the face was relative to them is not: they may have followed something else.
void Tracker::State::restart() {
  if (colours) colours->restart();
  join.forget();
  smoothing.reset();
  given.reset();
  last.reset(), before.reset(), seen.reset();
  pose.reset();
  search.restart();
  steady = missed = 0;
  pause = first_detector_pause;
  doubted_at = searched_at = -1e9;
  lost_since = 0;
}

Tracker::Tracker(const TrackerSettings& settings, const Compute& compute)
    : state_(std::make_unique<State>(settings, compute)) {}
Tracker::~Tracker() = default;
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;

Estimate Tracker::track(const io::Frame& frame) {
  return frame.gap.empty() ? track(frame.view(), frame.time) : skip(frame.time, frame.gap);
}

Estimate Tracker::track(const ColourView& image, double time) { return state_->track(image, time); }

Estimate Tracker::skip(double time, const std::string& why) {
  Estimate estimate;
  estimate.time = time;
  estimate.why = why;
  return estimate;
}

void Tracker::start(const head::Oval& oval) { state_->given = oval; }
void Tracker::restart() { state_->restart(); }
void Tracker::set_neutral() { state_->expressions.set_neutral(); }
const TrackerSettings& Tracker::settings() const { return state_->settings; }
Backend Tracker::backend() const { return state_->fitter->backend(); }

}  // namespace kinema::person
