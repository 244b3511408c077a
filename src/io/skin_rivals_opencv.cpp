#include "io/skin_rivals.h"

#include "io/opencv_quiet.h"

#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>

namespace kinema::io {
namespace {

cv::Mat as_mat(const ColourView& bgr) {
  return {static_cast<int>(bgr.height), static_cast<int>(bgr.width), CV_8UC3, const_cast<std::uint8_t*>(bgr.data),
          bgr.stride};
}

}  // namespace

bool skin_rivals_built_in() { return true; }

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
  constexpr int bins = 16;
  cv::Mat histogram = cv::Mat::zeros(bins, 1, CV_32F);
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
