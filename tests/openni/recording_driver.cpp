// A driver of OpenNI 2 that serves recorded depth as if a camera took it, for tests. OpenNI loads it like any other.
//
// KINEMA_OPENNI_FRAMES names a file: a line "width height fps horizontal-field-of-view vertical-field-of-view", then for
// each frame its time in microseconds (8 bytes) and its pixels (2 bytes each, millimetres). KINEMA_OPENNI_UNPLUG=N: the
// device disappears after N frames, and comes back with the rest.
#define XN_NEW(type, ...) new type(__VA_ARGS__)
#define XN_DELETE(pointer) delete pointer
#include <Driver/OniDriverAPI.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

struct RecordedFrame {
  std::uint64_t time = 0;
  std::vector<std::uint16_t> units;
};

struct Recorded {
  OniVideoMode mode{ONI_PIXEL_FORMAT_DEPTH_1_MM, 0, 0, 0};
  float horizontal = 0, vertical = 0;  // field of view
  std::vector<RecordedFrame> frames;

  bool read(const char* path) {
    std::ifstream file(path, std::ios::binary);
    std::string line;
    if (!std::getline(file, line)) return false;
    std::istringstream(line) >> mode.resolutionX >> mode.resolutionY >> mode.fps >> horizontal >> vertical;
    const std::size_t pixels = static_cast<std::size_t>(mode.resolutionX) * static_cast<std::size_t>(mode.resolutionY);
    for (;;) {
      RecordedFrame frame;
      frame.units.resize(pixels);
      if (!file.read(reinterpret_cast<char*>(&frame.time), sizeof(frame.time))) return true;
      if (!file.read(reinterpret_cast<char*>(frame.units.data()), static_cast<std::streamsize>(2 * pixels)))
        return true;
      frames.push_back(std::move(frame));
    }
  }
};

class DepthStream final : public oni::driver::StreamBase {
public:
  // `at` is the next frame, which outlives the stream.
  DepthStream(const Recorded& recorded, std::size_t& at, std::function<bool(std::size_t)> unplugged)
      : recorded_(recorded), at_(at), unplugged_(std::move(unplugged)) {}
  ~DepthStream() override { stop(); }

  OniStatus start() override {
    stop();
    running_ = true;
    thread_ = std::thread([this] { serve(); });
    return ONI_STATUS_OK;
  }

  void stop() override {
    running_ = false;
    if (thread_.joinable()) thread_.join();
  }

  OniBool isPropertySupported(int property) override {
    return property == ONI_STREAM_PROPERTY_VIDEO_MODE || property == ONI_STREAM_PROPERTY_HORIZONTAL_FOV ||
           property == ONI_STREAM_PROPERTY_VERTICAL_FOV || property == ONI_STREAM_PROPERTY_MAX_VALUE ||
           property == ONI_STREAM_PROPERTY_CROPPING;
  }

  OniStatus getProperty(int property, void* data, int* size) override {
    switch (property) {
      case ONI_STREAM_PROPERTY_VIDEO_MODE:
        return give(recorded_.mode, data, size);
      case ONI_STREAM_PROPERTY_HORIZONTAL_FOV:
        return give(recorded_.horizontal, data, size);
      case ONI_STREAM_PROPERTY_VERTICAL_FOV:
        return give(recorded_.vertical, data, size);
      case ONI_STREAM_PROPERTY_MAX_VALUE:
        return give(most_, data, size);
      case ONI_STREAM_PROPERTY_CROPPING:
        return give(cropping_, data, size);
      default:
        return ONI_STATUS_NOT_SUPPORTED;
    }
  }

  // OpenNI's recorder learns of them this way; its player shows no frame without the cropping.
  void notifyAllProperties() override {
    raisePropertyChanged(ONI_STREAM_PROPERTY_VIDEO_MODE, &recorded_.mode, sizeof(recorded_.mode));
    raisePropertyChanged(ONI_STREAM_PROPERTY_HORIZONTAL_FOV, &recorded_.horizontal, sizeof(float));
    raisePropertyChanged(ONI_STREAM_PROPERTY_VERTICAL_FOV, &recorded_.vertical, sizeof(float));
    raisePropertyChanged(ONI_STREAM_PROPERTY_MAX_VALUE, &most_, sizeof(most_));
    raisePropertyChanged(ONI_STREAM_PROPERTY_CROPPING, &cropping_, sizeof(cropping_));
  }

private:
  template <class T>
  static OniStatus give(const T& value, void* data, int* size) {
    if (*size < static_cast<int>(sizeof(T))) return ONI_STATUS_BAD_PARAMETER;
    std::memcpy(data, &value, sizeof(T));
    *size = sizeof(T);
    return ONI_STATUS_OK;
  }

