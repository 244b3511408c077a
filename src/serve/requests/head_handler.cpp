#include "serve/requests/head_handler.h"

#include "core/stopwatch.h"
#include "io/faces/filter_json.h"
#include "kinema/error.h"
#include "serve/messages/head_feed.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace kinema::serve {
namespace {

struct CalibrationRequest {
  head::Oval oval;
  head::CalibrationSettings settings;
};

std::optional<double> number_between(const nlohmann::json& header, const char* name, double least, double most) {
  if (!header.contains(name)) return std::nullopt;
  const double value = header.at(name).get<double>();
  if (!(value >= least && value <= most)) {
    throw Error(fmt::format("'{}' is {}: give {} to {}", name, value, least, most));
  }
  return value;
}

}  // namespace

std::optional<head::Calibration> HeadSharedState::calibration() const {
  const std::lock_guard lock(mutex_);
  return calibration_;
}

void HeadSharedState::set_calibration(head::Calibration calibration) {
  const std::lock_guard lock(mutex_);
  calibration_ = std::move(calibration);
}

class HeadHandler::Camera final : public CameraTracker {
public:
  Camera(PageSender& sender, HeadSharedState& shared) : sender_(sender), shared_(shared) {}

  void calibrate(const CalibrationRequest& request, const CameraFrame& frame) {
    if (frame.rgba.empty()) throw Error("there is no picture to calibrate with yet: switch the camera on");
    const ColourView view = frame.view();
    head::Calibration calibration = head::calibrate({&view, 1}, {&request.oval, 1}, request.settings);
    calibration.filter.camera = "browser";
    start(calibration, frame);
    tracker_->start(request.oval);
    nlohmann::ordered_json answer{{"say", "calibrated"}, {"score", calibration.filter.score}};
    answer["low"] = calibration.filter.score < head::low_score;
    answer["filter"] = io::filter_json(calibration);
    shared_.set_calibration(std::move(calibration));
    sender_.reply(Packet::text(text_of(answer)));
  }

  void track(const CameraFrame& frame, std::uint64_t skipped) override {
    if (!tracker_ || frame.width != width_ || frame.height != height_) {
      tracker_.reset();
      if (const auto calibration = shared_.calibration()) start(*calibration, frame);
    }
    nlohmann::ordered_json header = camera_answer("head", frame, skipped);
    if (!tracker_) {
      header["found"] = false;
      header["why"] = "not calibrated";
      sender_.newest("head", Packet::arrays(encode(std::move(header), {})));
      return;
    }
    const Stopwatch watch;
    const ColourView view = frame.view();
    put(header, tracker_->track(view, frame.time / 1000));
    header["ms"]["track"] = watch.ms();
    const DegreePicture degrees = degree_picture(view, *tracker_);
    const ArrayPart part = array_part<std::uint8_t>("degrees", degrees.degrees, {degrees.height, degrees.width});
    sender_.newest("head", Packet::arrays(encode(std::move(header), {&part, 1})));
  }

private:
  void start(const head::Calibration& calibration, const CameraFrame& frame) {
    head::TrackerSettings settings{.calibration = calibration};
    settings.smoothing.emplace();
    // a small picture, and others want the cores too
    tracker_.emplace(settings, Compute(Backend::automatic, 1));
    width_ = frame.width;
    height_ = frame.height;
  }

  PageSender& sender_;
  HeadSharedState& shared_;
  std::size_t width_ = 0, height_ = 0;
  std::optional<head::Tracker> tracker_;
};

HeadHandler::HeadHandler(PageSender& sender, HeadSharedState& shared)
    : CameraHandler("head", sender, shared.cameras(), [this, &sender, &shared] {
        auto made = std::make_unique<Camera>(sender, shared);
        camera_ = made.get();
        return made;
      }) {}

bool HeadHandler::request(const std::string& what, const nlohmann::json& header) {
  if (what != "calibrate") return CameraHandler::request(what, header);
  const auto numbers = header.at("oval").get<std::vector<double>>();
  if (numbers.size() != 4) throw Error("an oval is its centre and its radii: four numbers");
  CalibrationRequest request;
  request.oval = {numbers[0], numbers[1], numbers[2], numbers[3]};
  request.settings.distance = number_between(header, "distance", 0.01, 100);
  request.settings.field_of_view = number_between(header, "field_of_view", 0.02, 3);
  if (thread() == nullptr) throw Error("there is no picture to calibrate with yet: switch the camera on");
  thread()->post([camera = camera_, request](const CameraFrame& frame) { camera->calibrate(request, frame); });
  return true;
}

}  // namespace kinema::serve
