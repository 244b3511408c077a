#include "io/sources/openers.h"

#include "io/cameras/source_camera.h"
#include "io/files/descriptor.h"
#include "io/pictures/video_capture.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace kinema::io {
namespace {

namespace fs = std::filesystem;

int command(int device, unsigned long request, void* argument) {
  int result = 0;
  do {
    result = ::ioctl(device, request, argument);
  } while (result < 0 && errno == EINTR);
  return result;
}

class Device : public Descriptor {
public:
  explicit Device(const std::string& path) : Descriptor(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)) {}

  int ask(unsigned long request, void* argument) const { return command(number(), request, argument); }
};

bool offers_depth(const Device& device) {
  v4l2_fmtdesc format{};
  format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  for (; device.ask(VIDIOC_ENUM_FMT, &format) == 0; ++format.index) {
    if (format.pixelformat == V4L2_PIX_FMT_Z16) return true;
  }
  return false;
}

// A buffer of the driver in this program's memory.
class Mapped {
public:
  Mapped(const Device& device, const v4l2_buffer& buffer)
      : size_(buffer.length),
        bytes_(::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, device.number(),
                      static_cast<off_t>(buffer.m.offset))) {}
  ~Mapped() {
    if (good()) ::munmap(bytes_, size_);
  }
  Mapped(Mapped&& other) noexcept : size_(other.size_), bytes_(std::exchange(other.bytes_, MAP_FAILED)) {}
  Mapped& operator=(Mapped&&) = delete;

  bool good() const { return bytes_ != MAP_FAILED; }
  std::size_t size() const { return size_; }
  const char* bytes() const { return static_cast<const char*>(bytes_); }

private:
  std::size_t size_;
  void* bytes_;
};

class V4l2Source final : public RawSource {
public:
  V4l2Source(const std::string& word, const std::string& path, const RecordingSettings& settings)
      : path_(path), device_(path) {
    format_.name = word;
    format_.live = format_.reopens = true;
    v4l2_capability capability{};
    if (!device_.open()) throw Error(fmt::format("{}: cannot be opened: {}", path_, std::strerror(errno)));
    if (device_.ask(VIDIOC_QUERYCAP, &capability) != 0) throw Error(fmt::format("{}: is not a video device", path_));
    if (!offers_depth(device_)) throw Error(fmt::format("{}: gives no depth of 16 bits (Z16)", path_));
    CameraSearch search;
    search.frames = word;
    search.timed = false;
    format_.camera = find_camera(search, settings);
    set_format();
    start();
  }

  ~V4l2Source() override {
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    device_.ask(VIDIOC_STREAMOFF, &type);
  }
  V4l2Source(const V4l2Source&) = delete;
  V4l2Source& operator=(const V4l2Source&) = delete;

  Got read(RawFrame& frame, std::chrono::milliseconds wait) override {
    pollfd waiting{device_.number(), POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(wait.count())) <= 0) return Got::nothing;
    v4l2_buffer buffer = empty_buffer(0);
    if (device_.ask(VIDIOC_DQBUF, &buffer) != 0) {
      if (errno == EAGAIN) return Got::nothing;
      fail("gives no more frames");
    }
    const bool good = (buffer.flags & V4L2_BUF_FLAG_ERROR) == 0 && buffer.index < buffers_.size() &&
                      buffers_[buffer.index].size() >= stride_ * static_cast<std::size_t>(camera().height);
    if (good) fill(frame, buffer);
    if (device_.ask(VIDIOC_QBUF, &buffer) != 0) fail("gives no more frames");
    return good ? Got::frame : Got::nothing;
  }

