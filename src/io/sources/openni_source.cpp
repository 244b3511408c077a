#include "io/sources/openers.h"

#include "io/cameras/source_camera.h"
#include "io/files/input_file.h"
#include "io/files/text.h"
#include "kinema/error.h"

#include <OpenNI.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

namespace kinema::io {
namespace {

using namespace std::chrono_literals;

// A camera that is connected but silent is treated as gone.
constexpr auto longest_silence = 3s;

std::string reason() {
  const std::string text = one_line(openni::OpenNI::getExtendedError());
  return text.empty() ? "OpenNI does not say why" : text;
}

// OpenNI, for as long as somebody uses it. While it starts it changes the working directory of the whole process for a
// moment, which must not happen while other threads open files: it is started once per run, before them.
class Library {
public:
  Library() {
    if (openni::OpenNI::initialize() != openni::STATUS_OK) {
      throw Error(fmt::format("OpenNI 2 cannot be started: {}", reason()), Error::Cause::running);
    }
  }
  ~Library() { openni::OpenNI::shutdown(); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
};

std::vector<std::pair<std::string, std::string>> devices() {
  openni::Array<openni::DeviceInfo> infos;
  openni::OpenNI::enumerateDevices(&infos);
  std::vector<std::pair<std::string, std::string>> found;
  found.reserve(static_cast<std::size_t>(infos.getSize()));
  for (int i = 0; i < infos.getSize(); ++i) {
    found.emplace_back(infos[i].getUri(), fmt::format("{} {}", infos[i].getVendor(), infos[i].getName()));
  }
  return found;
}

// Notes that a device was unplugged.
class Watch final : public openni::OpenNI::DeviceDisconnectedListener {
public:
  explicit Watch(std::string uri) : uri_(std::move(uri)) { openni::OpenNI::addDeviceDisconnectedListener(this); }
  ~Watch() override { openni::OpenNI::removeDeviceDisconnectedListener(this); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  bool gone() const { return gone_; }

private:
  void onDeviceDisconnected(const openni::DeviceInfo* info) override {
    if (uri_ == info->getUri()) gone_ = true;
  }

  std::string uri_;
  std::atomic<bool> gone_ = false;
};

template <class Pixel>
void turn_round(Pixel* row, std::size_t count) {
  std::reverse(row, row + count);
}

class OpenNiSource final : public RawSource {
public:
  OpenNiSource(std::shared_ptr<const Library> library, const std::string& word, const RecordingSettings& settings,
               SourceUse use)
      : library_(std::move(library)), file_(!word.starts_with("openni:")), uri_(uri_of(word)), watch_(uri_) {
    format_.name = word;
    if (device_.open(uri_.c_str()) != openni::STATUS_OK) {
      throw Error(fmt::format("{}: cannot be opened: {}", word, reason()),
                  file_ ? Error::Cause::input : Error::Cause::running);
    }
    const bool wants_colour = use != SourceUse::body || settings.colour;
    if (use != SourceUse::colour && device_.hasSensor(openni::SENSOR_DEPTH)) open(depth_, openni::SENSOR_DEPTH);
    if (wants_colour && device_.hasSensor(openni::SENSOR_COLOR)) open(colour_, openni::SENSOR_COLOR);
    if (use == SourceUse::body && !depth_.isValid()) throw Error(fmt::format("{}: gives no depth", word));
    if (!depth_.isValid() && !colour_.isValid()) throw Error(fmt::format("{}: gives no colour", word));
    if (depth_.isValid() && colour_.isValid() &&
        device_.isImageRegistrationModeSupported(openni::IMAGE_REGISTRATION_DEPTH_TO_COLOR)) {
      device_.setImageRegistrationMode(openni::IMAGE_REGISTRATION_DEPTH_TO_COLOR);
    }
    format_.pictures = colour_.isValid();
    describe(settings);
    if (file_) {
      // as fast as frames are read, and once
      device_.getPlaybackControl()->setSpeed(-1);
      device_.getPlaybackControl()->setRepeatEnabled(false);
      format_.size = static_cast<std::size_t>(std::max(0, device_.getPlaybackControl()->getNumberOfFrames(main())));
    } else {
      format_.live = format_.reopens = true;
    }
    for (openni::VideoStream* stream : {&depth_, &colour_}) {
      if (stream->isValid() && stream->start() != openni::STATUS_OK) {
        throw Error(fmt::format("{}: does not start: {}", word, reason()), Error::Cause::running);
      }
    }
  }

