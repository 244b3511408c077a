// From a rectified stereo pair to a depth image: semi-global matching, left-right check, least-squares refinement.
//
// A pixel whose match is ambiguous, fails the left-right check, lies outside the right picture, does not look like its
// match or belongs to a small isolated patch gets no depth. Without OpenCV the constructor throws.
#pragma once

#include "kinema/camera.h"
#include "kinema/image.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace kinema::io {

struct StereoSettings {
  /// The range of depths, metres. A smaller `nearest` costs time: its disparities are larger. Anything nearer is
  /// matched to nothing, or wrongly.
  double nearest = 0.6, farthest = 12;

  /// Paths in eight directions instead of three. Slightly denser, several times slower, and needs memory for
  /// width x height x disparities.
  bool full = false;

  /// Side of the squares that are compared, odd. Larger ones are steadier and erode thin limbs.
  int block = 5;

  /// Patches of fewer pixels than this are dropped.
  int smallest_patch = 100;
};

class StereoMatcher {
public:
  /// `camera`: that of the rectified left picture, with the baseline.
  explicit StereoMatcher(const CameraFile& camera, const StereoSettings& settings = {});
  ~StereoMatcher();
  StereoMatcher(StereoMatcher&&) noexcept;
  StereoMatcher& operator=(StereoMatcher&&) noexcept;

  /// Metres of each pixel of the left picture, 0: none. On texture, disparities are accurate to some 0.07 pixels.
  std::vector<float> depth(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right) const;

  /// Number of disparities searched, from 0.
  int disparities() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::io
