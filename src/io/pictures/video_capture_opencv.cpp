// By OpenCV; no_opencv.cpp replaces it in builds without OpenCV.
#include "io/pictures/video_capture.h"

#include "io/files/input_file.h"
#include "io/pictures/opencv_quiet.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <shared_mutex>
#include <string>

namespace kinema::io {

namespace {

// FFmpeg prints the defects of a file, and OpenCV controls that by an environment variable only. If the user has set
// it, it is left alone.
void quiet_ffmpeg() {
  static const bool once = ::setenv("OPENCV_FFMPEG_LOGLEVEL", "-8", 0) == 0;
  static_cast<void>(once);
}

// FFmpeg takes a file for what its bytes say it is, whatever its name: also for a list of other files and addresses
// (HLS, DASH, concat, SDP), whose pictures would then be tracked. So only containers that hold their frames themselves are
// read, and nothing beside the file is opened. OpenCV hands such options to FFmpeg through the environment only, which all
// threads share: streams of the network, which need other protocols, are not opened meanwhile.
constexpr const char* ffmpeg_options = "OPENCV_FFMPEG_CAPTURE_OPTIONS";
constexpr const char* file_options =
    "protocol_whitelist;file|enable_drefs;0|format_whitelist;"
    "mov,matroska,avi,asf,mpeg,mpegts,mpegvideo,m4v,h264,hevc,mjpeg,flv,ogg,nut,dv";
constexpr const char* usual_options = "rtsp_flags;prefer_tcp";  // of OpenCV, where the user gave none

std::shared_mutex ffmpeg_options_mutex;

class FileOptions {
public:
  FileOptions() : lock_(ffmpeg_options_mutex) {
    if (const char* given = std::getenv(ffmpeg_options)) before_ = given;
    ::setenv(ffmpeg_options, file_options, 1);
  }
  // not removed again: other threads may be reading the environment, which moves where it grows
  ~FileOptions() { ::setenv(ffmpeg_options, before_.c_str(), 1); }
  FileOptions(const FileOptions&) = delete;
  FileOptions& operator=(const FileOptions&) = delete;

private:
  std::unique_lock<std::shared_mutex> lock_;
  std::string before_ = usual_options;
};

// By FFmpeg alone: OpenCV's other readers of files take no such list.
void open_file(cv::VideoCapture& capture, const std::string& path) {
  const FileOptions options;
  capture.open(path, cv::CAP_FFMPEG);
}

// Before the first frame is decoded.
void check_stated_pixels(const cv::VideoCapture& capture, const std::string& where) {
  const auto side = [&](cv::VideoCaptureProperties which) {
    return static_cast<std::uint64_t>(std::clamp(capture.get(which), 0.0, 1e9));
  };
  check_pixels(side(cv::CAP_PROP_FRAME_WIDTH), side(cv::CAP_PROP_FRAME_HEIGHT), most_frame_pixels, where);
}

}  // namespace

struct VideoFile::State {
  std::filesystem::path path;
  Content content = Content::colour;
  cv::VideoCapture capture;
  cv::Mat frame;         // the last one read
  bool waiting = false;  // it was read to learn its type, and not yet returned

  bool read() {
    if (waiting) return !(waiting = false);
    const QuietOpenCV quiet;
    try {
      // a film may change its size midway
      if (!capture.read(frame) || frame.empty()) return false;
      check_pixels(static_cast<std::uint64_t>(frame.cols), static_cast<std::uint64_t>(frame.rows), most_frame_pixels);
      return true;
    } catch (const Error& error) {
      throw about(path, Error(error.what(), Error::Cause::running));
    } catch (const cv::Exception& error) {
      throw about(path, Error(fmt::format("cannot be decoded: {}", one_line(error.err)), Error::Cause::running));
    }
  }
};

VideoFile::VideoFile(const std::filesystem::path& path, Content content) : state_(new State) {
  std::error_code error;
  if (!is_there(path)) throw about(path, Error("there is no such file"));
  if (is_folder(path)) throw about(path, Error("is a folder, not a video"));
  if (std::filesystem::file_size(path, error) == 0) throw about(path, Error("is empty"));
  state_->path = path;
  state_->content = content;
  const QuietOpenCV quiet;
  quiet_ffmpeg();
  try {
    open_file(state_->capture, path.string());
    if (content == Content::depth && state_->capture.isOpened()) state_->capture.set(cv::CAP_PROP_CONVERT_RGB, 0);
  } catch (const cv::Exception&) {
    // not opened: reported below
  }
  if (!state_->capture.isOpened()) throw about(path, Error("is not a video that OpenCV and FFmpeg can read"));
  check_stated_pixels(state_->capture, path.string() + ": ");
  if (!state_->read()) throw about(path, Error("holds no frame that this OpenCV can decode"));
  state_->waiting = true;
  if (content == Content::depth && state_->frame.type() == CV_8UC3) {
    throw about(path, Error("is a colour video, which has no depth: kinema track (or head track, face fit) follows the "
                            "head in it; if it holds stereo pairs side by side, give --baseline"));
  }
  if (content == Content::depth && state_->frame.type() != CV_16UC1) {
    throw about(path, Error("comes as 8 bits per pixel from this OpenCV, and depth needs 16: save the frames as 16-bit "
                            "PNG in depth/"));
  }
  if (content == Content::colour && state_->frame.type() != CV_8UC3 && state_->frame.type() != CV_8UC1) {
    throw about(path, Error("is not a video of 8-bit pictures"));
  }
}

double VideoFile::fps() const {
  const double fps = state_->capture.get(cv::CAP_PROP_FPS);
  return std::isfinite(fps) && fps > 0 && fps < 1e6 ? fps : 0;
}

std::optional<std::size_t> VideoFile::size() const {
  const double count = state_->capture.get(cv::CAP_PROP_FRAME_COUNT);
  if (!(count >= 1) || count > 1e9) return std::nullopt;
  return static_cast<std::size_t>(count);
}

int VideoFile::width() const { return state_->frame.cols; }
int VideoFile::height() const { return state_->frame.rows; }

bool VideoFile::next(Picture& picture) {
  if (!state_->read()) return false;
  cv::Mat frame = state_->frame;
  if (frame.channels() == 1) cv::cvtColor(state_->frame, frame, cv::COLOR_GRAY2BGR);
  if (!frame.isContinuous()) frame = frame.clone();
  picture = {frame.cols, frame.rows, {frame.data, frame.data + frame.total() * 3}};
  return true;
}

bool VideoFile::next(DepthImage& image) {
  if (!state_->read()) return false;
  const cv::Mat frame = state_->frame.isContinuous() ? state_->frame : state_->frame.clone();
  const auto* first = reinterpret_cast<const std::uint16_t*>(frame.data);
  image = {frame.cols, frame.rows, {first, first + frame.total()}};
  return true;
}

struct CameraCapture::State {
  int number = 0;
  std::string address;  // of a stream; empty: a local camera
  cv::VideoCapture capture;
  cv::Mat frame, colour;

