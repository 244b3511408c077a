// Recordings that are videos: of depth, of pairs side by side, or one video per camera.
#include "io/files/input_file.h"
#include "io/pictures/video_capture.h"
#include "io/recordings/recording_kinds.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace kinema::io {
namespace fs = std::filesystem;
namespace {

class VideoRecording : public Recording {
public:
  std::optional<std::size_t> size() const final { return size_; }

protected:
  bool read(Frame& frame) final {
    frame.index = index_;
    frame.time = static_cast<double>(index_) / camera_.fps;
    frame.name = path_.filename().string();
    bool more = true;
    try {
      more = fill(frame);
    } catch (const Error& error) {
      frame.depth.clear();
      frame.pair = {};
      frame.gap = error.what();
      // a video that fails to decode does not end on its own
      if (error.cause() == Error::Cause::running) throw;
    }
    if (!more) {
      check_video_is_whole(path_, size_, static_cast<std::size_t>(index_));
      return false;
    }
    ++index_;
    return true;
  }

  VideoRecording(fs::path path, const VideoFile& video)
      : Recording(SourceKind::video), path_(std::move(path)), size_(video.size()) {}

  virtual bool fill(Frame& frame) = 0;

  void take_camera(CameraFile camera, const VideoFile& video) {
    if (!(camera.fps > 0)) camera.fps = video.fps();
    set_camera(std::move(camera));
    if (!(camera_.fps > 0)) throw about(path_, Error("does not say its frames per second: give them with --fps"));
  }

  fs::path path_;
  std::optional<std::size_t> size_;

private:
  long index_ = 0;
};

class DepthVideo final : public VideoRecording {
public:
  DepthVideo(const fs::path& path, VideoFile video, const SourceCamera& camera)
      : VideoRecording(path, video), video_(std::move(video)), images_(camera) {
    take_camera(images_.camera(), video_);
    if (video_.width() != camera_.camera.width || video_.height() != camera_.camera.height) {
      throw about(path, Error(fmt::format("has {} x {} pixels, where {} says {} x {}", video_.width(), video_.height(),
                                          camera.name, camera_.camera.width, camera_.camera.height)));
    }
  }

  bool holds_pictures() const override { return false; }

private:
  bool fill(Frame& frame) override {
    DepthImage image;
    if (!video_.next(image)) return false;
    frame.depth = images_.metres(image);
    return true;
  }

  VideoFile video_;
  DepthImages images_;
};

class StereoVideo final : public VideoRecording {
public:
  StereoVideo(const fs::path& path, VideoFile left, std::optional<VideoFile> right, const SourceCamera& camera,
              const RecordingSettings& settings)
      : VideoRecording(path, left),
        left_(std::move(left)),
        right_(std::move(right)),
        pairs_(camera, settings),
        colour_(settings.colour) {
    take_camera(pairs_.camera(), left_);
    from_pairs_ = true;
    if (right_ && size_ && right_->size()) size_ = std::min(*size_, *right_->size());
    const int width = right_ ? camera_.camera.width : 2 * camera_.camera.width;
    for (const VideoFile* video : {&left_, right_ ? &*right_ : &left_}) {
      if (video->width() != width || video->height() != camera_.camera.height) {
        throw about(path, Error(fmt::format("has {} x {} pixels, where {} says {} x {}{}", video->width(),
                                            video->height(), camera.name, camera_.camera.width, camera_.camera.height,
                                            right_ ? "" : ", two of them side by side")));
      }
    }
  }

  bool holds_pictures() const override { return colour_; }

private:
  bool fill(Frame& frame) override {
    Picture left, right;
    if (!left_.next(left)) return false;
    if (right_) {
      if (!right_->next(right)) return false;
    } else {
      right = half(left, 1);
      left = half(left, 0);
    }
    pairs_.fill(left, right, frame);
    if (!colour_) frame.colour = {};
    return true;
  }

  VideoFile left_;
  std::optional<VideoFile> right_;  // none: both sides are in left_
  StereoPairs pairs_;
  bool colour_ = true;
};

}  // namespace

std::unique_ptr<Recording> video_recording(const std::vector<fs::path>& videos, const SourceCamera& camera,
                                           const RecordingSettings& settings) {
  if (videos.size() == 2) {
    VideoFile left(videos[0],
                   VideoFile::Content::colour);  // first, whatever the order in which arguments are evaluated
    return std::make_unique<StereoVideo>(videos[0], std::move(left), VideoFile(videos[1], VideoFile::Content::colour),
                                         camera, settings);
  }
  if (camera.calibration || camera.file.baseline > 0) {
    return std::make_unique<StereoVideo>(videos[0], VideoFile(videos[0], VideoFile::Content::colour), std::nullopt,
                                         camera, settings);
  }
  return std::make_unique<DepthVideo>(videos[0], VideoFile(videos[0], VideoFile::Content::depth), camera);
}

}  // namespace kinema::io
