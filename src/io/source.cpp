#include "kinema/source.h"

#include "io/frame_files.h"
#include "io/image_file.h"
#include "io/input_file.h"
#include "io/video_capture.h"
#include "io/video_length.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>

namespace kinema::io {
namespace fs = std::filesystem;
namespace {

constexpr double usual_fps = 30;

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Frames of one camera have one size: positions in another one would be meaningless to a tracker.
class OneSize {
public:
  /// Turns a frame whose size differs from the first into a gap.
  void check(Frame& frame, const std::string& name) {
    if (width_ == 0) {
      width_ = frame.colour.width;
      height_ = frame.colour.height;
    }
    if (frame.colour.width == width_ && frame.colour.height == height_) return;
    frame.gap = fmt::format("{}: has {} x {} pixels, where the frames before have {} x {}: frames of one size only",
                            name, frame.colour.width, frame.colour.height, width_, height_);
    frame.colour = {};
  }

private:
  int width_ = 0, height_ = 0;
};

class Pictures final : public Source {
public:
  Pictures(FrameSequence sequence, const ColourSettings& settings)
      : Source(settings.sequence ? SourceKind::sequence : SourceKind::pictures),
        sequence_(std::move(sequence)),
        full_range_(settings.full_range) {
    fps_ = settings.fps > 0 ? settings.fps : usual_fps;
    guessed_fps_ = consecutive() && !(settings.fps > 0) && !sequence_.stamped && sequence_.frames.size() > 1;
    // if not even one can be read, the input is wrong, not a frame of it
    std::string why;
    for (const FrameFile& file : sequence_.frames) {
      if (file.missing) continue;
      try {
        picture(file.path);
        return;
      } catch (const Error& error) {
        if (why.empty()) why = error.what();
      }
    }
    throw Error(sequence_.frames.size() == 1 ? why : fmt::format("no frame can be read; the first: {}", why));
  }

  std::optional<std::size_t> size() const override { return sequence_.frames.size(); }

private:
  bool read(Frame& frame) override {
    if (at_ == sequence_.frames.size()) return false;
    const FrameFile& file = sequence_.frames[at_++];
    frame.index = file.index;
    frame.time = sequence_.stamped ? file.stamp : static_cast<double>(file.index) / fps_;
    frame.name = file.path.filename().string();
    if (file.missing) {
      frame.gap = fmt::format("{}: is missing in the sequence", file.path.string());
      return true;
    }
    try {
      frame.colour = picture(file.path);
    } catch (const Error& error) {
      frame.gap = error.what();
      return true;
    }
    if (consecutive()) one_size_.check(frame, file.path.string());
    return true;
  }

  Picture picture(const fs::path& path) const { return full_range_ ? read_face_picture(path) : read_picture(path); }

  FrameSequence sequence_;
  bool full_range_;
  std::size_t at_ = 0;
  OneSize one_size_;
};

class Video final : public Source {
public:
  Video(fs::path path, double fps)
      : Source(SourceKind::video), path_(std::move(path)), video_(path_, VideoFile::Content::colour) {
    fps_ = fps > 0 ? fps : video_.fps();
    guessed_fps_ = !(fps_ > 0);
    if (guessed_fps_) fps_ = usual_fps;
  }

  std::optional<std::size_t> size() const override { return video_.size(); }

private:
  bool read(Frame& frame) override {
    if (!video_.next(frame.colour)) {
      check_video_is_whole(path_, video_.size(), static_cast<std::size_t>(index_));
      return false;
    }
    frame.index = index_++;
    frame.time = static_cast<double>(frame.index) / fps_;
    frame.name = path_.filename().string();
    one_size_.check(frame, fmt::format("{}: frame {}", path_.string(), frame.index));
    return true;
  }

  fs::path path_;
  VideoFile video_;
  long index_ = 0;
  OneSize one_size_;
};

class Camera final : public Source {
public:
  Camera(int number, double fps) : Source(SourceKind::camera), capture_(number, fps) {
    fps_ = capture_.fps() > 0 ? capture_.fps() : usual_fps;
  }