  ~State() {
    const QuietOpenCV quiet;  // it complains of a camera that was unplugged
    capture.release();
  }
};

CameraCapture::CameraCapture(int number, double fps) : state_(new State) {
  state_->number = number;
  const QuietOpenCV quiet;
  if (!is_there(name())) {
    throw Error(fmt::format("{}: there is no such camera: plug it in, or give the number of another one", name()));
  }
  try {
    state_->capture.open(number, cv::CAP_V4L2);
    if (fps > 0) state_->capture.set(cv::CAP_PROP_FPS, fps);
    state_->capture.set(cv::CAP_PROP_BUFFERSIZE, 1);  // the newest image, not a buffered one
  } catch (const cv::Exception&) {
    // not opened: reported below
  }
  if (!state_->capture.isOpened()) {
    throw Error(fmt::format("{}: cannot be opened as a camera: is another program using it?", name()));
  }
}

CameraCapture::CameraCapture(const std::string& address) : state_(new State) {
  state_->address = address;
  const QuietOpenCV quiet;
  quiet_ffmpeg();
  const std::shared_lock lock(ffmpeg_options_mutex);
  try {
    state_->capture.open(address, cv::CAP_FFMPEG,
                         {cv::CAP_PROP_OPEN_TIMEOUT_MSEC, 5000, cv::CAP_PROP_READ_TIMEOUT_MSEC, 2000});
  } catch (const cv::Exception&) {
    // not opened: reported below
  }
  if (!state_->capture.isOpened()) {
    throw Error(fmt::format("{}: cannot be opened: does anybody send there?", address));
  }
  check_stated_pixels(state_->capture, address + ": ");
}

std::string CameraCapture::name() const {
  return state_->address.empty() ? fmt::format("/dev/video{}", state_->number) : state_->address;
}

double CameraCapture::fps() const {
  const double fps = state_->capture.get(cv::CAP_PROP_FPS);
  return std::isfinite(fps) && fps > 0 && fps < 1e6 ? fps : 0;
}

int CameraCapture::width() const { return static_cast<int>(state_->capture.get(cv::CAP_PROP_FRAME_WIDTH)); }
int CameraCapture::height() const { return static_cast<int>(state_->capture.get(cv::CAP_PROP_FRAME_HEIGHT)); }

void CameraCapture::request_size(int width, int height) {
  if (width == this->width() && height == this->height()) return;
  const QuietOpenCV quiet;
  try {
    state_->capture.set(cv::CAP_PROP_FRAME_WIDTH, width);
    state_->capture.set(cv::CAP_PROP_FRAME_HEIGHT, height);
  } catch (const cv::Exception&) {
    // the size remains, and the caller sees it
  }
}

bool CameraCapture::grab() {
  const QuietOpenCV quiet;
  try {
    return state_->capture.grab();
  } catch (const cv::Exception&) {
    return false;
  }
}

bool CameraCapture::retrieve(Picture& picture) {
  const QuietOpenCV quiet;
  try {
    if (!state_->capture.retrieve(state_->frame) || state_->frame.empty()) return false;
    cv::Mat frame = state_->frame;
    if (frame.channels() == 1) {
      cv::cvtColor(frame, state_->colour, cv::COLOR_GRAY2BGR);
      frame = state_->colour;
    }
    if (frame.type() != CV_8UC3) return false;
    if (!frame.isContinuous()) frame = frame.clone();
    picture = {frame.cols, frame.rows, {frame.data, frame.data + frame.total() * 3}};
    return true;
  } catch (const cv::Exception&) {
    return false;
  }
}

std::optional<double> CameraCapture::stream_time() const {
  if (state_->address.empty()) return std::nullopt;
  const double ms = state_->capture.get(cv::CAP_PROP_POS_MSEC);
  return std::isfinite(ms) ? std::optional(ms / 1000) : std::nullopt;
}

double CameraCapture::age() const {
  if (!state_->address.empty()) return 0;
  // V4L2 stamps buffers with the monotonic clock; with another clock the difference is meaningless
  const double taken = state_->capture.get(cv::CAP_PROP_POS_MSEC) / 1000;
  const double age = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count() - taken;
  return taken > 0 && age > 0 && age < 1 ? age : 0;
}

}  // namespace kinema::io
