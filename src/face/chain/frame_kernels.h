// Frames by blocks of threads: resampling, bins of orientation, features. The same frames as those of frame.cpp.
#pragma once

#include "core/grey_pixel.h"
#include "core/thread_block.h"
#include "face/chain/fit_batch.h"
#include "face/model/frame_pixels.h"

namespace kinema::face {

KINEMA_HD inline Similarity unit_to_frame(const Frame& frame) { return {frame.scale, 0, frame.x, frame.y}; }

/// The images of faces that come as colour frames.
struct GreyKernel {
  static constexpr int threads = 256;
  static constexpr int columns = 64;  ///< of a face, whatever the size of its frame
  FitBatch batch;

  int blocks() const { return columns; }
  std::size_t shared_bytes() const { return 0; }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y();
    if (face >= block.rows() || batch.tasks[face].grey == nullptr) return;
    const ColourView& from = batch.tasks[face].colour;
    std::uint8_t* to = batch.tasks[face].grey;
    for (std::size_t v = static_cast<std::size_t>(block.x()); v < from.height; v += columns) {
      const std::uint8_t* row = from.data + v * from.stride;
      for (std::size_t u = static_cast<std::size_t>(block.thread()); u < from.width;
           u += static_cast<std::size_t>(block.threads()))
        to[v * from.width + u] = grey_in_row(from.format, row, u);
    }
  }
};

/// The grey values of a frame under the pose of each face's state.
struct ResampleKernel {
  static constexpr int threads = 256;
  Frame frame;
  FitBatch batch;

  int blocks() const { return (static_cast<int>(frame.width * frame.height) + threads - 1) / threads; }
  std::size_t shared_bytes() const { return shared_size<SampleOffset>(most_frame_samples * most_frame_samples); }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y();
    if (face >= block.rows()) return;
    const int width = static_cast<int>(frame.width), count = width * static_cast<int>(frame.height);
    const Similarity to_image = compose(batch.states[face].pose, inverse(unit_to_frame(frame)));
    const GreyView image = batch.tasks[face].image;
    const int n = frame_samples(to_image);
    auto* offsets = block.template shared<SampleOffset>();
    for (int k = block.thread(); k < n * n; k += block.threads()) offsets[k] = sample_offset(to_image, n, k % n, k / n);
    block.wait();
    float* grey = of_face(batch.grey, face, batch.sizes.frame_pixels);
    const int first = block.x() * threads, last = first + threads < count ? first + threads : count;
    for (int i = first + block.thread(); i < last; i += block.threads())
      grey[i] = resampled_pixel(image, to_image, offsets, n * n, i % width, i / width);
  }
};

/// The sum of a tile whose values all threads see, row by row as they lie `stride` apart.
template <class Block>
KINEMA_HD void sum_tile(Block& block, const float* values, int width, int height, double* rows, double* result) {
  for (int v = block.thread(); v < height; v += block.threads()) rows[v] = tile_row_sum(values + v * frame_tile, width);
  block.wait();
  if (block.thread() == 0) {
    double sum = 0;
    for (int v = 0; v < height; ++v) sum += rows[v];
    *result = sum;
  }
}

/// One tile of a frame's bins, smoothed twice and not yet normalised, with their energy and its sum.
template <int faces_at_once>
struct BinsKernel {
  static constexpr int threads = faces_at_once == 1 ? 1024 : 256;  // many faces fill a device anyway
  static constexpr int margin = 2;                                 // two smoothings
  static constexpr int side = frame_tile + 2 * margin;
  RingTable rings;
  FitBatch batch;

  int blocks() const {
    return frame_tiles(static_cast<int>(rings.frame.width)) * frame_tiles(static_cast<int>(rings.frame.height));
  }