  std::optional<std::size_t> size() const override { return std::nullopt; }

private:
  bool read(Frame& frame) override {
    if (!capture_.next(frame.colour)) {
      throw Error(fmt::format("{} gives no more frames: was it unplugged?", capture_.name()), Error::Cause::running);
    }
    frame.taken = unix_time() - capture_.age();
    if (index_ == 0) first_ = frame.taken;
    frame.index = index_++;
    // the system clock may be set back meanwhile, but the time of frames must increase
    frame.time = last_ = std::max(frame.taken - first_, index_ > 1 ? last_ + 1e-6 : 0);
    frame.name = capture_.name();
    one_size_.check(frame, capture_.name());
    return true;
  }

  CameraCapture capture_;
  double first_ = 0, last_ = 0;
  long index_ = 0;
  OneSize one_size_;
};

// The number of a camera in "camera:0", "/dev/video0" or "0".
std::optional<int> camera_number(const std::string& word) {
  std::error_code ignored;
  std::string_view digits = word;
  const bool named = digits.starts_with("camera:"), device = digits.starts_with("/dev/video");
  if (named) digits.remove_prefix(7);
  if (device) digits.remove_prefix(10);
  if (!named && !device && fs::exists(word, ignored)) return std::nullopt;
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = error == std::errc{} && end == digits.data() + digits.size() && number >= 0 && number < 1000;
  if (named && !whole) throw Error(fmt::format("{}: is no camera: give its number, as in camera:0", word));
  return whole ? std::optional(number) : std::nullopt;
}

FrameSequence sequence_of(const std::vector<std::string>& input, bool numbered) {
  std::error_code ignored;
  const std::string& first = input.front();
  if (input.size() == 1 && fs::is_directory(first, ignored)) {
    FrameSequence sequence = numbered ? list_folder(first, FileKind::picture) : list_names(first, FileKind::picture);
    if (sequence.frames.empty()) {
      throw about(first, Error("holds no pictures (.png .jpg .bmp .tif): name the folder in which the frames lie"));
    }
    return sequence;
  }
  if (input.size() == 1 && is_pattern(first) && !fs::exists(first, ignored)) return list_pattern(first);
  const FrameSequence sequence = list_files({input.begin(), input.end()});
  for (const FrameFile& file : sequence.frames) {
    if (fs::is_directory(file.path, ignored)) throw about(file.path, Error("is a folder: give it alone"));
    if (kind_of(file.path) != FileKind::picture) {
      throw about(file.path, Error("is no picture or video by its name: kinema reads .png .jpg .bmp .tif, and .mp4 "
                                   ".avi .mkv .mov .webm"));
    }
  }
  return sequence;
}

// Unrelated images: those that exist, in alphabetical order or as given.
FrameSequence without_numbers(FrameSequence sequence) {
  FrameSequence plain;
  for (FrameFile& file : sequence.frames) {
    if (!file.missing) plain.frames.push_back({static_cast<long>(plain.frames.size()), 0, std::move(file.path), false});
  }
  return plain;
}

}  // namespace

bool Source::next(Frame& frame) {
  frame = {};
  if (!read(frame)) return false;
  if (frame.taken == 0) frame.taken = unix_time();
  return true;
}

std::unique_ptr<Source> open_colour(const std::vector<std::string>& input, const ColourSettings& settings) {
  if (!std::isfinite(settings.fps) || settings.fps < 0 || settings.fps > 100000) {
    throw Error(fmt::format("{} frames per second: it must be above 0", settings.fps));
  }
  if (input.empty() || input.front().empty()) {
    throw Error("no input was given: name a picture, a folder of them, a video, or a camera as in camera:0");
  }
  if (input.size() == 1) {
    std::error_code ignored;
    if (const auto number = camera_number(input.front())) return std::make_unique<Camera>(*number, settings.fps);
    if (!fs::is_directory(input.front(), ignored) && kind_of(input.front()) == FileKind::video) {
      return std::make_unique<Video>(input.front(), settings.fps);
    }
  }
  FrameSequence sequence = sequence_of(input, settings.sequence);
  return std::make_unique<Pictures>(settings.sequence ? std::move(sequence) : without_numbers(std::move(sequence)),
                                    settings);
}

}  // namespace kinema::io
