// The steepest-descent images J of a simultaneous stage by blocks of threads, as steepest_descent_cpu.h has them: products of
// the 6 images of a chunk's corners, which corners_kernels.h accumulates at the vertices and multiplies by the modes.
#pragma once

#include "core/thread_block.h"
#include "face/chain/fit_batch.h"
#include "face/chain/sampling_kernels.h"
#include "face/chain/shape_kernels.h"

#include <cmath>

namespace kinema::face {

/// Of a chunk of several faces: products of the corners' images with the rows [Pg; g0; 1] and with d, and with each other.
template <int faces_at_once, bool near>
struct DescendKernel {
  static constexpr int threads = faces_at_once == 1 ? 512 : 256;
  static constexpr int most_values = 2 * most_chunk_pixels;
  LevelTable level;
  FitBatch batch;

  /// The images of a value: x and y of three corners, and d.
  struct alignas(16) Half {
    float at[4];
  };

  int blocks() const { return level.chunks; }
  KINEMA_HD int sums_of_face() const { return 6 * descent_columns(level) + corner_pairs; }

  struct Memory {
    Half* images;  // faces x most_values x 2
    float* sums;   // faces x strands x sums
    ChunkTables<near> chunk;
    const float* slope_steps;  // of the chunk
    const int* neighbours;
  };
  template <class Arrays>
  KINEMA_HD Memory memory(Arrays&& arrays, const PixelChunk& chunk) const {
    Memory of{};
    of.images = arrays.template take<Half>(2 * faces_at_once * most_values);
    of.sums = arrays.template take<float>(faces_at_once * chunk_strands * sums_of_face());
    of.chunk = ChunkTables<near>::in(arrays, level, chunk);
    if constexpr (near) {
      of.slope_steps = arrays.template take<float>(2 * most_chunk_pixels);
      of.neighbours = arrays.template take<int>(4 * most_chunk_pixels);
    } else {
      of.slope_steps = level.slope_steps + 2 * static_cast<std::size_t>(chunk.first);
      of.neighbours = level.neighbours + 4 * static_cast<std::size_t>(chunk.first);
    }
    return of;
  }
  std::size_t shared_bytes() const {
    return bytes_taken([this](auto& arrays) { memory(arrays, {}); });
  }

  template <class Block>
  KINEMA_HD void prepare(Block& block) const {
    if (!near) return;
    const PixelChunk chunk = level.chunk[block.x()];
    const auto pixel = static_cast<std::size_t>(chunk.first);
    const Memory of = memory(SharedArrays(block), chunk);
    of.chunk.fetch(block, level, chunk);
    fetch_table(block, level.slope_steps + 2 * pixel, of.slope_steps, 2 * chunk.pixels);
    fetch_table(block, level.neighbours + 4 * pixel, of.neighbours, 4 * chunk.pixels);
  }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int first_face = block.y() * faces_at_once;
    const unsigned running = running_faces(batch, block.rows(), first_face, faces_at_once);
    if (running == 0) return;
    const PixelChunk chunk = level.chunk[block.x()];
    const Memory of = memory(SharedArrays(block), chunk);
    if (near) block.wait_fetched();
    make_images(block, chunk, first_face, running, of);
    block.wait();
    multiply(block, chunk.pixels * level.channels, of.chunk.stack, of.images, of.sums);
    block.wait();
    // faces x strands x sums become those of the chunk
    const int count_sums = sums_of_face(), corners = count_sums - corner_pairs;
#pragma unroll 1
    for (int t = block.thread(); t < faces_at_once * count_sums; t += block.threads()) {
      const int f = faces_at_once == 1 ? 0 : t / count_sums, which = t - f * count_sums;
      if ((running >> f & 1) == 0) continue;
      const float sum = sum_of_chunk_strands(of.sums + f * chunk_strands * count_sums + which, count_sums);
      if (which < corners)
        of_face(batch.corner_sums, first_face + f, batch.sizes.corner_sums)[block.x() * corners + which] = sum;
      else
        of_face(batch.pair_sums, first_face + f, batch.sizes.pair_sums)[block.x() * corner_pairs + which - corners] =
            sum;
    }
  }

private:
  // 0 for faces that have ended.
  template <class Block>
  KINEMA_HD void make_images(Block& block, const PixelChunk& chunk, int first_face, unsigned running,
                             const Memory& of) const {
    const int channels = level.channels, values = chunk.pixels * channels, first = chunk.first * channels;
#pragma unroll 1
    for (int t = block.thread(); t < faces_at_once * values; t += block.threads()) {
      const int f = faces_at_once == 1 ? 0 : t / values, i = t - f * values, face = first_face + f;
      Half front = {}, back = {};
      if ((running >> f & 1) != 0) {
        const float* texture = of_face(batch.texture, face, batch.sizes.texture_values);
        const float* samples = of_face(batch.samples, face, batch.sizes.texture_values);
        // of textures that are not normalised, nothing is read that a decision at the same time may write
        float offset = 0, factor = 1;
        if (level.photometric)
          offset = static_cast<float>(batch.states[face].offset),
          factor = static_cast<float>(batch.states[face].factor);
        const int c = i % channels, pixel = i / channels;
        const int* next = of.neighbours + 4 * pixel;
        const float* step = of.slope_steps + 2 * pixel;
        const float across = (texture[next[1] * channels + c] - texture[next[0] * channels + c]) * step[0];
        const float down = (texture[next[3] * channels + c] - texture[next[2] * channels + c]) * step[1];
        const float* w = of.chunk.weights + 4 * pixel;
        front.at[0] = w[0] * across, front.at[1] = w[0] * down;
        front.at[2] = w[1] * across, front.at[3] = w[1] * down;
        back.at[0] = w[2] * across, back.at[1] = w[2] * down;
        back.at[2] = (samples[first + i] - offset) * factor - of.chunk.mean[i];
      }
      of.images[2 * (f * most_values + i)] = front, of.images[2 * (f * most_values + i) + 1] = back;
    }
  }

