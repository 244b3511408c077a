#include "serve/face_handler.h"

#include "kinema/grey.h"
#include "serve/face_model_message.h"
#include "serve/face_parts.h"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

namespace kinema::serve {

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

// What the thread does.
class FaceHandler::Worker {
public:
  Worker(PageSender& sender, FaceSharedState& shared) : sender_(sender), shared_(shared) {}

  void hand(CameraFrame& frame) { thread_.submit(frame); }

private:
  void track(const CameraFrame& frame, std::uint64_t skipped) {
    nlohmann::ordered_json header = camera_answer("face", frame, skipped);
    header["found"] = false;
    std::vector<ArrayPart> arrays;
    FaceParts parts;
    face::Estimate face;
    take_model(frame);
    if (!tracker_) {
      header["why"] = "no model: drop one (.kface) on the page";
    } else {
      const auto before = std::chrono::steady_clock::now();
      const std::vector<std::uint8_t> grey = grey_of(frame.view());
      const face::GreyView view{grey.data(), frame.width, frame.height, frame.width};
      face = tracker_->track(view, frame.time / 1000);
      header["found"] = face.found;
      if (face.found) {
        parts.tell(*model_, view, face, header, arrays);
      } else {
        header["why"] = face.tried ? "lost" : "none";
      }
      header["ms"]["track"] =
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - before).count();
    }
    sender_.newest("face", Packet::arrays(encode(std::move(header), arrays)));
  }

  // Begins anew with another model, and with a camera whose clock or picture is another.
  void take_model(const CameraFrame& frame) {
    FaceSharedState::Shown shown = shared_.shown();
    const bool goes_on = frame.time > time_ && frame.width == width_ && frame.height == height_;
    time_ = frame.time;
    width_ = frame.width;
    height_ = frame.height;
    if (shown.model == model_ && goes_on) return;
    tracker_.reset();
    if (shown.model && shown.model != model_) sender_.reply(shown.message);
    model_ = std::move(shown.model);
    if (!model_) return;
    face::TrackerSettings settings{.model = model_, .detect = shared_.detect()};
    settings.fit.threads = 1;  // one face, and others want the cores too
    tracker_.emplace(settings, Backend::cpu);
  }

  PageSender& sender_;
  FaceSharedState& shared_;
  std::shared_ptr<const face::Model> model_;
  std::optional<face::Tracker> tracker_;
  double time_ = 0;
  std::size_t width_ = 0, height_ = 0;
  // last, so that it ends before what it uses
  CameraThread thread_{sender_, shared_.cameras(),
                       [this](const CameraFrame& frame, std::uint64_t skipped) { track(frame, skipped); }};
};

FaceHandler::FaceHandler(PageSender& sender, FaceSharedState& shared) : sender_(sender), shared_(shared) {}
FaceHandler::~FaceHandler() = default;

bool FaceHandler::request(const std::string& what, const nlohmann::json& header) {
  if (what != "camera off" || !is_for(header, "face")) return false;
  worker_.reset();
  return true;
}

bool FaceHandler::message(const std::string& what, const Message& message) {
  if (what != "camera" || !is_for(message.header, "face")) return false;
  CameraFrame frame = camera_frame(message);
  if (!worker_) worker_ = std::make_unique<Worker>(sender_, shared_);
  worker_->hand(frame);
  return true;
}

}  // namespace kinema::serve
