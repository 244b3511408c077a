#include "io/cameras/rectify.h"

#include "io/files/input_file.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>

#include <cmath>

namespace kinema::io {
namespace {

cv::Mat matrix_of(double fx, double fy, double cx, double cy) {
  return (cv::Mat_<double>(3, 3) << fx, 0, cx, 0, fy, cy, 0, 0, 1);
}

cv::Mat matrix_of(const Lens& lens) { return matrix_of(lens.fx, lens.fy, lens.cx, lens.cy); }

cv::Mat matrix_of(const std::array<double, 9>& rotation) {
  return cv::Mat(3, 3, CV_64F, const_cast<double*>(rotation.data())).clone();
}

cv::Mat distortion_of(const Lens& lens) { return cv::Mat(lens.distortion, true); }

std::array<double, 9> array_of(const cv::Mat& rotation) {
  std::array<double, 9> array{};
  for (int i = 0; i < 9; ++i) array[static_cast<std::size_t>(i)] = rotation.at<double>(i / 3, i % 3);
  return array;
}

}  // namespace

PixelMap::PixelMap(const Lens& lens, const std::array<double, 9>& rotation, const Camera& pinhole)
    : width_(pinhole.width),
      height_(pinhole.height),
      x_(static_cast<std::size_t>(width_) * height_),
      y_(static_cast<std::size_t>(width_) * height_) {
  cv::Mat x(height_, width_, CV_32FC1, x_.data()), y(height_, width_, CV_32FC1, y_.data());
  try {
    cv::initUndistortRectifyMap(matrix_of(lens), distortion_of(lens), matrix_of(rotation),
                                matrix_of(pinhole.fx, pinhole.fy, pinhole.cx, pinhole.cy), x.size(), CV_32FC1, x, y);
  } catch (const cv::Exception& error) {
    throw Error(fmt::format("OpenCV cannot undistort with this calibration: {}", one_line(error.err)));
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

StereoRectification rectify(const Calibration& calibration, int width, int height, double unit) {
  if (!calibration.right) throw Error("is the calibration of one camera; stereo needs M1 D1 M2 D2 R T");
  const auto& t = calibration.translation;
  const double baseline = std::hypot(t[0], t[1], t[2]) * unit;
  if (!(baseline > 1e-4)) throw Error("has a baseline of 0: T is the place of the left camera seen from the right one");
  if (baseline > 10) {
    throw Error(
        fmt::format("has a baseline of {:.4g} m: T is probably in millimetres; say so with a unit of 0.001", baseline));
  }
  if (std::abs(t[0]) < std::hypot(t[1], t[2]))
    throw Error("T does not point sideways: kinema matches pairs side by side");
  if (t[0] > 0) throw Error("T has a positive x: the right camera stands to the left; swap the two");

  cv::Mat r1, r2, p1, p2, q;
  try {
    const cv::Mat translation = (cv::Mat_<double>(3, 1) << t[0] * unit, t[1] * unit, t[2] * unit);
    // alpha 0: the largest image in which both lenses saw all pixels
    cv::stereoRectify(matrix_of(calibration.left), distortion_of(calibration.left), matrix_of(*calibration.right),
                      distortion_of(*calibration.right), cv::Size(width, height), matrix_of(calibration.rotation),
                      translation, r1, r2, p1, p2, q, cv::CALIB_ZERO_DISPARITY, 0);
  } catch (const cv::Exception& error) {
    throw Error(fmt::format("OpenCV cannot rectify with this calibration: {}", one_line(error.err)));
  }
  const Camera camera{
      width, height, p1.at<double>(0, 0), p1.at<double>(1, 1), p1.at<double>(0, 2), p1.at<double>(1, 2)};
  check_camera(camera, "after rectification ");
  CameraFile file;
  file.camera = camera;
  file.baseline = -p2.at<double>(0, 3) / p2.at<double>(0, 0);
  return {file, PixelMap(calibration.left, array_of(r1), camera), PixelMap(*calibration.right, array_of(r2), camera)};
}

}  // namespace kinema::io
