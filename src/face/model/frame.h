// Frames: the face scaled to the model's size and rotated upright, and the features computed on them. Single precision,
// for training and the fast fitters; fitter_reference.cpp has the literal equivalent in double.
#pragma once

#include "core/threads.h"
#include "kinema/face.h"

#include <span>
#include <utility>
#include <vector>

namespace kinema::face {

/// Channels of a frame or an image, interleaved by pixel.
struct Channels {
  std::size_t width = 0, height = 0, count = 1;
  std::vector<float> values;
};

/// A frame that holds the shape with a margin, at this many pixels per unit.
Frame frame_about(std::span<const float> mean_shape, double scale, double margin);

/// The model's unit to pixels of the frame.
inline Similarity frame_pose(const Frame& frame) { return {frame.scale, 0, frame.x, frame.y}; }

/// The image as Frame describes, grey. `threads`: to divide the rows among; null: the caller only.
void resample(const GreyView& image, const Similarity& pose, const Frame& frame, Channels& grey,
              const Threads* threads = nullptr);

/// Features of a frame's grey values g: gradients are (g(u+1) - g(u-1))/2 with coordinates clamped at the border, m
/// their magnitude, M its mean over the frame.
///   edges: (gx, gy)/(m + M)
///   orientation: (gx, gy)/m * m^2/(m^2 + (M/4)^2)
/// All 0 where M is 0.
void texture_features(Features features, const Channels& grey, Channels& out);

/// Bilinear, coordinates clamped at the border: writes count values, adds nothing.
inline void sample(const Channels& from, float x, float y, float* out) {
  const float right = static_cast<float>(from.width - 1), bottom = static_cast<float>(from.height - 1);
  x = x < 0 ? 0 : x > right ? right : x;
  y = y < 0 ? 0 : y > bottom ? bottom : y;
  auto u = static_cast<std::size_t>(x), v = static_cast<std::size_t>(y);
  if (u + 1 >= from.width) u = from.width > 1 ? from.width - 2 : 0;
  if (v + 1 >= from.height) v = from.height > 1 ? from.height - 2 : 0;
  const float fx = x - static_cast<float>(u), fy = y - static_cast<float>(v);
  const std::size_t n = from.count, dx = from.width > 1 ? n : 0, dy = from.height > 1 ? from.width * n : 0;
  const float* p = from.values.data() + (v * from.width + u) * n;
  for (std::size_t c = 0; c < n; ++c, ++p) {
    const float top = p[0] + fx * (p[dx] - p[0]);
    const float low = p[dy] + fx * (p[dx + dy] - p[dy]);
    out[c] = top + fy * (low - top);
  }
}

}  // namespace kinema::face
