// The head tracker behind a page that sends its own camera's frames: the page calibrates by an oval and is told where the
// head is. The newest frame is tracked, those that came while another was worked on are not.
#pragma once

#include "kinema/head_tracker.h"
#include "serve/conversation.h"

#include <memory>
#include <mutex>
#include <optional>

namespace kinema::serve {

/// What the pages of a server share: the last calibration, and how many of them have a tracker.
class HeadDesk {
public:
  static constexpr int most_cameras = 8;

  explicit HeadDesk(std::optional<head::Calibration> calibration = {}) : calibration_(std::move(calibration)) {}

  std::optional<head::Calibration> calibration() const;
  void set_calibration(head::Calibration calibration);

  bool take_place();
  void leave_place();

private:
  mutable std::mutex mutex_;
  std::optional<head::Calibration> calibration_;
  int cameras_ = 0;
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
