#include "serve/requests/person_handler.h"

#include "core/stopwatch.h"
#include "kinema/person_tracker.h"
#include "serve/messages/head_feed.h"

#include <optional>
#include <utility>
#include <vector>

namespace kinema::serve {
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