  struct Memory {
    float *a, *b;            // side x side x bins: a row of pixels after the other
    float* energies;         // of the tile
    double* rows;            // sums of its rows
    float *cosines, *sines;  // bins
  };
  template <class Arrays>
  KINEMA_HD Memory memory(Arrays&& arrays) const {
    Memory of{};
    of.a = arrays.template take<float>(side * side * rings.bins);
    of.b = arrays.template take<float>(side * side * rings.bins);
    of.energies = arrays.template take<float>(frame_tile * frame_tile);
    of.rows = arrays.template take<double>(frame_tile);
    of.cosines = arrays.template take<float>(rings.bins), of.sines = arrays.template take<float>(rings.bins);
    return of;
  }
  std::size_t shared_bytes() const {
    return bytes_taken([this](auto& arrays) { memory(arrays); });
  }

  template <class Block>
  KINEMA_HD void prepare(Block& block) const {
    const Memory of = memory(SharedArrays(block));
    block.fetch(rings.cosines, of.cosines, rings.bins);
    block.fetch(rings.sines, of.sines, rings.bins);
  }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y();
    if (face >= block.rows()) return;
    const int width = static_cast<int>(rings.frame.width), height = static_cast<int>(rings.frame.height);
    const int bins = rings.bins, across = frame_tiles(width);
    const int left = block.x() % across * frame_tile, top = block.x() / across * frame_tile;
    const int right = left + frame_tile < width ? left + frame_tile : width;
    const int bottom = top + frame_tile < height ? top + frame_tile : height;
    // with the margin, as far as there is one: at the border of the frame the border repeats
    const int x0 = left < margin ? 0 : left - margin, y0 = top < margin ? 0 : top - margin;
    const int w = (right + margin < width ? right + margin : width) - x0;
    const int h = (bottom + margin < height ? bottom + margin : height) - y0;
    const Memory of = memory(SharedArrays(block));
    float *a = of.a, *b = of.b;
    block.wait_fetched();
    const float* grey = of_face(batch.grey, face, batch.sizes.frame_pixels);
    // a row of pixels by threads that lie side by side
    const int lane = block.thread() % Block::lanes, line = block.thread() / Block::lanes;
    const int lines = block.threads() / Block::lanes, along = w * bins;
    for (int v = line; v < h; v += lines)
      for (int u = lane; u < w; u += Block::lanes) {
        const PixelGradient g = gradient_at(grey, width, height, x0 + u, y0 + v);
        const float share = g.magnitude > 0 ? 1 / g.magnitude : 0;
        float* to = a + v * along + u * bins;
        for (int k = 0; k < bins; ++k)
          to[k] = orientation_bin(g.x * share, g.y * share, g.magnitude, of.cosines[k], of.sines[k]);
      }
    block.wait();
    for (int pass = 0; pass < 2; ++pass) {
      for (int v = line; v < h; v += lines) {
        const float* from = a + v * along;
        for (int i = lane; i < along; i += Block::lanes)
          b[v * along + i] = smoothed(from[i >= bins ? i - bins : i], from[i], from[i + bins < along ? i + bins : i]);
      }
      block.wait();
      for (int v = line; v < h; v += lines) {
        const float* from = b + v * along;
        const int above = v > 0 ? along : 0, below = v + 1 < h ? along : 0;
        for (int i = lane; i < along; i += Block::lanes)
          a[v * along + i] = smoothed(from[i - above], from[i], from[i + below]);
      }
      block.wait();
    }
    float* out = of_face(batch.channels, face, batch.sizes.frame_values);
    float* energy = of_face(batch.energy, face, batch.sizes.frame_pixels);
    const int tile_width = right - left, tile_height = bottom - top;
    for (int v = line; v < tile_height; v += lines) {
      const float* from = a + (v + top - y0) * along + (left - x0) * bins;
      float* to = out + (static_cast<std::size_t>(v + top) * width + left) * bins;
      for (int i = lane; i < tile_width * bins; i += Block::lanes) to[i] = from[i];
      for (int u = lane; u < tile_width; u += Block::lanes) {
        const float* pixel = from + u * bins;
        float sum = 0;
#pragma unroll 4
        for (int k = 0; k < bins; ++k) sum += pixel[k] * pixel[k];
        energy[(v + top) * width + u + left] = sum;
        of.energies[v * frame_tile + u] = sum;
      }
    }
    block.wait();
    sum_tile(block, of.energies, tile_width, tile_height, of.rows,
             of_face(batch.tiles, face, batch.sizes.frame_tiles) + block.x());
  }
};

