// The steepest-descent images J of a simultaneous stage by blocks of threads, as steepest_descent_cpu.h has them: products of
// the 6 images of a chunk's corners, accumulated at the vertices, times the modes.
#pragma once

#include "core/thread_block.h"
#include "face/fit_batch.h"
#include "face/look_works.h"
#include "face/shape_works.h"

#include <cmath>

namespace kinema::face {

/// Of a chunk of several faces: products of the corners' images with the rows [Pg; g0; 1] and with d, and with each other.
template <int faces_at_once, bool near>
struct DescendWork {
  static constexpr int threads = faces_at_once == 1 ? 512 : 256;
  static constexpr int most_values = 2 * most_chunk_pixels;
  LevelTable level;
  FitBatch batch;

  KINEMA_HD const int* rows() const { return batch.count; }

  /// The images of a value: x and y of three corners, and d.
  struct alignas(16) Half {
    float at[4];
  };

  int blocks() const { return level.chunks; }
  KINEMA_HD int sums_of_face() const { return 6 * descent_columns(level) + corner_pairs; }

  struct Memory {
    Half* images;  // faces x most_values x 2
    float* sums;   // faces x strands x sums
    // of the chunk
    const float *stack, *weights, *slope_steps, *mean;
    const int* neighbours;
  };
  template <class Arrays>
  KINEMA_HD Memory memory(Arrays&& arrays, const PixelChunk& chunk) const {
    Memory of{};
    of.images = arrays.template take<Half>(2 * faces_at_once * most_values);
    of.sums = arrays.template take<float>(faces_at_once * chunk_strands * sums_of_face());
    if constexpr (near) {
      of.stack = arrays.template take<float>(most_values * level.row_width);
      of.weights = arrays.template take<float>(4 * most_chunk_pixels);
      of.slope_steps = arrays.template take<float>(2 * most_chunk_pixels);
      of.mean = arrays.template take<float>(most_values);
      of.neighbours = arrays.template take<int>(4 * most_chunk_pixels);
    } else {
      const auto pixel = static_cast<std::size_t>(chunk.first), value = pixel * level.channels;
      of.stack = level.stack + value * level.row_width;
      of.weights = level.weights + 4 * pixel, of.slope_steps = level.slope_steps + 2 * pixel;
      of.mean = level.mean + value, of.neighbours = level.neighbours + 4 * pixel;
    }
    return of;
  }
  std::size_t shared_bytes() const {
    SharedBytes counted;
    memory(counted, {});
    return counted.bytes();
  }

