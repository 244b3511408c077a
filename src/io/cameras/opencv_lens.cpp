#include "io/cameras/opencv_lens.h"

#include <algorithm>

namespace kinema::io {

cv::Matx33d camera_matrix(const Lens& lens) { return {lens.fx, 0, lens.cx, 0, lens.fy, lens.cy, 0, 0, 1}; }

cv::Mat distortion_of(const Lens& lens) { return cv::Mat(lens.distortion, true); }

cv::Matx33d rotation_matrix(const std::array<double, 9>& rotation) { return cv::Matx33d(rotation.data()); }

std::array<double, 9> rotation_array(const cv::Matx33d& rotation) {
  std::array<double, 9> array{};
  std::copy_n(rotation.val, 9, array.begin());
  return array;
}

double widest_ray(const Lens& lens) {
  // k1 k2 p1 p2 k3 k4 k5 k6: the radial part decides, the others are small beside it
  std::array<double, 8> k{};
  std::copy_n(lens.distortion.begin(), std::min(k.size(), lens.distortion.size()), k.begin());
  constexpr double step = 0.005, steepest = 10;  // tangents; 84 degrees is more than such a formula can describe
  double before = 0;
  for (double ray = step; ray < steepest; ray += step) {
    const double r2 = ray * ray;
    const double radius =
        ray * (1 + r2 * (k[0] + r2 * (k[1] + r2 * k[4]))) / (1 + r2 * (k[5] + r2 * (k[6] + r2 * k[7])));
    if (!(radius > before)) return ray - step;
    before = radius;
  }
  return steepest;
}

}  // namespace kinema::io
