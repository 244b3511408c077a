#include "serve/requests/face_handler.h"

#include "core/stopwatch.h"
#include "kinema/grey.h"
#include "kinema/person_tracker.h"
#include "serve/messages/face_feed.h"
#include "serve/messages/head_feed.h"

#include <optional>
#include <utility>
#include <vector>

namespace kinema::serve {
namespace {

class FaceCamera final : public CameraTracker {
public:
  FaceCamera(PageSender& sender, FaceSharedState& shared) : sender_(sender), shared_(shared) {}

  void track(const CameraFrame& frame, std::uint64_t skipped) override {
    nlohmann::ordered_json header = camera_answer("face", frame, skipped);
    header["found"] = false;
    std::vector<ArrayPart> arrays;
    FaceParts parts;
    face::Estimate face;
    take_model(frame);
    if (!tracker_) {
      header["why"] = "no model: drop one (.kface) on the page";
    } else {
      const Stopwatch watch;
      const std::vector<std::uint8_t> grey = grey_of(frame.view());
      const face::GreyView view{grey.data(), frame.width, frame.height, frame.width};
      face = tracker_->track(view, frame.time / 1000);
      header["found"] = face.found;
      if (face.found) {
        parts.tell(*model_, view, face, header, arrays);
      } else {
        header["why"] = face.tried ? "lost" : "none";
      }
      header["ms"]["track"] = watch.ms();
    }
    sender_.newest("face", Packet::arrays(encode(std::move(header), arrays)));
  }

private:
  // Begins anew with another model, and with a camera whose clock or picture is another.
  void take_model(const CameraFrame& frame) {
    FaceSharedState::Shown shown = shared_.shown();
    if (continuity_.continues(frame) && shown.model == model_) return;
    tracker_.reset();
    if (shown.model && shown.model != model_) sender_.reply(shown.message);
    model_ = std::move(shown.model);
    if (!model_) return;
    face::TrackerSettings settings{.model = model_, .detect = shared_.detect()};
    tracker_.emplace(settings, Compute(Backend::cpu, 1));  // one face, and others want the cores too
  }

  PageSender& sender_;
  FaceSharedState& shared_;
  std::shared_ptr<const face::Model> model_;
  std::optional<face::Tracker> tracker_;
  CameraContinuity continuity_;
};

}  // namespace

std::shared_ptr<const face::Model> FaceSharedState::model() const {
  const std::lock_guard lock(mutex_);
  return model_;
}

void FaceSharedState::set_model(std::shared_ptr<const face::Model> model) {
  const std::lock_guard lock(mutex_);
  model_ = std::move(model);
}

FaceSharedState::Shown FaceSharedState::shown() {
  const std::shared_ptr<const face::Model> newest = model();
  const std::lock_guard lock(making_);
  if (newest != shown_.model) {
    shown_ = {newest, newest ? face_model_message({{"say", "face model"}}, *newest) : Packet{}};
  }
  return shown_;
}

FaceHandler::FaceHandler(PageSender& sender, FaceSharedState& shared)
    : CameraHandler("face", sender, shared.cameras(),
                    [&sender, &shared] { return std::make_unique<FaceCamera>(sender, shared); }) {}

namespace {

class PersonCamera final : public CameraTracker {
public:
  PersonCamera(PageSender& sender, FaceSharedState& faces, HeadSharedState& heads)
      : sender_(sender), faces_(faces), heads_(heads) {}

  void track(const CameraFrame& frame, std::uint64_t skipped) override {
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

private:
  // Begins anew with another model, and with a camera whose clock or picture is another.
  void begin(const CameraFrame& frame) {
    const std::shared_ptr<const face::Model> model = faces_.model();
    if (continuity_.continues(frame) && model == model_) return;
    model_ = model;
    tracker_.reset();
    const std::optional<head::Calibration> colours = heads_.calibration();
    calibrated_ = colours && colours->head;
    if (calibrated_) return;
    if (!model_ || model_->shape.landmarks() != face::HeadPoseSolver::landmarks) return;
    person::TrackerSettings settings{.model = model_, .detect = faces_.detect()};
    settings.parallel = false;
    tracker_.emplace(settings, Compute(Backend::cpu, 1));  // one face, and others want the cores too
  }

  PageSender& sender_;
  FaceSharedState& faces_;
  HeadSharedState& heads_;
  std::shared_ptr<const face::Model> model_;
  std::optional<person::Tracker> tracker_;
  bool calibrated_ = false;
  CameraContinuity continuity_;
};

}  // namespace

PersonHandler::PersonHandler(PageSender& sender, FaceSharedState& faces, HeadSharedState& heads)
    : CameraHandler("person", sender, faces.cameras(),
                    [&sender, &faces, &heads] { return std::make_unique<PersonCamera>(sender, faces, heads); }) {}

}  // namespace kinema::serve
