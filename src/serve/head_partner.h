// The head tracker behind a page that sends its own camera's frames: the page calibrates by an oval and is told where the
// head is. The newest frame is tracked, those that came while another was worked on are not.
#pragma once

#include "kinema/head_tracker.h"
#include "serve/camera_thread.h"

#include <memory>
#include <mutex>
#include <optional>

namespace kinema::serve {

/// What the pages of a server share: the last calibration, and places for cameras.
class HeadDesk {
public:
  explicit HeadDesk(std::optional<head::Calibration> calibration = {}) : calibration_(std::move(calibration)) {}

  std::optional<head::Calibration> calibration() const;
  void set_calibration(head::Calibration calibration);

  CameraSeats& cameras() { return cameras_; }

private:
  mutable std::mutex mutex_;
  std::optional<head::Calibration> calibration_;
  CameraSeats cameras_;
};

/// Wishes: {"do":"calibrate","oval":[cx,cy,rx,ry],"distance":metres,"field_of_view":radians}, the last two where known;
/// answered by {"say":"calibrated",...}. Messages: {"do":"camera","sequence":n,"time":ms} with the array "picture"
/// (height, width, 4), red green blue and a byte of no meaning; answered by {"say":"head",...}.
class HeadPartner final : public Partner {
public:
  HeadPartner(Answers& answers, HeadDesk& desk);
  ~HeadPartner() override;

  bool wish(const std::string& what, const nlohmann::json& header) override;
  bool message(const std::string& what, const Message& message) override;

private:
  class Worker;
  Answers& answers_;
  HeadDesk& desk_;
  std::unique_ptr<Worker> worker_;  // while there is a camera
};

}  // namespace kinema::serve
