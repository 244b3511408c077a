// Samples of a texture one by one, for the device: the same arithmetic as texture_sampling.cpp.
#pragma once

#include "core/host_device.h"
#include "face/chain/fit_batch.h"

#include <cstddef>

namespace kinema::face {

/// Where a face's textures come from: the image, or a frame.
struct TexturePixels {
  const std::uint8_t* bytes = nullptr;
  const float* floats = nullptr;
  int width = 0, height = 0, stride = 0, channels = 1;  ///< stride in elements
  int origin_x = 0, origin_y = 0;
  float centre = 0;
};

KINEMA_HD inline TexturePixels texture_pixels(const LevelTable& level, const FitBatch& batch, int face) {
  TexturePixels pixels;
  const FaceState& state = batch.states[face];
  if (level.resampled) {
    pixels.width = static_cast<int>(level.frame.width), pixels.height = static_cast<int>(level.frame.height);
    pixels.channels = level.channels;
    pixels.stride = pixels.width * level.channels;
    pixels.floats = level.features == Features::intensity ? of_face(batch.grey, face, batch.sizes.frame_pixels)
                                                          : of_face(batch.channels, face, batch.sizes.frame_values);
  } else {
    const GreyView& image = batch.tasks[face].image;
    pixels.width = static_cast<int>(image.width), pixels.height = static_cast<int>(image.height);
    pixels.stride = static_cast<int>(image.stride);
    pixels.bytes = image.data;
  }
  pixels.origin_x = state.origin_x, pixels.origin_y = state.origin_y;
  pixels.centre = state.centre;
  return pixels;
}

/// The samples at a place, from the origin: one value, or two.
KINEMA_HD inline void sample_at(const TexturePixels& image, float x, float y, float* out) {
  // a single row or column counts twice
  const int wide = image.width > 1 ? image.width : 2, high = image.height > 1 ? image.height : 2;
  const int first_u = -image.origin_x, last_u = first_u + wide - 1;
  const int first_v = -image.origin_y, last_v = first_v + high - 1;
  x = within(x, static_cast<float>(first_u), static_cast<float>(last_u));
  y = within(y, static_cast<float>(first_v), static_cast<float>(last_v));
  int u = static_cast<int>(x), v = static_cast<int>(y);
  u -= static_cast<float>(u) > x ? 1 : 0, v -= static_cast<float>(v) > y ? 1 : 0;
  u = u < last_u ? u : last_u - 1, v = v < last_v ? v : last_v - 1;
  const float fx = x - static_cast<float>(u), fy = y - static_cast<float>(v);
  const std::size_t at =
      static_cast<std::size_t>(v - first_v) * image.stride + static_cast<std::size_t>(u - first_u) * image.channels;
  const std::size_t right = image.width > 1 ? image.channels : 0, below = image.height > 1 ? image.stride : 0;
  if (image.bytes != nullptr) {
    const std::uint8_t* p = image.bytes + at;
    const auto a = static_cast<float>(p[0]), b = static_cast<float>(p[right]);
    const auto c = static_cast<float>(p[below]), d = static_cast<float>(p[right + below]);
    const float upper = a + fx * (b - a), lower = c + fx * (d - c);
    out[0] = (upper - image.centre) + fy * (lower - upper);
    return;
  }
  const float *p = image.floats + at, *q = p + below;
  if (image.channels == 1) {
    const float upper = p[0] + fx * (p[right] - p[0]), lower = q[0] + fx * (q[right] - q[0]);
    out[0] = (upper - image.centre) + fy * (lower - upper);
    return;
  }
  for (int c = 0; c < 2; ++c) {
    const float left = (p[c] - image.centre) + fy * (q[c] - p[c]);
    const float other = (p[2 + c] - image.centre) + fy * (q[2 + c] - p[2 + c]);
    out[c] = left + fx * (other - left);
  }
}

}  // namespace kinema::face
