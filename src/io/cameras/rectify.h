// From images of real lenses to those of pinhole cameras: undistorted and, for a stereo pair, with corresponding rows.
// Without OpenCV the constructors throw.
#pragma once

#include "io/cameras/calibration_file.h"
#include "io/cameras/camera_file.h"
#include "io/pictures/image_file.h"
#include "kinema/camera.h"
#include "kinema/source.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace kinema::io {

inline constexpr std::array<double, 9> no_rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/// Where each pixel of a pinhole image lies in the lens's image.
class PixelMap {
public:
  /// `rotation` is from the lens's camera frame to that of the pinhole camera.
  PixelMap(const Lens& lens, const std::array<double, 9>& rotation, const Camera& pinhole);

  /// Bilinear; 0 where the lens saw nothing. Its image has the size of the pinhole image.
  Picture picture(const Picture& taken) const;

  /// The nearest pixel: a depth interpolated between a person and the wall belongs to neither.
  DepthImage depth(const DepthImage& taken) const;

  /// 1 for each pixel of the pinhole image that the lens saw, and with it all pixels up to `margin` away.
  std::vector<std::uint8_t> seen(int margin) const;

private:
  int width_ = 0, height_ = 0;
  std::vector<float> x_, y_;  // one per pixel of the pinhole image
};

struct StereoRectification {
  CameraFile camera;  ///< of the rectified left image, with the baseline
  PixelMap left, right;

  /// What the lenses saw, without a margin: black borders are alike in both images, and so are their edges, which are
  /// matched with each other. Null: they saw everything.
  std::shared_ptr<const GreyPair::Seen> seen;
};

/// For images of width x height, as rectified_pair() has them.
StereoRectification rectify(const Calibration& calibration, int width, int height, double unit);

struct RectifiedPair {
  std::array<double, 9> left_rotation, right_rotation;  ///< from each lens's frame to the rectified one (R1, R2)
  Camera camera;                                        ///< of both pictures: a point at infinity has no disparity
  double baseline = 0;                                  ///< metres
};

/// For pictures of width x height; `unit` is metres per unit of the calibration. Throws Error if the right camera is not
/// to the right of the left one, or not within 10 m of it, if the two see nothing in common, or if the file's own
/// rectification contradicts the rest of it.
RectifiedPair rectified_pair(const Calibration& calibration, int width, int height, double unit);

}  // namespace kinema::io
