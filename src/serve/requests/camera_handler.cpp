#include "serve/requests/camera_handler.h"

#include <utility>

namespace kinema::serve {

CameraHandler::CameraHandler(const char* name, PageSender& sender, CameraSlots& slots, Make make)
    : name_(name), sender_(sender), slots_(slots), make_(std::move(make)) {}

bool CameraHandler::request(const std::string& what, const nlohmann::json& header) {
  if (what != "camera off" || !is_for(header, name_)) return false;
  thread_.reset();
  tracker_.reset();
  return true;
}

bool CameraHandler::message(const std::string& what, const Message& message) {
  if (what != "camera" || !is_for(message.header, name_)) return false;
  CameraFrame frame = camera_frame(message);
  if (!thread_) {
    tracker_ = make_();
    thread_ = std::make_unique<CameraThread>(
        sender_, slots_,
        [&tracker = *tracker_](const CameraFrame& next, std::uint64_t skipped) { tracker.track(next, skipped); });
  }
  thread_->submit(frame);
  return true;
}

}  // namespace kinema::serve