private:
  const Camera& camera() const { return format_.camera.file.camera; }

  [[noreturn]] void fail(const char* what) const {
    throw Error(fmt::format("{}: {}: {}", path_, what, std::strerror(errno)), Error::Cause::running);
  }

  static v4l2_buffer empty_buffer(unsigned index) {
    v4l2_buffer buffer{};
    buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    buffer.memory = V4L2_MEMORY_MMAP;
    buffer.index = index;
    return buffer;
  }

  void set_format() {
    v4l2_format format{};
    format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    v4l2_pix_format& pixels = format.fmt.pix;
    pixels.width = static_cast<unsigned>(camera().width);
    pixels.height = static_cast<unsigned>(camera().height);
    pixels.pixelformat = V4L2_PIX_FMT_Z16;
    pixels.field = V4L2_FIELD_NONE;
    if (device_.ask(VIDIOC_S_FMT, &format) != 0) fail("does not take its format");
    if (pixels.pixelformat != V4L2_PIX_FMT_Z16 || pixels.width != static_cast<unsigned>(camera().width) ||
        pixels.height != static_cast<unsigned>(camera().height)) {
      throw Error(fmt::format("{}: gives depth of {} x {} pixels, where {} says {} x {}", path_, pixels.width,
                              pixels.height, format_.camera.name, camera().width, camera().height));
    }
    stride_ = std::max<std::size_t>(pixels.bytesperline, 2 * pixels.width);
    double& fps = format_.camera.file.fps;
    if (!(fps > 0)) fps = usual_fps;
    v4l2_streamparm rate{};
    rate.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    rate.parm.capture.timeperframe = {1000, static_cast<unsigned>(1000 * fps)};
    device_.ask(VIDIOC_S_PARM, &rate);  // a wish: frames have their time
  }

  void start() {
    v4l2_requestbuffers request{};
    request.count = 4;
    request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    request.memory = V4L2_MEMORY_MMAP;
    if (device_.ask(VIDIOC_REQBUFS, &request) != 0 || request.count == 0) fail("is used by another program");
    for (unsigned i = 0; i < request.count; ++i) {
      v4l2_buffer buffer = empty_buffer(i);
      if (device_.ask(VIDIOC_QUERYBUF, &buffer) != 0) fail("gives no buffers");
      buffers_.emplace_back(device_, buffer);
      if (!buffers_.back().good() || device_.ask(VIDIOC_QBUF, &buffer) != 0) fail("gives no buffers");
    }
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    if (device_.ask(VIDIOC_STREAMON, &type) != 0) fail("does not start");
  }

  void fill(RawFrame& frame, const v4l2_buffer& buffer) const {
    const auto width = static_cast<std::size_t>(camera().width), height = static_cast<std::size_t>(camera().height);
    frame.depth = {camera().width, camera().height, std::vector<std::uint16_t>(width * height)};
    for (std::size_t y = 0; y < height; ++y) {
      std::memcpy(frame.depth.units.data() + y * width, buffers_[buffer.index].bytes() + y * stride_, 2 * width);
    }
    // drivers stamp with the monotonic clock, usually; a frame was taken as long ago by either
    const auto seconds = [](auto time) { return std::chrono::duration<double>(time.time_since_epoch()).count(); };
    frame.time = static_cast<double>(buffer.timestamp.tv_sec) + static_cast<double>(buffer.timestamp.tv_usec) / 1e6;
    const double age = seconds(std::chrono::steady_clock::now()) - frame.time;
    const double now = seconds(std::chrono::system_clock::now());
    frame.taken = age >= 0 && age < 1 ? now - age : now;
  }

  std::string path_;
  Device device_;
  std::vector<Mapped> buffers_;
  std::size_t stride_ = 0;
};

}  // namespace

bool names_v4l2(const std::string& word) { return word.starts_with("v4l2:"); }

RawOpener v4l2_opener(const std::string& word, const RecordingSettings& settings) {
  const std::string path = word.substr(5);
  if (path.empty()) throw Error("v4l2: is not a device: give its path, as in v4l2:/dev/video2");
  return [word, path, settings] { return std::make_unique<V4l2Source>(word, path, settings); };
}

std::vector<Connected> connected_v4l2() {
  std::vector<Connected> found;
  std::error_code error;
  for (fs::directory_iterator entry("/dev", error), end; !error && entry != end; entry.increment(error)) {
    if (!entry->path().filename().string().starts_with("video")) continue;
    const Device device(entry->path().string());
    v4l2_capability capability{};
    if (!device.open() || device.ask(VIDIOC_QUERYCAP, &capability) != 0 || !offers_depth(device)) continue;
    const auto* name = reinterpret_cast<const char*>(capability.card);
    found.push_back({"v4l2:" + entry->path().string(), std::string(name, ::strnlen(name, sizeof(capability.card)))});
  }
  std::sort(found.begin(), found.end(), [](const Connected& a, const Connected& b) { return a.input < b.input; });
  return found;
}

}  // namespace kinema::io
