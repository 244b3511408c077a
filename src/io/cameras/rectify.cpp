#include "io/cameras/rectify.h"

#include "io/cameras/opencv_lens.h"
#include "io/files/input_file.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>

namespace kinema::io {
namespace {

// Squares of 5 x 5 pixels are matched and squares of 7 x 7 compared: with this margin neither reaches the black border.
constexpr int border_margin = 4;

}  // namespace

PixelMap::PixelMap(const Lens& lens, const std::array<double, 9>& rotation, const Camera& pinhole)
    : width_(pinhole.width),
      height_(pinhole.height),
      x_(static_cast<std::size_t>(width_) * height_),
      y_(static_cast<std::size_t>(width_) * height_) {
  cv::Mat x(height_, width_, CV_32FC1, x_.data()), y(height_, width_, CV_32FC1, y_.data());
  try {
    cv::initUndistortRectifyMap(camera_matrix(lens), distortion_of(lens), rotation_matrix(rotation),
                                camera_matrix({pinhole.fx, pinhole.fy, pinhole.cx, pinhole.cy, {}}), x.size(), CV_32FC1,
                                x, y);
  } catch (const cv::Exception& error) {
    throw Error(fmt::format("OpenCV cannot undistort with this calibration: {}", one_line(error.err)));
  }
  // rays for which the formula of the lens does not hold would bring parts of the picture a second time
  const cv::Matx33d to_lens = rotation_matrix(rotation).t();
  const double widest = widest_ray(lens);
  for (int row = 0; row < height_; ++row) {
    for (int column = 0; column < width_; ++column) {
      const cv::Vec3d ray = to_lens * cv::Vec3d((column - pinhole.cx) / pinhole.fx, (row - pinhole.cy) / pinhole.fy, 1);
      if (ray[2] > 0 && ray[0] * ray[0] + ray[1] * ray[1] <= widest * widest * ray[2] * ray[2]) continue;
      x.at<float>(row, column) = y.at<float>(row, column) = -10;
    }
  }
}

Picture PixelMap::picture(const Picture& taken) const {
  Picture result{width_, height_, std::vector<std::uint8_t>(x_.size() * 3)};
  const cv::Mat from(taken.height, taken.width, CV_8UC3, const_cast<std::uint8_t*>(taken.bgr.data()));
  const cv::Mat x(height_, width_, CV_32FC1, const_cast<float*>(x_.data()));
  const cv::Mat y(height_, width_, CV_32FC1, const_cast<float*>(y_.data()));
  cv::Mat to(height_, width_, CV_8UC3, result.bgr.data());
  cv::remap(from, to, x, y, cv::INTER_LINEAR, cv::BORDER_CONSTANT);
  return result;
}

DepthImage PixelMap::depth(const DepthImage& taken) const {
  DepthImage result{width_, height_, std::vector<std::uint16_t>(x_.size())};
  const cv::Mat from(taken.height, taken.width, CV_16UC1, const_cast<std::uint16_t*>(taken.units.data()));
  const cv::Mat x(height_, width_, CV_32FC1, const_cast<float*>(x_.data()));
  const cv::Mat y(height_, width_, CV_32FC1, const_cast<float*>(y_.data()));
  cv::Mat to(height_, width_, CV_16UC1, result.units.data());
  cv::remap(from, to, x, y, cv::INTER_NEAREST, cv::BORDER_CONSTANT);
  return result;
}

std::vector<std::uint8_t> PixelMap::seen(int margin) const {
  std::vector<std::uint8_t> seen(x_.size());
  // a pixel reaches half a pixel around its centre
  const float right = static_cast<float>(width_) - 0.5f, bottom = static_cast<float>(height_) - 0.5f;
  for (std::size_t i = 0; i < seen.size(); ++i)
    seen[i] = x_[i] >= -0.5f && y_[i] >= -0.5f && x_[i] <= right && y_[i] <= bottom ? 1 : 0;
  cv::Mat mask(height_, width_, CV_8UC1, seen.data());
  cv::erode(mask, mask, cv::Mat::ones(2 * margin + 1, 2 * margin + 1, CV_8U));
  return seen;
}

StereoRectification rectify(const Calibration& calibration, int width, int height, double unit) {
  const RectifiedPair pair = rectified_pair(calibration, width, height, unit);
  CameraFile file;
  file.camera = pair.camera;
  file.baseline = pair.baseline;
  StereoRectification result{file, PixelMap(calibration.left, pair.left_rotation, pair.camera),
                             PixelMap(*calibration.right, pair.right_rotation, pair.camera), nullptr};
  const GreyPair::Seen seen{result.left.seen(border_margin), result.right.seen(border_margin)};
  const auto all = [](const std::vector<std::uint8_t>& pixels) {
    return std::all_of(pixels.begin(), pixels.end(), [](std::uint8_t pixel) { return pixel != 0; });
  };
  if (!all(seen.left) || !all(seen.right)) result.seen = std::make_shared<const GreyPair::Seen>(seen);
  return result;
}

}  // namespace kinema::io
