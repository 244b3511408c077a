// Cameras by OpenCV; head_no_opencv.cpp stands in where it is not built in.
#include "io/camera_capture.h"
#include "io/opencv_quiet.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>

#include <chrono>
#include <cmath>
#include <filesystem>

namespace kinema::io {

struct CameraCapture::State {
  int number = 0;
  cv::VideoCapture capture;
  cv::Mat frame, colour;
};

CameraCapture::~CameraCapture() = default;
CameraCapture::CameraCapture(CameraCapture&&) noexcept = default;
CameraCapture& CameraCapture::operator=(CameraCapture&&) noexcept = default;

CameraCapture::CameraCapture(int number, double fps) : state_(new State) {
  state_->number = number;
  const QuietOpenCV quiet;
  std::error_code ignored;
  if (!std::filesystem::exists(name(), ignored)) {
    throw Error(fmt::format("{}: there is no such camera: plug it in, or give the number of another one", name()));
  }
  try {
    state_->capture.open(number, cv::CAP_V4L2);
    if (fps > 0) state_->capture.set(cv::CAP_PROP_FPS, fps);
    state_->capture.set(cv::CAP_PROP_BUFFERSIZE, 1);  // the newest picture, not one that has waited
  } catch (const cv::Exception&) {
    // not opened: said below
  }
  if (!state_->capture.isOpened()) {
    throw Error(fmt::format("{}: cannot be opened as a camera: is another program using it?", name()));
  }
}

std::string CameraCapture::name() const { return fmt::format("/dev/video{}", state_->number); }

double CameraCapture::fps() const {
  const double fps = state_->capture.get(cv::CAP_PROP_FPS);
  return std::isfinite(fps) && fps > 0 && fps < 1e6 ? fps : 0;
}

bool CameraCapture::next(Picture& picture) {
  const QuietOpenCV quiet;
  try {
    if (!state_->capture.read(state_->frame) || state_->frame.empty()) return false;
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

double CameraCapture::age() const {
  // V4L2 stamps buffers with the clock that starts with the machine; where it does not, the difference makes no sense
  const double taken = state_->capture.get(cv::CAP_PROP_POS_MSEC) / 1000;
  const double age = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count() - taken;
  return taken > 0 && age > 0 && age < 1 ? age : 0;
}

}  // namespace kinema::io