/// The texture around one landmark of each face at FitBatch::placed, in the model's unit; bins are normalised on the way.
struct RingsKernel {
  static constexpr int threads = 576;
  static constexpr int window_rows = 2 * bins_window + 1;
  RingTable rings;
  int landmarks;
  FitBatch batch;

  int blocks() const { return landmarks; }

  struct Memory {
    double* strands;                 // of the energy of all tiles
    float *shares, *rows, *offsets;  // of 4 pixels for each place: the factor, and rows of its window; places x 2
  };
  template <class Arrays>
  KINEMA_HD Memory memory(Arrays&& arrays) const {
    Memory of{};
    of.strands = arrays.template take<double>(sum_strands);
    of.shares = arrays.template take<float>(4 * rings.places);
    of.rows = arrays.template take<float>(4 * rings.places * window_rows);
    of.offsets = arrays.template take<float>(2 * rings.places);
    return of;
  }
  std::size_t shared_bytes() const {
    return bytes_taken([this](auto& arrays) { memory(arrays); });
  }

  template <class Block>
  KINEMA_HD void prepare(Block& block) const {
    block.fetch(rings.offsets, memory(SharedArrays(block)).offsets, 2 * rings.places);
  }

  struct Place {
    int u, v, dx, dy;
    float fx, fy;
  };
  KINEMA_HD Place place(const float* offsets, float x, float y, int which) const {
    const int width = static_cast<int>(rings.frame.width), height = static_cast<int>(rings.frame.height);
    x = within(x + offsets[2 * which], 0.0f, static_cast<float>(width - 1));
    y = within(y + offsets[2 * which + 1], 0.0f, static_cast<float>(height - 1));
    Place at{static_cast<int>(x), static_cast<int>(y), width > 1 ? 1 : 0, height > 1 ? 1 : 0, 0, 0};
    if (at.u + 1 >= width) at.u = width > 1 ? width - 2 : 0;
    if (at.v + 1 >= height) at.v = height > 1 ? height - 2 : 0;
    at.fx = x - static_cast<float>(at.u), at.fy = y - static_cast<float>(at.v);
    return at;
  }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y(), landmark = block.x();
    if (face >= block.rows()) return;
    const int width = static_cast<int>(rings.frame.width), height = static_cast<int>(rings.frame.height);
    const int bins = rings.bins, places = rings.places;
    const auto [strands, shares, rows_of_windows, offsets] = memory(SharedArrays(block));
    const float* energy = of_face(batch.energy, face, batch.sizes.frame_pixels);
    const float* channels = of_face(batch.channels, face, batch.sizes.frame_values);
    const float* shape = of_face(batch.placed, face, batch.sizes.shape);
    const float x = rings.frame.scale * shape[2 * landmark] + rings.frame.x;
    const float y = rings.frame.scale * shape[2 * landmark + 1] + rings.frame.y;
    add_tiles(block, of_face(batch.tiles, face, batch.sizes.frame_tiles), frame_tiles(width) * frame_tiles(height),
              strands);
    block.wait_fetched();
    for (int t = block.thread(); t < 4 * places * window_rows; t += block.threads()) {
      const int i = t / window_rows;
      const Place at = place(offsets, x, y, i / 4);
      rows_of_windows[t] = bins_row(energy, width, height, at.u + (i & 1) * at.dx,
                                    at.v + (i >> 1 & 1) * at.dy + t % window_rows - bins_window);
    }
    block.wait();
    for (int i = block.thread(); i < 4 * places; i += block.threads())
      shares[i] = bins_share(rows_of_windows + i * window_rows, bins_floor(sum_of_tiles(strands), width * height));
    block.wait();
    float* out = of_face(batch.rings, face, batch.sizes.ring_values) + landmark * places * bins;
    for (int i = block.thread(); i < places * bins; i += block.threads()) {
      const int which = i / bins;
      const Place at = place(offsets, x, y, which);
      const float* share = shares + 4 * which;
      const float* p = channels + (static_cast<std::size_t>(at.v) * width + at.u) * bins + i % bins;
      const int right = at.dx * bins, below = at.dy * width * bins;
      const float p00 = p[0] * share[0], p10 = p[right] * share[1];
      const float p01 = p[below] * share[2], p11 = p[right + below] * share[3];
      const float upper = p00 + at.fx * (p10 - p00), lower = p01 + at.fx * (p11 - p01);
      out[i] = upper + at.fy * (lower - upper);
    }
  }
};

