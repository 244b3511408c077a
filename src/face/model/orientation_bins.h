// Bins of gradient orientation, which the cascade and the score look at. Single precision; SIMD of any width and any number
// of threads give the same bits, and so does the device.
#pragma once

#include "face/model/frame.h"

#include <span>
#include <utility>
#include <vector>

namespace kinema::face {

/// The bins of a frame. A bin of a pixel is its value times the pixel's factor.
struct OrientationBins {
  static constexpr std::size_t abreast = 4;  ///< bins that lie together

  std::size_t width = 0, height = 0, count = 0;
  std::vector<float> values;   ///< four bins of each pixel, then the next four; 0 past the last bin
  std::vector<float> factors;  ///< of each pixel

  float at(std::size_t pixel, std::size_t bin) const {
    return values[(bin / abreast * width * height + pixel) * abreast + bin % abreast] * factors[pixel];
  }
};

/// h_k = m max(0, cos(angle - 2 pi k/bins))^4 of the frame's gradients, smoothed twice with [1 2 1]/4 along x and y;
/// divided by the root of the mean of sum_k h_k^2 over a window of 9 x 9 pixels, plus a fifth of the root of its mean over
/// the frame. Coordinates are clamped at the border. `threads`: to divide the rows among; null: the caller only.
void orientation_bins(const Channels& grey, std::size_t bins, OrientationBins& out, const Threads* threads = nullptr);

/// The texture around each landmark, in a frame of orientation bins: landmarks x offsets x bins, bilinear, coordinates
/// clamped at the border. `shape` is in the model's unit.
void landmark_texture(const OrientationBins& bins, const Frame& frame, std::span<const float> offsets,
                      std::span<const float> shape, std::span<float> texture, const Threads* threads = nullptr);

/// Cosines and sines of the directions of bins.
std::pair<std::vector<float>, std::vector<float>> bin_directions(std::size_t bins);

}  // namespace kinema::face
