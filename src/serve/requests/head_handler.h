// Head tracking for a page that sends the frames of its own camera: the page calibrates by an oval and is told where the
// head is. The newest frame is tracked; those that arrived while another was tracked are skipped.
#pragma once

#include "kinema/head_tracker.h"
#include "serve/requests/camera_handler.h"

#include <mutex>
#include <optional>

namespace kinema::serve {

/// What the pages of a server share: the last calibration, and the slots for cameras.
class HeadSharedState {
public:
  explicit HeadSharedState(std::optional<head::Calibration> calibration = {}) : calibration_(std::move(calibration)) {}

  std::optional<head::Calibration> calibration() const;
  void set_calibration(head::Calibration calibration);

  CameraSlots& cameras() { return cameras_; }

private:
  mutable std::mutex mutex_;
  std::optional<head::Calibration> calibration_;
  CameraSlots cameras_;
};

/// Requests: {"do":"calibrate","oval":[cx,cy,rx,ry],"distance":metres,"field_of_view":radians}, the last two where known;
/// answered by {"say":"calibrated",...}. Messages: {"do":"camera","sequence":n,"time":ms} with the array "picture"
/// (height, width, 4), red, green, blue and an unused byte; answered by {"say":"head",...}.
class HeadHandler final : public CameraHandler {
public:
  HeadHandler(PageSender& sender, HeadSharedState& shared);

  bool request(const std::string& what, const nlohmann::json& header) override;

private:
  class Camera;
  Camera* camera_ = nullptr;  // while it is on
};

}  // namespace kinema::serve