/// Gradients of a tile of a frame, and the sum of their magnitudes.
struct GradientKernel {
  static constexpr int threads = 256;
  Frame frame;
  FitBatch batch;

  int blocks() const {
    return frame_tiles(static_cast<int>(frame.width)) * frame_tiles(static_cast<int>(frame.height));
  }
  std::size_t shared_bytes() const {
    return shared_size<float>(frame_tile * frame_tile) + shared_size<double>(frame_tile);
  }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y();
    if (face >= block.rows()) return;
    const int width = static_cast<int>(frame.width), height = static_cast<int>(frame.height),
              across = frame_tiles(width);
    const int left = block.x() % across * frame_tile, top = block.x() / across * frame_tile;
    const int w = left + frame_tile < width ? frame_tile : width - left;
    const int h = top + frame_tile < height ? frame_tile : height - top;
    auto* magnitudes = block.template shared<float>();
    auto* rows = block.template shared<double>(shared_size<float>(frame_tile * frame_tile));
    const float* grey = of_face(batch.grey, face, batch.sizes.frame_pixels);
    float* out = of_face(batch.channels, face, batch.sizes.frame_values);
    for (int i = block.thread(); i < w * h; i += block.threads()) {
      const int u = left + i % w, v = top + i / w;
      const PixelGradient g = gradient_at(grey, width, height, u, v);
      float* pixel = out + 2 * (static_cast<std::size_t>(v) * width + u);
      pixel[0] = g.x, pixel[1] = g.y;
      magnitudes[(v - top) * frame_tile + (u - left)] = g.magnitude;
    }
    block.wait();
    sum_tile(block, magnitudes, w, h, rows, of_face(batch.tiles, face, batch.sizes.frame_tiles) + block.x());
  }
};

/// Gradients to features.
struct FeaturesKernel {
  static constexpr int threads = 256;
  Frame frame;
  Features features;
  FitBatch batch;

  int blocks() const { return (static_cast<int>(frame.width * frame.height) + threads - 1) / threads; }
  std::size_t shared_bytes() const { return shared_size<double>(sum_strands); }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y();
    if (face >= block.rows()) return;
    const int width = static_cast<int>(frame.width), height = static_cast<int>(frame.height), count = width * height;
    auto* strands = block.template shared<double>();
    add_tiles(block, of_face(batch.tiles, face, batch.sizes.frame_tiles), frame_tiles(width) * frame_tiles(height),
              strands);
    block.wait();
    const double sum = sum_of_tiles(strands);
    const auto mean = static_cast<float>(sum / static_cast<double>(count));
    float* out = of_face(batch.channels, face, batch.sizes.frame_values);
    const int first = block.x() * threads, last = first + threads < count ? first + threads : count;
    for (int i = first + block.thread(); i < last; i += block.threads()) {
      float* pixel = out + 2 * i;
      const float factor = feature_factor(features, pixel[0], pixel[1], mean);
      pixel[0] *= factor, pixel[1] *= factor;
    }
  }
};

}  // namespace kinema::face