  ~OpenNiSource() override {
    for (openni::VideoStream* stream : {&depth_, &colour_}) {
      if (stream->isValid()) stream->stop();
      stream->destroy();
    }
    device_.close();
  }
  OpenNiSource(const OpenNiSource&) = delete;
  OpenNiSource& operator=(const OpenNiSource&) = delete;

  Got read(RawFrame& frame, std::chrono::milliseconds wait) override {
    if (watch_.gone()) throw Error(fmt::format("{}: was unplugged", format_.name), Error::Cause::running);
    if (file_ && format_.size && read_ >= *format_.size) return Got::end;
    openni::VideoFrameRef image;
    if (!next(main(), image, wait)) {
      silence_ += wait;
      if (silence_ > longest_silence) {
        throw Error(fmt::format("{}: gives no more frames after {}", format_.name, read_), Error::Cause::running);
      }
      return Got::nothing;
    }
    silence_ = 0ms;
    ++read_;
    frame.time = static_cast<double>(image.getTimestamp()) / 1e6;
    if (depth_.isValid()) {
      frame.depth = depth_of(image);
      openni::VideoFrameRef colour;
      if (colour_.isValid() && next(colour_, colour, 0ms)) last_colour_ = picture_of(colour);
      frame.colour = last_colour_;
    } else {
      frame.colour = picture_of(image);
    }
    return Got::frame;
  }

private:
  std::string uri_of(const std::string& word) const {
    if (file_) {
      if (!is_there(word)) throw Error(fmt::format("{}: there is no such file", word));
      return std::filesystem::absolute(word).string();
    }
    const std::string which = word.substr(7);
    const auto number = which.empty() ? 0 : exact_number_in<std::size_t>(which);
    if (!number) return which;
    const auto found = devices();
    if (*number < found.size()) return found[*number].first;
    throw Error(fmt::format("{}: there is no such device: OpenNI 2 sees {}", word, found.size()));
  }

  openni::VideoStream& main() { return depth_.isValid() ? depth_ : colour_; }

  void open(openni::VideoStream& stream, openni::SensorType sensor) {
    if (stream.create(device_, sensor) != openni::STATUS_OK) {
      throw Error(fmt::format("{}: has a sensor that cannot be opened: {}", format_.name, reason()));
    }
    if (file_) return;
    stream.setMirroringEnabled(false);
    if (sensor != openni::SENSOR_COLOR) return;
    openni::VideoMode mode = stream.getVideoMode();
    mode.setPixelFormat(openni::PIXEL_FORMAT_RGB888);
    stream.setVideoMode(mode);
  }

  void describe(const RecordingSettings& settings) {
    const openni::VideoMode mode = main().getVideoMode();
    CameraFile file;
    Camera& camera = file.camera;
    camera.width = mode.getResolutionX();
    camera.height = mode.getResolutionY();
    // OpenNI gives the field of view, and its conversions to space put the centre at half the size
    camera.fx = camera.width / (2 * std::tan(main().getHorizontalFieldOfView() / 2.0));
    camera.fy = camera.height / (2 * std::tan(main().getVerticalFieldOfView() / 2.0));
    camera.cx = camera.width / 2.0;
    camera.cy = camera.height / 2.0;
    file.fps = mode.getFps() > 0 ? mode.getFps() : 30;
    if (!depth_.isValid()) {
      check_pixels(static_cast<std::uint64_t>(std::max(0, camera.width)),
                   static_cast<std::uint64_t>(std::max(0, camera.height)), most_frame_pixels, format_.name + ": ");
      format_.content = RawFormat::Content::colour;
      format_.camera.file = file;
      return;
    }
    format_.content = RawFormat::Content::depth;
    const openni::PixelFormat pixels = mode.getPixelFormat();
    if (pixels != openni::PIXEL_FORMAT_DEPTH_1_MM && pixels != openni::PIXEL_FORMAT_DEPTH_100_UM) {
      throw Error(fmt::format("{}: gives depth in a format that is not a distance", format_.name));
    }
    file.depth_scale = pixels == openni::PIXEL_FORMAT_DEPTH_1_MM ? 0.001 : 0.0001;
    CameraSearch search;
    search.frames = format_.name;
    search.timed = false;
    search.size_of_frames = [&]() -> ImageSize { return {camera.width, camera.height}; };
    search.stated = file;
    format_.camera = find_camera(search, settings);
    if (!(format_.camera.file.fps > 0)) format_.camera.file.fps = file.fps;
  }

