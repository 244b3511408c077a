// From a rectified stereo pair to a depth image: semi-global matching, checked from both sides, then refined by least
// squares.
//
// A pixel whose match is ambiguous, differs when sought from the right picture, lies outside the right picture, does not look
// like its match or belongs to a small lonely patch gets no depth. Without OpenCV making a matcher throws.
#pragma once

#include "kinema/camera.h"
#include "kinema/image.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace kinema::io {

struct StereoSettings {
  /// The depths that are kept, metres. A nearer nearest costs time: its disparities are larger. What stands nearer
  /// still is matched to nothing, or to something wrong.
  double nearest = 0.6, farthest = 12;

  /// Paths in eight directions instead of three. Fills a little more, takes several times as long and the memory of
  /// width x height x disparities.
  bool full = false;

  /// Side of the squares that are compared, odd. Larger ones are steadier and eat at thin limbs.
  int block = 5;

  /// Patches of fewer pixels than this are dropped.
  int smallest_patch = 100;
};

class StereoMatcher {
public:
  /// `camera` is that of the rectified left picture, with the baseline.
  explicit StereoMatcher(const CameraFile& camera, const StereoSettings& settings = {});
  ~StereoMatcher();
  StereoMatcher(StereoMatcher&&) noexcept;
  StereoMatcher& operator=(StereoMatcher&&) noexcept;

  /// Metres of each pixel of the left picture, 0: none. Where there is texture, disparities are found to some 0.07
  /// pixels.
  std::vector<float> depth(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right) const;

  /// How many disparities are sought, from 0.
  int disparities() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::io
