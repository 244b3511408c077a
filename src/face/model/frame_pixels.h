// The arithmetic of frames, pixel by pixel, for the host and the device. The order of every sum is that of frame.cpp, so that
// both make the same frames to the bit.
#pragma once

#include "core/host_device.h"
#include "face/model/similarity.h"
#include "kinema/face.h"

#include <cmath>
#include <cstddef>

namespace kinema::face {

/// Sums over a frame are those of squares of this side, added one after the other in 32 strands.
inline constexpr int frame_tile = 16;
inline constexpr int sum_strands = 32;

/// Bins are normalised by their mean over a window of 2 radius + 1 pixels each way.
inline constexpr int bins_window = 4;

/// The most samples along each side of a frame's pixel.
inline constexpr int most_frame_samples = 32;

KINEMA_HD inline int frame_tiles(int length) { return (length + frame_tile - 1) / frame_tile; }

/// A number within a range; the lower end if it is not a number.
KINEMA_HD inline float within(float x, float low, float high) { return x > low ? (x < high ? x : high) : low; }
KINEMA_HD inline int within(int x, int low, int high) { return x < low ? low : x > high ? high : x; }

/// Bilinear grey of an 8-bit image, coordinates clamped at the border.
KINEMA_HD inline float grey_at(const GreyView& image, float x, float y) {
  const int width = static_cast<int>(image.width), height = static_cast<int>(image.height);
  x = within(x, 0.0f, static_cast<float>(width - 1));
  y = within(y, 0.0f, static_cast<float>(height - 1));
  int u = static_cast<int>(x), v = static_cast<int>(y);
  if (u + 1 >= width) u = width > 1 ? width - 2 : 0;
  if (v + 1 >= height) v = height > 1 ? height - 2 : 0;
  const float fx = x - static_cast<float>(u), fy = y - static_cast<float>(v);
  const std::size_t dx = width > 1 ? 1 : 0, dy = height > 1 ? image.stride : 0;
  const std::uint8_t* p = image.data + static_cast<std::size_t>(v) * image.stride + static_cast<std::size_t>(u);
  const float top = static_cast<float>(p[0]) + fx * static_cast<float>(p[dx] - p[0]);
  const float low = static_cast<float>(p[dy]) + fx * static_cast<float>(p[dx + dy] - p[dy]);
  return top + fy * (low - top);
}

/// How many samples are averaged along each side of a frame's pixel.
KINEMA_HD inline int frame_samples(const Similarity& to_image) {
  const double size = std::sqrt(to_image.a * to_image.a + to_image.b * to_image.b);
  if (!(size > 1)) return 1;
  return size < most_frame_samples ? static_cast<int>(std::ceil(size)) : most_frame_samples;
}

/// Where sample (i, j) of n x n lies, from the place of its pixel.
struct SampleOffset {
  float x, y;
};
KINEMA_HD inline SampleOffset sample_offset(const Similarity& to_image, int n, int i, int j) {
  const double x = (i + 0.5) / n - 0.5, y = (j + 0.5) / n - 0.5;
  return {static_cast<float>(to_image.a * x - to_image.b * y), static_cast<float>(to_image.b * x + to_image.a * y)};
}

/// Where the centre of a frame's pixel lies in the image.
struct FramePlace {
  float x, y;
};
KINEMA_HD inline FramePlace frame_place(const Similarity& to_image, int u, int v) {
  const double du = u, dv = v;
  return {static_cast<float>(to_image.a * du - to_image.b * dv + to_image.tx),
          static_cast<float>(to_image.b * du + to_image.a * dv + to_image.ty)};
}

/// A frame's pixel: the mean of `count` samples.
KINEMA_HD inline float resampled_pixel(const GreyView& image, const Similarity& to_image, const SampleOffset* offsets,
                                       int count, int u, int v) {
  const FramePlace place = frame_place(to_image, u, v);
  float sum = 0;
  for (int k = 0; k < count; ++k) sum += grey_at(image, place.x + offsets[k].x, place.y + offsets[k].y);
  return sum * (1 / static_cast<float>(count));
}

struct PixelGradient {
  float x, y, magnitude;
};

/// Half the difference of neighbours, which repeat at the border.
KINEMA_HD inline PixelGradient gradient_at(const float* grey, int width, int height, int u, int v) {
  const float* line = grey + static_cast<std::size_t>(v) * width;
  const float x = 0.5f * (line[u + 1 < width ? u + 1 : u] - line[u > 0 ? u - 1 : 0]);
  const float y = 0.5f * ((v + 1 < height ? line + width : line)[u] - (v > 0 ? line - width : line)[u]);
  return {x, y, std::sqrt(x * x + y * y)};
}

/// The bin of orientation in direction (cosine, sine).
KINEMA_HD inline float orientation_bin(float x, float y, float magnitude, float cosine, float sine) {
  const float towards = x * cosine + y * sine, along = towards > 0 ? towards : 0;
  return magnitude * (along * along) * (along * along);
}

KINEMA_HD inline float smoothed(float before, float here, float after) { return 0.25f * (before + 2 * here + after); }

/// The mean of the energies along one row of the window around a pixel.
KINEMA_HD inline float bins_row(const float* energy, int width, int height, int u, int row) {
  constexpr float share = 1 / static_cast<float>(2 * bins_window + 1);
  const float* line = energy + static_cast<std::size_t>(within(row, 0, height - 1)) * width;
  float sum = 0;
  for (int i = u - bins_window; i <= u + bins_window; ++i) sum += line[within(i, 0, width - 1)];
  return sum * share;
}

/// The factor of a pixel's bins, from the means of the rows of its window.
KINEMA_HD inline float bins_share(const float* rows, float floor) {
  constexpr float share = 1 / static_cast<float>(2 * bins_window + 1);
  float all = 0;
  for (int j = 0; j <= 2 * bins_window; ++j) all += rows[j];
  const float size = std::sqrt(all * share) + floor;
  return size > 0 ? 1 / size : 0;
}

/// The size below which bins are suppressed, from the sum of all energies.
KINEMA_HD inline float bins_floor(double energy, int pixels) {
  return static_cast<float>(0.2 * std::sqrt(energy / static_cast<double>(pixels)));
}

/// The factor by which a gradient becomes a feature; `mean`: of the magnitudes of the frame.
KINEMA_HD inline float feature_factor(Features features, float x, float y, float mean) {
  if (!(mean > 0)) return 0;
  const float square = x * x + y * y, magnitude = std::sqrt(square);
  if (features == Features::edges) return 1 / (magnitude + mean);
  return magnitude / (square + mean * mean / 16);
}

/// The sum of one tile of a frame: by rows, then over them.
KINEMA_HD inline double tile_row_sum(const float* values, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += static_cast<double>(values[i]);
  return sum;
}

/// The sum of tiles in 32 strands, by a block; who adds them waits.
template <class Block>
KINEMA_HD void add_tiles(Block& block, const double* tiles, int count, double* strands) {
  for (int s = block.thread(); s < sum_strands; s += block.threads()) {
    double sum = 0;
    for (int i = s; i < count; i += sum_strands) sum += tiles[i];
    strands[s] = sum;
  }
}
KINEMA_HD inline double sum_of_tiles(const double* strands) {
  static_assert(sum_strands == 4 * shape_strands);
  return (sum_of_shape_strands(strands) + sum_of_shape_strands(strands + shape_strands)) +
         (sum_of_shape_strands(strands + 2 * shape_strands) + sum_of_shape_strands(strands + 3 * shape_strands));
}

/// When a texture is flat, so that it cannot be normalised: a deviation below this share of the mean of a centred texture, or below the minimum, is rounding error.
inline constexpr double flat_share = 1e-3, flat_least = 1e-6;

}  // namespace kinema::face