  void serve() {
    while (running_ && at_ < recorded_.frames.size()) {
      // slow enough for a reader on a busy machine; what it misses all the same is no failure of a live source
      std::this_thread::sleep_for(std::chrono::milliseconds(at_ == 0 ? 300 : 30));
      if (unplugged_(at_)) return;
      OniFrame* frame = getServices().acquireFrame();
      if (frame == nullptr) continue;
      const RecordedFrame& recorded = recorded_.frames[at_];
      frame->frameIndex = static_cast<int>(++at_);
      frame->timestamp = recorded.time;
      frame->videoMode = recorded_.mode;
      frame->width = recorded_.mode.resolutionX;
      frame->height = recorded_.mode.resolutionY;
      frame->croppingEnabled = FALSE;
      frame->cropOriginX = frame->cropOriginY = 0;
      frame->sensorType = ONI_SENSOR_DEPTH;
      frame->stride = frame->width * 2;
      frame->dataSize = static_cast<int>(recorded.units.size() * 2);
      std::memcpy(frame->data, recorded.units.data(), recorded.units.size() * 2);
      raiseNewFrame(frame);
      getServices().releaseFrame(frame);
    }
  }

  const Recorded& recorded_;
  const int most_ = 10000;
  const OniCropping cropping_{};
  std::size_t& at_;
  std::function<bool(std::size_t)> unplugged_;
  std::atomic<bool> running_ = false;
  std::thread thread_;
};

class Device final : public oni::driver::DeviceBase {
public:
  Device(const Recorded& recorded, std::size_t& at, std::function<bool(std::size_t)> unplugged)
      : recorded_(recorded), at_(at), unplugged_(std::move(unplugged)), mode_(recorded.mode) {
    sensor_ = {ONI_SENSOR_DEPTH, 1, &mode_};
  }

  OniStatus getSensorInfoList(OniSensorInfo** sensors, int* count) override {
    *sensors = &sensor_;
    *count = 1;
    return ONI_STATUS_OK;
  }
  oni::driver::StreamBase* createStream(OniSensorType) override { return new DepthStream(recorded_, at_, unplugged_); }
  void destroyStream(oni::driver::StreamBase* stream) override { delete stream; }

private:
  const Recorded& recorded_;
  std::size_t& at_;
  std::function<bool(std::size_t)> unplugged_;
  OniVideoMode mode_;
  OniSensorInfo sensor_{};
};

class RecordingDriver final : public oni::driver::DriverBase {
public:
  using DriverBase::DriverBase;
  ~RecordingDriver() override {
    if (replug_.joinable()) replug_.join();
  }

  OniStatus initialize(oni::driver::DeviceConnectedCallback connected,
                       oni::driver::DeviceDisconnectedCallback disconnected,
                       oni::driver::DeviceStateChangedCallback changed, void* cookie) override {
    DriverBase::initialize(connected, disconnected, changed, cookie);
    const char* path = std::getenv("KINEMA_OPENNI_FRAMES");
    if (path == nullptr || !recorded_.read(path)) return ONI_STATUS_OK;  // no device
    if (const char* number = std::getenv("KINEMA_OPENNI_UNPLUG")) unplug_at_ = std::strtoul(number, nullptr, 10);
    std::strncpy(info_.uri, "kinema://recording", sizeof(info_.uri) - 1);
    std::strncpy(info_.vendor, "Kinema", sizeof(info_.vendor) - 1);
    std::strncpy(info_.name, "Recording", sizeof(info_.name) - 1);
    deviceConnected(&info_);
    return ONI_STATUS_OK;
  }

  oni::driver::DeviceBase* deviceOpen(const char*, const char*) override {
    return new Device(recorded_, at_, [this](std::size_t frame) { return unplugged(frame); });
  }
  void deviceClose(oni::driver::DeviceBase* device) override { delete device; }
  void shutdown() override {}

private:
  // Called by a stream, which may not be stopped from its own thread: the device goes and comes in another.
  bool unplugged(std::size_t frame) {
    if (unplug_at_ == 0 || frame != unplug_at_) return false;
    unplug_at_ = 0;
    replug_ = std::thread([this] {
      deviceDisconnected(&info_);
      deviceConnected(&info_);
    });
    return true;
  }

  Recorded recorded_;
  std::size_t at_ = 0, unplug_at_ = 0;
  OniDeviceInfo info_{};
  std::thread replug_;
};

}  // namespace

ONI_EXPORT_DRIVER(RecordingDriver)
