// What both cameras of a pair see, and the rectified pictures that show it.
#pragma once

#include "io/cameras/calibration_file.h"
#include "kinema/camera.h"

#include <array>
#include <cstdint>
#include <vector>

namespace kinema::io {

/// The points that both lenses see, from the nearest distance to infinity, in the frame of the rectified left camera:
/// directions weighted by their solid angle, distances evenly by their disparity.
class CommonView {
public:
  /// The rotations are from each lens's frame to the rectified one; `calibration` is of a pair with pictures of
  /// width x height, `baseline` in metres.
  CommonView(const Calibration& calibration, const std::array<double, 9>& left_rotation,
             const std::array<double, 9>& right_rotation, int width, int height, double baseline);

  /// Whether there are such points.
  bool any() const { return weight_ > 0; }

  /// The share of them that lie in both pictures of a rectified pair.
  double share_in(const Camera& camera) const;

  /// For both pictures, of width x height: shows nearly all of them, magnifies no lens's picture, and reduces none to
  /// less than half.
  Camera camera() const;

private:
  template <class Call>
  void for_each(Call call) const;

  int width_, height_;
  double lens_focal_;                       // the longer of the two, pixels
  std::vector<std::uint8_t> left_, right_;  // of a grid of rays: whether the lens sees it
  std::vector<int> disparities_;            // steps of the grid
  double weight_ = 0;
  std::vector<double> left_columns_, right_columns_, rows_;  // weight of the points in each column and row of the grid
};

}  // namespace kinema::io
