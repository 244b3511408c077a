// Videos and PNGs by OpenCV; no_opencv.cpp replaces it in builds without OpenCV.
#include "io/files/frame_files.h"
#include "io/files/input_file.h"
#include "io/files/output_file.h"
#include "io/pictures/image_file.h"
#include "io/pictures/picture_sink.h"
#include "io/pictures/video_capture.h"
#include "kinema/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::io {
namespace fs = std::filesystem;

// OpenCV takes no const pointer, but does not write to it here.
static cv::Mat as_mat(const Picture& picture) {
  const std::size_t pixels = static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height);
  if (picture.width <= 0 || picture.height <= 0 || picture.bgr.size() != 3 * pixels) {
    throw Error(fmt::format("a picture of {} x {} has {} bytes", picture.width, picture.height, picture.bgr.size()));
  }
  return {picture.height, picture.width, CV_8UC3, const_cast<std::uint8_t*>(picture.bgr.data())};
}

struct PictureSink::Target {
  virtual ~Target() = default;
  virtual void add(const Picture& picture, std::int64_t frame, const std::string& name) = 0;
  virtual void commit() = 0;
};

namespace {

class Pictures : public PictureSink::Target {
public:
  // `named`: pictures may have names of their own.
  Pictures(fs::path folder, NamePattern pattern, bool named)
      : folder_(std::move(folder)), pattern_(std::move(pattern)), named_(named) {
    make_folder(folder_);
    OutputFile writable(folder_ / pattern_.name(0));  // throws if it could not be written
  }
  void add(const Picture& picture, std::int64_t frame, const std::string& name) override {
    if (!named_ || name.empty()) return write_picture_png(folder_ / pattern_.name(frame), picture);
    const std::string own = names_.insert(name).second ? name : fmt::format("{}_{}", name, frame);
    write_picture_png(folder_ / (own + ".png"), picture);
  }
  void commit() override {}

private:
  fs::path folder_;
  NamePattern pattern_;
  bool named_;
  std::set<std::string> names_;
};

class Video : public PictureSink::Target {
public:
  Video(fs::path target, double fps) : target_(std::move(target)), fps_(fps) {
    OutputFile writable(target_);  // throws if it could not be written
    if (!std::isfinite(fps) || fps <= 0 || fps > 1000) {
      throw Error(fmt::format("{}: a video of {} frames per second: give a rate above 0", target_.string(), fps));
    }
  }

  ~Video() override {
    writer_.release();
    std::error_code ignored;
    fs::remove(partial_, ignored);
  }

  void add(const Picture& picture, std::int64_t frame, const std::string&) override {
    const cv::Mat image = as_mat(picture);
    // encoders accept even sizes only
    cv::Mat even;
    cv::copyMakeBorder(image, even, 0, image.rows % 2, 0, image.cols % 2, cv::BORDER_REPLICATE);
    if (!writer_.isOpened()) open(even.size());
    if (even.size() != size_) {
      throw Error(fmt::format("{}: frame {} has another size than the first", target_.string(), frame));
    }
    writer_.write(even);
    ++frames_;
  }

  void commit() override {
    if (!writer_.isOpened()) {
      throw Error(fmt::format("{}: there is no frame to make a video of", target_.string()), Error::Cause::running);
    }
    writer_.release();
    check_whole();
    std::error_code error;
    fs::rename(partial_, target_, error);
    if (error) fail(error.message());
    partial_.clear();
  }

private:
  // Nothing says so where the disk was full, but FFmpeg writes no more from then on: the end of the file is missing, or
  // the length in its header.
  void check_whole() const {
    std::size_t readable = 0;
    try {
      readable = VideoFile(partial_, VideoFile::Content::colour).size().value_or(0);
    } catch (const Error&) {
    }
    // its duration is rounded
    if (readable == 0 || readable + 1 < frames_) fail("it lacks frames, as where the disk is full");
    const int file = ::open(partial_.c_str(), O_RDONLY | O_CLOEXEC);
    const int error = file < 0 || ::fsync(file) != 0 ? errno : 0;
    if (file >= 0) ::close(file);
    if (error != 0 && error != EINVAL && error != ENOTSUP) fail(std::strerror(error));
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(fmt::format("{}: could not be written: {}", target_.string(), why), Error::Cause::running);
  }

  void open(cv::Size size) {
    size_ = size;
    // the ending selects the container; FFmpeg opens what is there
    const int file = create_partial(target_, partial_, target_.extension().string());
    if (file < 0) fail(std::strerror(errno));
    ::close(file);
    // H.264 plays in every browser; not every build of OpenCV can encode it
    for (const char* codec : {"avc1", "mp4v", "MJPG"}) {
      try {
        if (writer_.open(partial_.string(), cv::CAP_FFMPEG,
                         cv::VideoWriter::fourcc(codec[0], codec[1], codec[2], codec[3]), fps_, size)) {
          return;
        }
      } catch (const cv::Exception&) {
      }
    }
    throw Error(fmt::format("{}: OpenCV has no encoder for such a video here; give a folder for pictures instead",
                            target_.string()),
                Error::Cause::running);
  }

  fs::path target_, partial_;  // partial_ is empty while there is no such file
  double fps_;
  std::size_t frames_ = 0;
  cv::Size size_;
  cv::VideoWriter writer_;
};

std::unique_ptr<PictureSink::Target> make_target(const fs::path& path, double fps) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  for (std::string_view video : {".mp4", ".m4v", ".mov", ".mkv", ".avi"}) {
    if (ending == video) return std::make_unique<Video>(path, fps);
  }
  if (ending == ".png") {
    if (!is_pattern(path.filename().string())) {
      throw Error(fmt::format("{}: pictures need their frame's number in their name: give one such as %06d.png",
                              path.string()));
    }
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    return std::make_unique<Pictures>(folder, NamePattern::of(path), false);
  }
  if (!path.empty() && (ending.empty() || is_folder(path))) {
    return std::make_unique<Pictures>(path, NamePattern{"", ".png", 6}, true);
  }
  throw Error(fmt::format(
      "{}: pictures go to a video (.mp4, .mov, .mkv, .avi), to names such as %06d.png, or to a folder", path.string()));
}

}  // namespace

PictureSink::PictureSink(const fs::path& path, double fps) : target_(make_target(path, fps).release()) {}
void PictureSink::add(const Picture& picture, std::int64_t frame, const std::string& name) {
  target_->add(picture, frame, name);
}
void PictureSink::commit() { target_->commit(); }

}  // namespace kinema::io