  static bool next(openni::VideoStream& stream, openni::VideoFrameRef& frame, std::chrono::milliseconds wait) {
    int ready = 0;
    openni::VideoStream* streams[] = {&stream};
    if (openni::OpenNI::waitForAnyStream(streams, 1, &ready, static_cast<int>(wait.count())) != openni::STATUS_OK) {
      return false;
    }
    return stream.readFrame(&frame) == openni::STATUS_OK && frame.isValid();
  }

  DepthImage depth_of(const openni::VideoFrameRef& frame) const {
    DepthImage image{frame.getWidth(), frame.getHeight(), {}};
    const auto width = static_cast<std::size_t>(image.width);
    image.units.resize(width * static_cast<std::size_t>(image.height));
    for (int y = 0; y < image.height; ++y) {
      std::uint16_t* row = image.units.data() + static_cast<std::size_t>(y) * width;
      std::memcpy(row, line(frame, y), width * sizeof(std::uint16_t));
      if (depth_.getMirroringEnabled()) turn_round(row, width);
    }
    return image;
  }

  Picture picture_of(const openni::VideoFrameRef& frame) const {
    Picture picture{frame.getWidth(), frame.getHeight(), {}};
    if (frame.getVideoMode().getPixelFormat() != openni::PIXEL_FORMAT_RGB888) return {};
    const auto width = static_cast<std::size_t>(picture.width);
    picture.bgr.resize(width * static_cast<std::size_t>(picture.height) * 3);
    const bool mirrored = colour_.getMirroringEnabled();
    for (int y = 0; y < picture.height; ++y) {
      const std::uint8_t* from = line(frame, y);
      std::uint8_t* to = picture.bgr.data() + static_cast<std::size_t>(y) * width * 3;
      for (std::size_t x = 0; x < width; ++x) {
        const std::uint8_t* rgb = from + 3 * (mirrored ? width - 1 - x : x);
        for (std::size_t c = 0; c < 3; ++c) to[3 * x + c] = rgb[2 - c];
      }
    }
    return picture;
  }

  static const std::uint8_t* line(const openni::VideoFrameRef& frame, int y) {
    return static_cast<const std::uint8_t*>(frame.getData()) +
           static_cast<std::size_t>(y) * static_cast<std::size_t>(frame.getStrideInBytes());
  }

  std::shared_ptr<const Library> library_;
  bool file_;
  std::string uri_;
  Watch watch_;
  openni::Device device_;
  openni::VideoStream depth_, colour_;
  Picture last_colour_;
  std::size_t read_ = 0;
  std::chrono::milliseconds silence_{0};  // waited for since the last frame
};

}  // namespace

bool openni_built_in() { return true; }

RawOpener openni_opener(const std::string& word, const RecordingSettings& settings, SourceUse use) {
  return [library = std::make_shared<const Library>(), word, settings, use] {
    return std::make_unique<OpenNiSource>(library, word, settings, use);
  };
}

std::vector<Connected> connected_openni() {
  std::vector<Connected> found;
  try {
    const Library library;
    const auto all = devices();
    for (std::size_t i = 0; i < all.size(); ++i) found.push_back({fmt::format("openni:{}", i), all[i].second});
  } catch (const Error&) {
    // without drivers there is nothing to list
  }
  return found;
}

}  // namespace kinema::io
