#include "serve/head_partner.h"

#include "io/filter_json.h"
#include "kinema/error.h"
#include "serve/head_feed.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <thread>
#include <utility>
#include <vector>

namespace kinema::serve {
namespace {

constexpr std::size_t largest_side = 1280, smallest_side = 16;

struct CameraFrame {
  std::uint64_t sequence = 0;
  double time = 0;  // milliseconds of the page's clock
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> rgba;

  ColourView view() const { return {rgba.data(), width, height, 4 * width, PixelFormat::rgba}; }
};

struct Wish {
  head::Oval oval;
  head::CalibrationSettings settings;
};

std::string dumped(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::optional<double> number_between(const nlohmann::json& header, const char* name, double least, double most) {
  if (!header.contains(name)) return std::nullopt;
  const double value = header.at(name).get<double>();
  if (!(value >= least && value <= most)) {
    throw Error(fmt::format("'{}' is {}: give {} to {}", name, value, least, most));
  }
  return value;
}

}  // namespace

std::optional<head::Calibration> HeadDesk::calibration() const {
  const std::lock_guard lock(mutex_);
  return calibration_;
}

void HeadDesk::set_calibration(head::Calibration calibration) {
  const std::lock_guard lock(mutex_);
  calibration_ = std::move(calibration);
}

bool HeadDesk::take_place() {
  const std::lock_guard lock(mutex_);
  if (cameras_ >= most_cameras) return false;
  ++cameras_;
  return true;
}

void HeadDesk::leave_place() {
  const std::lock_guard lock(mutex_);
  --cameras_;
}

// The thread that tracks. It is handed frames and wishes, of which the newest count.
class HeadPartner::Worker {
public:
  Worker(Answers& answers, HeadDesk& desk) : answers_(answers), desk_(desk) {
    if (!desk_.take_place()) throw Error("too many cameras are tracked already: close another page");
    thread_ = std::thread([this] { run(); });
  }

  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    news_.notify_one();
    thread_.join();
    desk_.leave_place();
  }

  /// Takes the frame, and gives back one whose memory can be used again.
  void hand(CameraFrame& frame) {
    {
      const std::lock_guard lock(mutex_);
      if (fresh_) ++skipped_;
      std::swap(next_, frame);
      fresh_ = true;
    }
    news_.notify_one();
  }

  void calibrate(const Wish& wish) {
    {
      const std::lock_guard lock(mutex_);
      wish_ = wish;
    }
    news_.notify_one();
  }

private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      news_.wait(lock, [this] { return ending_ || fresh_ || wish_; });
      if (ending_) return;
      const bool frame = std::exchange(fresh_, false);
      if (frame) std::swap(next_, frame_);
      const auto wish = std::exchange(wish_, std::nullopt);
      const std::uint64_t skipped = skipped_;
      lock.unlock();
      try {
        if (wish) make_filter(*wish);
        if (frame) track(skipped);
      } catch (const std::exception& error) {
        answers_.reply(error_packet(error.what()));
      }
      lock.lock();
    }
  }

  void make_filter(const Wish& wish) {
    if (frame_.rgba.empty()) throw Error("there is no picture to calibrate with yet: switch the camera on");
    const ColourView view = frame_.view();
    head::Calibration calibration = head::calibrate({&view, 1}, {&wish.oval, 1}, wish.settings);
    calibration.filter.camera = "browser";
    start(calibration);
    tracker_->start(wish.oval);
    nlohmann::ordered_json answer{{"say", "calibrated"}, {"score", calibration.filter.score}};
    answer["low"] = calibration.filter.score < head::low_score;
    answer["filter"] = io::filter_json(calibration);
    desk_.set_calibration(std::move(calibration));
    answers_.reply(Packet::text(dumped(answer)));
  }

  void start(const head::Calibration& calibration) {
    head::TrackerSettings settings;
    settings.smoothing.emplace();
    settings.moments.threads = 1;  // a small picture, and others want the cores too
    tracker_.emplace(calibration, settings);
    width_ = frame_.width;
    height_ = frame_.height;
  }

  void track(std::uint64_t skipped) {
    if (!tracker_ || frame_.width != width_ || frame_.height != height_) {
      tracker_.reset();
      if (const auto calibration = desk_.calibration()) start(*calibration);
    }
    nlohmann::ordered_json header{{"say", "head"},      {"sequence", frame_.sequence}, {"time", frame_.time},
                                  {"skipped", skipped}, {"width", frame_.width},       {"height", frame_.height}};
    if (!tracker_) {
      header["found"] = false;
      header["why"] = "not calibrated";
      answers_.newest("head", Packet::arrays(encode(std::move(header), {})));
      return;
    }
    const auto before = std::chrono::steady_clock::now();
    const ColourView view = frame_.view();
    put(header, tracker_->track(view, frame_.time / 1000));
    header["ms"]["track"] =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - before).count();
    const DegreePicture degrees = degree_picture(view, *tracker_);
    const ArrayPart part = array_part<std::uint8_t>("degrees", degrees.degrees, {degrees.height, degrees.width});
    answers_.newest("head", Packet::arrays(encode(std::move(header), {&part, 1})));
  }

  Answers& answers_;
  HeadDesk& desk_;
  std::mutex mutex_;
  std::condition_variable news_;
  CameraFrame next_;  // waits to be tracked, if fresh
  bool fresh_ = false, ending_ = false;
  std::uint64_t skipped_ = 0;
  std::optional<Wish> wish_;

  // the thread's own
  CameraFrame frame_;
  std::size_t width_ = 0, height_ = 0;
  std::optional<head::Tracker> tracker_;
  std::thread thread_;
};

HeadPartner::HeadPartner(Answers& answers, HeadDesk& desk) : answers_(answers), desk_(desk) {}
HeadPartner::~HeadPartner() = default;

bool HeadPartner::wish(const std::string& what, const nlohmann::json& header) {
  if (what == "camera off") {
    worker_.reset();
    return true;
  }
  if (what != "calibrate") return false;
  const auto numbers = header.at("oval").get<std::vector<double>>();
  if (numbers.size() != 4) throw Error("an oval is its centre and its radii: four numbers");
  Wish wish;
  wish.oval = {numbers[0], numbers[1], numbers[2], numbers[3]};
  wish.settings.distance = number_between(header, "distance", 0.01, 100);
  wish.settings.field_of_view = number_between(header, "field_of_view", 0.02, 3);
  if (!worker_) throw Error("there is no picture to calibrate with yet: switch the camera on");
  worker_->calibrate(wish);
  return true;
}

bool HeadPartner::message(const std::string& what, const Message& message) {
  if (what != "camera") return false;
  const ArrayPart& picture = message.array("picture", ElementType::uint8, 3);
  CameraFrame frame;
  frame.height = picture.shape[0];
  frame.width = picture.shape[1];
  if (picture.shape[2] != 4 || std::min(frame.width, frame.height) < smallest_side ||
      std::max(frame.width, frame.height) > largest_side) {
    throw Error(fmt::format("a camera's picture has 4 bytes a pixel and sides of {} to {} pixels", smallest_side,
                            largest_side));
  }
  frame.sequence = message.header.at("sequence").get<std::uint64_t>();
  frame.time = message.header.at("time").get<double>();
  if (!std::isfinite(frame.time)) throw Error("the time of a picture is not finite");
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(picture.bytes.data());
  frame.rgba.assign(bytes, bytes + picture.bytes.size());
  if (!worker_) worker_ = std::make_unique<Worker>(answers_, desk_);
  worker_->hand(frame);
  return true;
}

}  // namespace kinema::serve
