// By OpenCV; no_opencv.cpp replaces it in builds without OpenCV.
#include "io/faces/head_baselines.h"
#include "io/files/input_file.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>

namespace kinema::io {
namespace {

constexpr int bins = 32;
constexpr int histogram_size[] = {bins}, channels[] = {0};
constexpr float hue_range[] = {0, 180};

cv::Mat view(const Picture& picture) {
  return {picture.height, picture.width, CV_8UC3, const_cast<std::uint8_t*>(picture.bgr.data())};
}

cv::Mat as_mat(const ColourView& bgr) {
  return {static_cast<int>(bgr.height), static_cast<int>(bgr.width), CV_8UC3, const_cast<std::uint8_t*>(bgr.data),
          bgr.stride};
}

}  // namespace

struct CamShiftTracker::State {
  cv::Mat hsv, mask, histogram, back;
  cv::Rect window;

  void prepare(const Picture& picture) {
    cv::cvtColor(view(picture), hsv, cv::COLOR_BGR2HSV);
    cv::inRange(hsv, cv::Scalar(0, 30, 10), cv::Scalar(180, 256, 256), mask);
  }
};

CamShiftTracker::CamShiftTracker(const Picture& first, const head::Oval& oval) : state_(new State) {
  state_->prepare(first);
  const cv::Rect whole(0, 0, first.width, first.height);
  state_->window = cv::Rect(static_cast<int>(oval.cx - oval.rx), static_cast<int>(oval.cy - oval.ry),
                            static_cast<int>(2 * oval.rx), static_cast<int>(2 * oval.ry)) &
                   whole;
  if (state_->window.empty()) throw Error("the oval lies outside the frame");
  const cv::Mat hsv = state_->hsv(state_->window), mask = state_->mask(state_->window);
  const float* ranges[] = {hue_range};
  cv::calcHist(&hsv, 1, channels, mask, state_->histogram, 1, histogram_size, ranges);
  cv::normalize(state_->histogram, state_->histogram, 0, 255, cv::NORM_MINMAX);
}

HeadCentre CamShiftTracker::track(const Picture& picture) {
  State& state = *state_;
  try {
    state.prepare(picture);
    const float* ranges[] = {hue_range};
    cv::calcBackProject(&state.hsv, 1, channels, state.histogram, state.back, ranges);
    state.back &= state.mask;
    if (state.window.area() <= 1) {
      const int reach = (std::min(picture.width, picture.height) + 5) / 6;
      state.window = cv::Rect(state.window.x - reach, state.window.y - reach, 2 * reach, 2 * reach) &
                     cv::Rect(0, 0, picture.width, picture.height);
    }
    const cv::RotatedRect found = cv::CamShift(
        state.back, state.window, cv::TermCriteria(cv::TermCriteria::EPS | cv::TermCriteria::COUNT, 10, 1));
    if (state.window.area() <= 1) return std::nullopt;
    return HeadCentre({found.center.x, found.center.y});
  } catch (const cv::Exception& error) {
    throw Error(fmt::format("CamShift failed: {}", one_line(error.err)), Error::Cause::running);
  }
}

bool head_baselines_built_in() { return true; }

SkinCentre hsv_centre(const ColourView& bgr) {
  cv::Mat hsv, skin;
  cv::cvtColor(as_mat(bgr), hsv, cv::COLOR_BGR2HSV);
  cv::inRange(hsv, cv::Scalar(0, 40, 60), cv::Scalar(25, 180, 255), skin);
  const cv::Moments m = cv::moments(skin, true);
  if (m.m00 == 0) return {};
  return {m.m10 / m.m00, m.m01 / m.m00, m.m00 / static_cast<double>(skin.total())};
}

SkinCentre camshift_centre(const ColourView& bgr) {
  cv::Mat hsv, likely;
  cv::cvtColor(as_mat(bgr), hsv, cv::COLOR_BGR2HSV);
  constexpr int skin_bins = 16;
  cv::Mat histogram = cv::Mat::zeros(skin_bins, 1, CV_32F);
  histogram.at<float>(0) = 255;  // hues of skin, 0 to 22 of 180
  histogram.at<float>(1) = 255;
  const float range[] = {0, 180};
  const float* ranges[] = {range};
  const int channel = 0;
  cv::calcBackProject(&hsv, 1, &channel, histogram, likely, ranges);
  cv::Rect window(0, 0, likely.cols, likely.rows);
  const cv::RotatedRect found =
      cv::CamShift(likely, window, cv::TermCriteria(cv::TermCriteria::EPS | cv::TermCriteria::COUNT, 10, 1));
  return {found.center.x, found.center.y, found.size.area() / static_cast<double>(likely.total())};
}

}  // namespace kinema::io