  // The rows of the stack and d by the images of the corners, then the images by each other: a strand of a sum by one thread,
  // for all faces. With several faces, a thread has several columns, so that it reads an image once for them.
  static constexpr int columns_at_once = faces_at_once == 1 ? 1 : 2;

  template <class Block>
  KINEMA_HD void multiply(Block& block, int values, const float* stack, const Half* images, float* strands) const {
    const int columns = descent_columns(level), count = sums_of_face();
    const int groups = (columns + columns_at_once - 1) / columns_at_once;
    const int tasks = (groups + corner_pairs + 31) / 32 * 32;
#pragma unroll 1
    for (int t = block.thread(); t < chunk_strands * tasks; t += block.threads()) {
      const int strand = t / tasks, task = t - strand * tasks;
      if (task < groups)
        multiply_columns(task, groups, stack, strand, values, images, strands + strand * count);
      else if (task < groups + corner_pairs)
        multiply_pair(task - groups, strand, values, images, strands + strand * count + 6 * columns);
    }
  }

  // Columns group, group + groups, ...
  KINEMA_HD void multiply_columns(int group, int groups, const float* stack, int strand, int values, const Half* images,
                                  float* out) const {
    const int columns = descent_columns(level), rows = columns - 1;
    float sums[faces_at_once][columns_at_once][6];
    for (int f = 0; f < faces_at_once; ++f)
      for (int c = 0; c < columns_at_once; ++c)
        for (int k = 0; k < 6; ++k) sums[f][c][k] = 0;
    struct Together {
      float at[columns_at_once];
    };
    const auto load = [&](int i) {
      Together value;
      for (int c = 0; c < columns_at_once; ++c) {
        const int row = group + c * groups;
        value.at[c] = row < rows ? stack[i * level.row_width + row] : 0;
      }
      return value;
    };
    const auto use = [&](const Together& value, int i) {
      for (int f = 0; f < faces_at_once; ++f) {
        const Half a = images[2 * (f * most_values + i)], b = images[2 * (f * most_values + i) + 1];
        for (int c = 0; c < columns_at_once; ++c) {
          const float by = group + c * groups == rows ? b.at[2] : value.at[c];
          for (int k = 0; k < 4; ++k) sums[f][c][k] = std::fma(by, a.at[k], sums[f][c][k]);
          for (int k = 0; k < 2; ++k) sums[f][c][4 + k] = std::fma(by, b.at[k], sums[f][c][4 + k]);
        }
      }
    };
    if constexpr (faces_at_once == 1)
      in_order<8>(strand, values, chunk_strands, load, use);
    else
      in_batches<4>(strand, values, chunk_strands, load, use);
    for (int f = 0; f < faces_at_once; ++f)
      for (int c = 0; c < columns_at_once; ++c)
        for (int k = 0; k < 6 && group + c * groups < columns; ++k)
          out[f * chunk_strands * sums_of_face() + k * columns + group + c * groups] = sums[f][c][k];
  }

  // Image k with image l <= k, pair k (k + 1)/2 + l.
  KINEMA_HD void multiply_pair(int pair, int strand, int values, const Half* images, float* out) const {
    int k = 0;
    while ((k + 1) * (k + 2) / 2 <= pair) ++k;
    const int l = pair - k * (k + 1) / 2;
    for (int f = 0; f < faces_at_once; ++f) {
      const float* from = images[2 * f * most_values].at;
      float sum = 0;
#pragma unroll 8
      for (int i = strand; i < values; i += chunk_strands) sum = std::fma(from[8 * i + k], from[8 * i + l], sum);
      out[f * chunk_strands * sums_of_face() + pair] = sum;
    }
  }
};

}  // namespace kinema::face