  template <class Block>
  KINEMA_HD void prepare(Block& block) const {
    if (!near) return;
    const PixelChunk chunk = level.chunk[block.x()];
    const auto pixel = static_cast<std::size_t>(chunk.first), value = pixel * level.channels;
    const int values = chunk.pixels * level.channels;
    const Memory of = memory(SharedArrays(block), chunk);
    fetch_table(block, level.stack + value * level.row_width, of.stack, values * level.row_width);
    fetch_table(block, level.weights + 4 * pixel, of.weights, 4 * chunk.pixels);
    fetch_table(block, level.slope_steps + 2 * pixel, of.slope_steps, 2 * chunk.pixels);
    fetch_table(block, level.mean + value, of.mean, values);
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
    multiply(block, chunk.pixels * level.channels, of.stack, of.images, of.sums);
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
        const float* w = of.weights + 4 * pixel;
        front.at[0] = w[0] * across, front.at[1] = w[0] * down;
        front.at[2] = w[1] * across, front.at[3] = w[1] * down;
        back.at[0] = w[2] * across, back.at[1] = w[2] * down;
        back.at[2] = (samples[first + i] - offset) * factor - of.mean[i];
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

/// J [Pg; g0; 1; d]^T and parts of J J^T from the sums of chunks. The first blocks take some columns each, the others the
/// vertices of a group; the last finds b of the current shape, for its prior.
template <bool near>
struct CornersWork {
  static constexpr int threads = 576;
  static constexpr int columns_at_once = descent_columns_at_once;
  static constexpr int strands = 4;  ///< of a product with a mode
  ShapeTable shape;
  LevelTable level;
  FitBatch batch;

  KINEMA_HD const int* rows() const { return batch.count; }

  int blocks() const { return column_blocks(level) + vertex_groups(shape.landmarks) + 1; }

  // What each kind of block keeps in its memory; `modes` is by_coordinate, there if it is not too large.
  struct Columns {
    const double* modes;
    int *corner_first, *corner_list;
    double *corners, *parts;  // size x columns_at_once, strands x columns_at_once x all
    double* difference;       // columns_at_once
  };
  template <class Arrays>
  KINEMA_HD Columns columns(Arrays&& arrays) const {
    Columns of{};
    of.modes = near_modes(arrays);
    of.corner_first = arrays.template take<int>(shape.landmarks + 1);
    of.corner_list = arrays.template take<int>(3 * level.chunks);
    of.corners = arrays.template take<double>(shape.size * columns_at_once);
    of.parts = arrays.template take<double>(strands * columns_at_once * shape.all);
    of.difference = arrays.template take<double>(columns_at_once);
    return of;
  }
  struct Group {
    const double* modes;
    int *others, *entry_first, *entries;
    double* of_pairs;  // pairs x 4: x and y of the other, by x and y of the vertex
    double* by_modes;  // coordinates x all
  };
  template <class Arrays>
  KINEMA_HD Group group(Arrays&& arrays) const {
    Group of{};
    of.modes = near_modes(arrays);
    of.others = arrays.template take<int>(level.most_pairs);
    of.entry_first = arrays.template take<int>(level.most_pairs + 1);
    of.entries = arrays.template take<int>(level.most_entries);
    of.of_pairs = arrays.template take<double>(4 * level.most_pairs);
    of.by_modes = arrays.template take<double>(2 * vertex_group * shape.all);
    return of;
  }
  std::size_t shared_bytes() const {
    SharedBytes a, b;
    columns(a), group(b);
    const std::size_t most = a.bytes() > b.bytes() ? a.bytes() : b.bytes(), own = ShapeMemory<near>::bytes(shape);
    return most > own ? most : own;
  }

  enum class Part { columns, group, parameters };
  struct Share {
    Part part;
    int first;  // column or vertex
  };
  template <class Block>
  KINEMA_HD Share share_of(const Block& block) const {
    const int column_parts = column_blocks(level);
    if (block.x() < column_parts) return {Part::columns, block.x() * columns_at_once};
    const int which = block.x() - column_parts;
    return {which < vertex_groups(shape.landmarks) ? Part::group : Part::parameters, which * vertex_group};
  }

  template <class Block>
  KINEMA_HD void prepare(Block& block) const {
    const Share share = share_of(block);
    if (share.part == Part::columns) {
      const Columns of = columns(SharedArrays(block));
      fetch_modes(block, of.modes);
      block.fetch(level.corner_first, of.corner_first, shape.landmarks + 1);
      block.fetch(level.corner_list, of.corner_list, 3 * level.chunks);
    } else if (share.part == Part::group) {
      const Group of = group(SharedArrays(block));
      const auto [first, pairs] = pairs_of(share.first);
      const int entry = level.entry_first[first], last = level.entry_first[first + pairs];
      fetch_modes(block, of.modes);
      block.fetch(level.pair_other + first, of.others, pairs);
      block.fetch(level.entry_first + first, of.entry_first, pairs + 1);
      block.fetch(level.pair_entries + entry, of.entries, last - entry);
    } else {
      ShapeMemory<near>::fetch(block, shape);
    }
  }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y();
    if (!is_running(batch, block.rows(), face)) return;
    const Share share = share_of(block);
    if (share.part == Part::columns)
      multiply_columns(block, face, share.first);
    else if (share.part == Part::group)
      multiply_group(block, face, share.first);
    else
      find_parameters(block, face);
  }

private:
  template <class Arrays>
  KINEMA_HD const double* near_modes(Arrays& arrays) const {
    if constexpr (near) return arrays.template take<double>(shape.all * shape.size);
    return shape.by_coordinate;
  }
  template <class Block>
  KINEMA_HD void fetch_modes(Block& block, const double* modes) const {
    if constexpr (near) fetch_table(block, shape.by_coordinate, modes, shape.all * shape.size);
  }

  // Pairs of the vertices of a group.
  struct Pairs {
    int first, count;
  };
  KINEMA_HD Pairs pairs_of(int first_vertex) const {
    const int last = first_vertex + vertex_group < shape.landmarks ? first_vertex + vertex_group : shape.landmarks;
    const int first = level.pair_first[first_vertex];
    return {first, level.pair_first[last] - first};
  }

  template <class Block>
  KINEMA_HD void find_parameters(Block& block, int face) const {
    const auto [model, scratch] = ShapeMemory<near>::in(SharedArrays(block), shape);
    block.fetch(of_face(batch.shape, face, shape.size), scratch.points, shape.size);
    block.wait_fetched();
    const Similarity pose = pose_of(block, model, scratch.points, scratch.sums);
    from_mean(block, model, inverse(pose), scratch.points, scratch.unit);
    block.wait();
    parameters_of(block, model, scratch.unit, false, scratch.parts, of_face(batch.expected, face, batch.sizes.modes));
  }

  template <class Block>
  KINEMA_HD void multiply_columns(Block& block, int face, int first) const {
    const int columns_of_level = descent_columns(level), all = shape.all;
    const int left = columns_of_level - first, count = left < columns_at_once ? left : columns_at_once;
    const Columns of = columns(SharedArrays(block));
    double *corners = of.corners, *parts = of.parts;
    const float* sums = of_face(batch.corner_sums, face, batch.sizes.corner_sums);
    const int modes_left = level.modes - first, of_modes = modes_left < count ? modes_left : count;
    if (of_modes > 0) block.fetch(of_face(batch.difference, face, batch.sizes.rows) + first, of.difference, of_modes);
    block.wait_fetched();
#pragma unroll 1
    for (int t = block.thread(); t < shape.size * columns_at_once; t += block.threads()) {
      const int at = t / columns_at_once, column = t % columns_at_once, vertex = at / 2, axis = at % 2;
      if (column >= count) continue;
      corners[at * columns_at_once + column] =
          sum_in_batches<16>(of.corner_first[vertex], of.corner_first[vertex + 1], 1, [&](int e) {
            const int entry = of.corner_list[e];  // 3 chunk + corner
            return static_cast<double>(sums[(2 * entry + axis) * columns_of_level + first + column]);
          });
    }
    block.wait();
    const int products = all * count;
#pragma unroll 1
    for (int t = block.thread(); t < strands * products; t += block.threads()) {
      const int strand = t / products, of_strand = t - strand * products, column = of_strand / all;
      const int k = of_strand - column * all;
      double sum = 0;
      in_order<8>(
          strand, shape.size, strands, [&](int i) { return of.modes[i * all + k]; },
          [&](double mode, int i) { sum = std::fma(mode, corners[i * columns_at_once + column], sum); });
      parts[t] = sum;
    }
    block.wait();
    double* out = of_face(batch.descent, face, batch.sizes.descent) + first * all;
#pragma unroll 1
    for (int t = block.thread(); t < products; t += block.threads()) {
      const double sum = (parts[t] + parts[products + t]) + (parts[2 * products + t] + parts[3 * products + t]);
      corners[t] = out[t] = sum;
    }
    block.wait();
    // J d less that of the modes
    double* gradient = of_face(batch.gradient, face, batch.sizes.gradient) + first / columns_at_once * all;
#pragma unroll 1
    for (int i = block.thread(); i < all; i += block.threads()) {
      double sum = 0;
      for (int c = 0; c < of_modes; ++c) sum = std::fma(-corners[c * all + i], of.difference[c], sum);
      const int d = columns_of_level - 1 - first;
      gradient[i] = d < count ? sum + corners[d * all + i] : sum;
    }
    // - J Pg^T (J Pg^T)^T of the columns that are modes
    float* part = hessian_part(batch, face, vertex_groups(shape.landmarks) + first / columns_at_once, all);
#pragma unroll 1
    for (int t = block.thread(); of_modes > 0 && t < all * (all + 1) / 2; t += block.threads()) {
      const auto [i, j] = triangle_place(t);
      double sum = 0;
#pragma unroll
      for (int c = 0; c < columns_at_once; ++c)
        if (c < of_modes) sum = std::fma(-corners[c * all + i], corners[c * all + j], sum);
      part[t] = static_cast<float>(sum);
    }
  }

  template <class Block>
  KINEMA_HD void multiply_group(Block& block, int face, int first_vertex) const {
    const int all = shape.all, left = shape.landmarks - first_vertex;
    const int vertices = left < vertex_group ? left : vertex_group;
    const auto [first_pair, pairs] = pairs_of(first_vertex);
    const Group of = group(SharedArrays(block));
    const float* sums = of_face(batch.pair_sums, face, batch.sizes.pair_sums);
    block.wait_fetched();
#pragma unroll 1
    for (int t = block.thread(); t < 4 * pairs; t += block.threads()) {
      const int first_entry = of.entry_first[0], axis_other = t / 2 % 2, axis = t % 2;
      of.of_pairs[t] = sum_in_batches<8>(
          of.entry_first[t / 4] - first_entry, of.entry_first[t / 4 + 1] - first_entry, 1, [&](int e) {
            const int entry = of.entries[e];
            const int k = 2 * (entry / 3 % 3) + axis_other, l = 2 * (entry % 3) + axis;
            const int high = k > l ? k : l, low = k > l ? l : k;
            return static_cast<double>(sums[entry / 9 * corner_pairs + high * (high + 1) / 2 + low]);
          });
    }
    block.wait();
#pragma unroll 1
    for (int t = block.thread(); t < 2 * vertices * all; t += block.threads()) {
      const int coordinate = t / all, k = t - coordinate * all, vertex = first_vertex + coordinate / 2,
                axis = coordinate % 2;
      const int first = level.pair_first[vertex] - first_pair, last = level.pair_first[vertex + 1] - first_pair;
      double sum = 0;
#pragma unroll 4
      for (int p = first; p < last; ++p) {
        const double* part = of.of_pairs + 4 * p + axis;
        const double* mode = of.modes + 2 * of.others[p] * all + k;
        sum = std::fma(mode[0], part[0], std::fma(mode[all], part[2], sum));
      }
      of.by_modes[coordinate * all + k] = sum;
    }
    block.wait();
    float* out = hessian_part(batch, face, first_vertex / vertex_group, all);
    const double* modes = of.modes + 2 * first_vertex * all;
#pragma unroll 1
    for (int t = block.thread(); t < all * (all + 1) / 2; t += block.threads()) {
      const auto [k, l] = triangle_place(t);
      double sum = 0;
#pragma unroll 8
      for (int c = 0; c < 2 * vertices; ++c) sum = std::fma(of.by_modes[c * all + k], modes[c * all + l], sum);
      out[t] = static_cast<float>(sum);
    }
  }
};

}  // namespace kinema::face
