#include "kinema/source.h"

#include "core/unix_time.h"
#include "io/files/frame_files.h"
#include "io/files/input_file.h"
#include "io/pictures/image_file.h"
#include "io/pictures/video_capture.h"
#include "io/recordings/raw_recording.h"
#include "io/sources/source_schemes.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace kinema::io {
namespace fs = std::filesystem;
namespace {

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

class PictureFiles final : public Source {
public:
  PictureFiles(FrameSequence sequence, const ColourSettings& settings)
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

class VideoFrames final : public Source {
public:
  VideoFrames(fs::path path, double fps)
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

FrameSequence sequence_of(const std::vector<std::string>& input, bool numbered) {
  const std::string& first = input.front();
  if (input.size() == 1 && is_folder(first)) {
    FrameSequence sequence = numbered ? list_folder(first, FileKind::picture) : list_names(first, FileKind::picture);
    if (sequence.frames.empty()) {
      throw about(first, Error("holds no pictures (.png .jpg .bmp .tif): name the folder in which the frames lie"));
    }
    return sequence;
  }
  if (input.size() == 1 && is_pattern(first) && !is_there(first)) return list_pattern(first);
  const FrameSequence sequence = list_files({input.begin(), input.end()});
  for (const FrameFile& file : sequence.frames) {
    if (is_folder(file.path)) throw about(file.path, Error("is a folder: give it alone"));
    if (kind_of(file.path) != FileKind::picture) {
      throw about(file.path, Error("is not a picture or video by its name: kinema reads .png .jpg .bmp .tif, and .mp4 "
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
  if (!(settings.reconnect >= 0)) throw Error(fmt::format("{} seconds to reconnect: 0 or more", settings.reconnect));
  if (input.empty() || input.front().empty()) {
    throw Error("no input was given: name a picture, a folder of them, a video, or a camera as in camera:0");
  }
  if (input.size() == 1) {
    RecordingSettings live;
    live.fps = settings.fps;
    live.reconnect = settings.reconnect;
    live.wait = settings.wait;
    if (const auto opener = source_opener(input.front(), live, SourceUse::colour)) return open_raw(*opener, live);
    if (!is_folder(input.front()) && kind_of(input.front()) == FileKind::video) {
      return std::make_unique<VideoFrames>(input.front(), settings.fps);
    }
  }
  FrameSequence sequence = sequence_of(input, settings.sequence);
  return std::make_unique<PictureFiles>(settings.sequence ? std::move(sequence) : without_numbers(std::move(sequence)),
                                        settings);
}

}  // namespace kinema::io
