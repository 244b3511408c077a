// The steepest-descent images J of a simultaneous stage by blocks of threads, as steepest_descent_cpu.h has them: products of
// the 6 images of a chunk's corners, accumulated at the vertices, times the modes.
#pragma once

#include "core/thread_block.h"
#include "face/fit_batch.h"

#include <cmath>

namespace kinema::face {

/// Of a chunk of several faces: products of the corners' images with the rows [Pg; g0; 1] and with d, and with each other.
template <int faces_at_once>
struct DescendWork {
  static constexpr int threads = 128;
  static constexpr int most_values = 2 * most_chunk_pixels;
  LevelTable level;
  FitBatch batch;

  /// The images of a value: x and y of three corners, and d.
  struct alignas(16) Half {
    float at[4];
  };

  int blocks() const { return level.chunks; }
  std::size_t shared_bytes() const { return shared_size<Half>(2 * faces_at_once * most_values); }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int first_face = block.y() * faces_at_once, count = *batch.count;
    bool any = false, running[faces_at_once];
    for (int f = 0; f < faces_at_once; ++f) {
      running[f] = first_face + f < count && batch.states[first_face + f].running != 0;
      any = any || running[f];
    }
    if (!any) return;
    const PixelChunk chunk = level.chunk[block.x()];
    const int values = chunk.pixels * level.channels, first = chunk.first * level.channels;
    auto* images = block.template shared<Half>();  // faces x most_values x 2
    for (int f = 0; f < faces_at_once; ++f) {
      Half* to = images + 2 * f * most_values;
      if (running[f]) {
        make_images(block, chunk, first_face + f, to);
        continue;
      }
      for (int i = block.thread(); i < 2 * values; i += block.threads()) to[i] = Half{};
    }
    block.wait();

    const int columns = descent_columns(level), rows = columns - 1;
    const int after_rows = (columns + 31) / 32 * 32;  // a warp does one kind of sum only
    const float* stack = level.stack + static_cast<std::size_t>(first) * level.row_width;
    for (int task = block.thread(); task < after_rows + corner_pairs; task += block.threads()) {
      if (task >= after_rows) {
        add_pair(task - after_rows, values, images, running, first_face, block.x());
        continue;
      }
      if (task >= columns) continue;
      float sums[faces_at_once][6];
      for (int f = 0; f < faces_at_once; ++f)
        for (int k = 0; k < 6; ++k) sums[f][k] = 0;
#pragma unroll(faces_at_once == 1 ? 8 : 2)
      for (int i = 0; i < values; ++i) {
        const float value = task < rows ? stack[static_cast<std::size_t>(i) * level.row_width + task] : 0;
        for (int f = 0; f < faces_at_once; ++f) {
          const Half a = images[2 * (f * most_values + i)], b = images[2 * (f * most_values + i) + 1];
          const float by = task < rows ? value : b.at[2];
          for (int k = 0; k < 4; ++k) sums[f][k] = std::fma(by, a.at[k], sums[f][k]);
          for (int k = 0; k < 2; ++k) sums[f][4 + k] = std::fma(by, b.at[k], sums[f][4 + k]);
        }
      }
      for (int f = 0; f < faces_at_once; ++f) {
        if (!running[f]) continue;
        float* to =
            of_face(batch.corner_sums, first_face + f, batch.sizes.corner_sums) + block.x() * 6 * columns + task;
        for (int k = 0; k < 6; ++k) to[k * columns] = sums[f][k];
      }
    }
  }

private:
  template <class Block>
  KINEMA_HD void make_images(Block& block, const PixelChunk& chunk, int face, Half* images) const {
    const float* texture = of_face(batch.texture, face, batch.sizes.texture_values);
    const float* samples = of_face(batch.samples, face, batch.sizes.texture_values);
    const FaceState& state = batch.states[face];
    const auto offset = static_cast<float>(state.offset), factor = static_cast<float>(state.factor);
    const int channels = level.channels, first = chunk.first * channels;
    for (int i = block.thread(); i < chunk.pixels * channels; i += block.threads()) {
      const int c = i % channels;
      const std::size_t pixel = static_cast<std::size_t>(chunk.first) + i / channels;
      const int* next = level.neighbours + 4 * pixel;
      const float* step = level.slope_steps + 2 * pixel;
      const float across = (texture[next[1] * channels + c] - texture[next[0] * channels + c]) * step[0];
      const float down = (texture[next[3] * channels + c] - texture[next[2] * channels + c]) * step[1];
      const float* w = level.weights + 4 * pixel;
      const float residual = (samples[first + i] - offset) * factor - level.mean[first + i];
      Half front, back;
      front.at[0] = w[0] * across, front.at[1] = w[0] * down;
      front.at[2] = w[1] * across, front.at[3] = w[1] * down;
      back.at[0] = w[2] * across, back.at[1] = w[2] * down;
      back.at[2] = residual, back.at[3] = 0;
      images[2 * i] = front, images[2 * i + 1] = back;
    }
  }

  // Image k with image l <= k, pair k (k + 1)/2 + l.
  KINEMA_HD void add_pair(int pair, int values, const Half* images, const bool* running, int first_face,
                          int chunk) const {
    int k = 0;
    while ((k + 1) * (k + 2) / 2 <= pair) ++k;
    const int l = pair - k * (k + 1) / 2;
    for (int f = 0; f < faces_at_once; ++f) {
      const float* from = images[2 * f * most_values].at;
      float sum = 0;
#pragma unroll 8
      for (int i = 0; i < values; ++i) sum = std::fma(from[8 * i + k], from[8 * i + l], sum);
      if (running[f])
        of_face(batch.pair_sums, first_face + f, batch.sizes.pair_sums)[chunk * corner_pairs + pair] = sum;
    }
  }
};

