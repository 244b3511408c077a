#include "serve/person_handler.h"

#include "core/stopwatch.h"
#include "kinema/person_tracker.h"
#include "serve/person_parts.h"

#include <optional>
#include <utility>
#include <vector>

namespace kinema::serve {

// What the thread does.
class PersonHandler::Worker {
public:
  Worker(PageSender& sender, FaceSharedState& faces, HeadSharedState& heads)
      : sender_(sender), faces_(faces), heads_(heads) {}

  void hand(CameraFrame& frame) { thread_.submit(frame); }

private:
  void track(const CameraFrame& frame, std::uint64_t skipped) {
    nlohmann::ordered_json header = camera_answer("person", frame, skipped);
    std::vector<ArrayPart> arrays;
    person::Estimate estimate;
    begin(frame);
    if (tracker_) {
      const Stopwatch watch;
      estimate = tracker_->track(frame.view(), frame.time / 1000);
      put(header, arrays, estimate);
      header["ms"]["track"] = watch.ms();
    } else {
      header["found"] = false;
      header["why"] = calibrated_ ? "calibrated" : "no face model";
      header["instead"] = "head";
    }
    sender_.newest("person", Packet::arrays(encode(std::move(header), arrays)));
  }

  // Begins anew with another model, and with a camera whose clock or picture is another.
  void begin(const CameraFrame& frame) {
    const std::shared_ptr<const face::Model> model = faces_.model();
    const bool goes_on = frame.time > time_ && frame.width == width_ && frame.height == height_;
    time_ = frame.time;
    width_ = frame.width;
    height_ = frame.height;
    if (model == model_ && goes_on) return;
    model_ = model;
    tracker_.reset();
    const std::optional<head::Calibration> colours = heads_.calibration();
    calibrated_ = colours && colours->head;
    if (calibrated_) return;
    if (!model_ || model_->shape.landmarks() != face::HeadPoseSolver::landmarks) return;
    person::TrackerSettings settings{.model = model_, .detect = faces_.detect()};
    settings.fit.threads = 1;  // one face, and others want the cores too
    settings.parallel = false;
    tracker_.emplace(settings, Backend::cpu);
  }

  PageSender& sender_;
  FaceSharedState& faces_;
  HeadSharedState& heads_;
  std::shared_ptr<const face::Model> model_;
  std::optional<person::Tracker> tracker_;
  bool calibrated_ = false;
  double time_ = 0;
  std::size_t width_ = 0, height_ = 0;
  // last, so that it ends before what it uses
  CameraThread thread_{sender_, faces_.cameras(),
                       [this](const CameraFrame& frame, std::uint64_t skipped) { track(frame, skipped); }};
};

PersonHandler::PersonHandler(PageSender& sender, FaceSharedState& faces, HeadSharedState& heads)
    : sender_(sender), faces_(faces), heads_(heads) {}
PersonHandler::~PersonHandler() = default;

bool PersonHandler::request(const std::string& what, const nlohmann::json& header) {
  if (what != "camera off" || !is_for(header, "person")) return false;
  worker_.reset();
  return true;
}

bool PersonHandler::message(const std::string& what, const Message& message) {
  if (what != "camera" || !is_for(message.header, "person")) return false;
  CameraFrame frame = camera_frame(message);
  if (!worker_) worker_ = std::make_unique<Worker>(sender_, faces_, heads_);
  worker_->hand(frame);
  return true;
}

}  // namespace kinema::serve
