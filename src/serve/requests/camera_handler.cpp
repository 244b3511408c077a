#include "serve/requests/camera_handler.h"

#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kinema::serve {
namespace {

constexpr std::size_t largest_side = 1280, smallest_side = 16;

}  // namespace

bool CameraContinuity::continues(const CameraFrame& frame) {
  const bool same = frame.time > time_ && frame.width == width_ && frame.height == height_;
  time_ = frame.time;
  width_ = frame.width;
  height_ = frame.height;
  return same;
}

CameraFrame camera_frame(const Message& message) {
  const ArrayPart& picture = message.array("picture", ElementType::uint8, 3);
  CameraFrame frame;
  frame.height = picture.shape[0];
  frame.width = picture.shape[1];
  if (picture.shape[2] != 4 || std::min(frame.width, frame.height) < smallest_side ||
      std::max(frame.width, frame.height) > largest_side) {
    throw Error(fmt::format("a camera's picture has 4 bytes per pixel and sides of {} to {} pixels", smallest_side,
                            largest_side));
  }
  frame.sequence = whole_number(message.header, "sequence");
  frame.time = message.header.at("time").get<double>();
  if (!std::isfinite(frame.time)) throw Error("the time of a picture is not finite");
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(picture.bytes.data());
  frame.rgba.assign(bytes, bytes + picture.bytes.size());
  return frame;
}

bool is_for(const nlohmann::json& header, const char* tracker) {
  return header.value("tracker", std::string("head")) == tracker;
}

nlohmann::ordered_json camera_answer(const char* tracker, const CameraFrame& frame, std::uint64_t skipped) {
  return {{"say", tracker},     {"sequence", frame.sequence}, {"time", frame.time},
          {"skipped", skipped}, {"width", frame.width},       {"height", frame.height}};
}

bool CameraSlots::acquire() {
  const std::lock_guard lock(mutex_);
  if (taken_ >= most) return false;
  ++taken_;
  return true;
}

void CameraSlots::release() {
  const std::lock_guard lock(mutex_);
  --taken_;
}

CameraThread::CameraThread(PageSender& sender, CameraSlots& slots, std::unique_ptr<CameraTracker> tracker)
    : sender_(sender), slots_(slots), tracker_(std::move(tracker)) {
  if (!slots_.acquire()) throw Error("too many cameras are tracked already: close another page");
  thread_ = std::thread([this] { run(); });
}

CameraThread::~CameraThread() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  news_.notify_one();
  thread_.join();
  slots_.release();
}

void CameraThread::submit(CameraFrame& frame) {
  {
    const std::lock_guard lock(mutex_);
    if (fresh_) ++skipped_;
    std::swap(next_, frame);
    fresh_ = true;
  }
  news_.notify_one();
}

void CameraThread::post(Request request) {
  {
    const std::lock_guard lock(mutex_);
    request_ = std::move(request);
  }
  news_.notify_one();
}

void CameraThread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    news_.wait(lock, [this] { return ending_ || fresh_ || request_; });
    if (ending_) return;
    const bool fresh = std::exchange(fresh_, false);
    if (fresh) std::swap(next_, frame_);
    const Request request = std::exchange(request_, nullptr);
    const std::uint64_t skipped = skipped_;
    lock.unlock();
    try {
      if (request) request(frame_);
      if (fresh) tracker_->track(frame_, skipped);
    } catch (const std::exception& error) {
      sender_.reply(error_packet(error.what()));
    }
    lock.lock();
  }
}

CameraHandler::CameraHandler(const char* name, PageSender& sender, CameraSlots& slots, Make make)
    : name_(name), sender_(sender), slots_(slots), make_(std::move(make)) {}

bool CameraHandler::request(const std::string& what, const nlohmann::json& header) {
  if (what != "camera off" || !is_for(header, name_)) return false;
  thread_.reset();
  return true;
}

bool CameraHandler::message(const std::string& what, const Message& message) {
  if (what != "camera" || !is_for(message.header, name_)) return false;
  CameraFrame frame = camera_frame(message);
  if (!thread_) thread_ = std::make_unique<CameraThread>(sender_, slots_, make_());
  thread_->submit(frame);
  return true;
}

}  // namespace kinema::serve