/// J [Pg; g0; 1; d]^T and parts of J J^T from the sums of chunks. The first blocks take some columns each, the others the
/// vertices of a group.
struct CornersWork {
  static constexpr int threads = 160;
  static constexpr int columns_at_once = 4;
  ShapeTable shape;
  LevelTable level;
  FitBatch batch;

  int column_blocks() const { return (descent_columns(level) + columns_at_once - 1) / columns_at_once; }
  int blocks() const { return column_blocks() + vertex_groups(shape.landmarks); }
  std::size_t shared_bytes() const {
    const std::size_t columns = shared_size<double>(shape.size * columns_at_once);
    const std::size_t groups =
        shared_size<double>(4 * level.most_pairs) + shared_size<double>(2 * vertex_group * shape.all);
    return columns > groups ? columns : groups;
  }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y();
    if (face >= *batch.count || batch.states[face].running == 0) return;
    const int column_parts = (descent_columns(level) + columns_at_once - 1) / columns_at_once;
    if (block.x() < column_parts)
      multiply_columns(block, face, block.x() * columns_at_once);
    else
      multiply_group(block, face, block.x() - column_parts);
  }

private:
  template <class Block>
  KINEMA_HD void multiply_columns(Block& block, int face, int first) const {
    const int columns = descent_columns(level), all = shape.all;
    const int count = columns - first < columns_at_once ? columns - first : columns_at_once;
    auto* corners = block.template shared<double>();  // size x columns_at_once
    const float* sums = of_face(batch.corner_sums, face, batch.sizes.corner_sums);
    for (int t = block.thread(); t < shape.size * count; t += block.threads()) {
      const int at = t / count, column = t % count, vertex = at / 2, axis = at % 2;
      double sum = 0;
      for (int e = level.corner_first[vertex]; e < level.corner_first[vertex + 1]; ++e) {
        const int chunk = level.corner_list[e] / 3, corner = level.corner_list[e] % 3;
        sum += static_cast<double>(sums[(chunk * 6 + 2 * corner + axis) * columns + first + column]);
      }
      corners[at * columns_at_once + column] = sum;
    }
    block.wait();
    double* out = of_face(batch.descent, face, batch.sizes.descent);
    for (int t = block.thread(); t < all * count; t += block.threads()) {
      const int column = t / all, k = t % all;
      // independent of each other: a single sum would stall at every step
      double even = 0, odd = 0;
#pragma unroll 8
      for (int i = 0; i < shape.size; i += 2) {
        even += shape.by_coordinate[static_cast<std::size_t>(i) * all + k] * corners[i * columns_at_once + column];
        odd += shape.by_coordinate[static_cast<std::size_t>(i + 1) * all + k] *
               corners[(i + 1) * columns_at_once + column];
      }
      out[(first + column) * all + k] = even + odd;
    }
  }

  template <class Block>
  KINEMA_HD void multiply_group(Block& block, int face, int group) const {
    const int all = shape.all, first_vertex = group * vertex_group;
    const int left = shape.landmarks - first_vertex, vertices = left < vertex_group ? left : vertex_group;
    const int first_pair = level.pair_first[first_vertex],
              pairs = level.pair_first[first_vertex + vertices] - first_pair;
    auto* blocks_of_pairs =
        block.template shared<double>();  // pairs x 4: x and y of the other, by x and y of the vertex
    auto* by_modes = block.template shared<double>(shared_size<double>(4 * level.most_pairs));  // coordinates x all
    const float* sums = of_face(batch.pair_sums, face, batch.sizes.pair_sums);
    for (int t = block.thread(); t < 4 * pairs; t += block.threads()) {
      const VertexPair& pair = level.pairs[first_pair + t / 4];
      const int axis_other = t / 2 % 2, axis = t % 2;
      double sum = 0;
      for (int e = pair.first; e < pair.last; ++e) {
        const int entry = level.pair_entries[e];
        const int k = 2 * (entry / 3 % 3) + axis_other, l = 2 * (entry % 3) + axis;
        const int high = k > l ? k : l, low = k > l ? l : k;
        sum += static_cast<double>(sums[entry / 9 * corner_pairs + high * (high + 1) / 2 + low]);
      }
      blocks_of_pairs[t] = sum;
    }
    block.wait();
    for (int t = block.thread(); t < 2 * vertices * all; t += block.threads()) {
      const int coordinate = t / all, k = t % all, vertex = first_vertex + coordinate / 2, axis = coordinate % 2;
      double sum = 0;
      for (int p = level.pair_first[vertex]; p < level.pair_first[vertex + 1]; ++p) {
        const double* part = blocks_of_pairs + 4 * (p - first_pair) + axis;
        const double* mode = shape.by_coordinate + static_cast<std::size_t>(2 * level.pairs[p].other) * all + k;
        sum += mode[0] * part[0] + mode[all] * part[2];
      }
      by_modes[coordinate * all + k] = sum;
    }
    block.wait();
    double* out = of_face(batch.hessian, face, batch.sizes.hessian) + group * (all * (all + 1) / 2);
    for (int t = block.thread(); t < all * all; t += block.threads()) {
      const int k = t / all, l = t % all;
      if (l > k) continue;
      double sum = 0;
      for (int c = 0; c < 2 * vertices; ++c)
        sum += by_modes[c * all + k] * shape.by_coordinate[static_cast<std::size_t>(2 * first_vertex + c) * all + l];
      out[k * (k + 1) / 2 + l] = sum;
    }
  }
};

}  // namespace kinema::face
