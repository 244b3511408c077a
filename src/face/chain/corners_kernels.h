// From the products of a chunk's corners to those of the parameters: sums at the vertices, times the modes.
#pragma once

#include "core/thread_block.h"
#include "face/chain/fit_batch.h"
#include "face/chain/shape_kernels.h"

#include <cmath>

namespace kinema::face {

/// J [Pg; g0; 1; d]^T and parts of J J^T from the sums of chunks. The first blocks take some columns each, the others the
/// vertices of a group; the last finds b of the current shape, for its prior.
template <bool near>
struct CornersKernel {
  static constexpr int threads = 576;
  static constexpr int columns_at_once = descent_columns_at_once;
  static constexpr int strands = 4;  ///< of a product with a mode
  ShapeTable shape;
  LevelTable level;
  FitBatch batch;

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
    const std::size_t of_columns = bytes_taken([this](auto& arrays) { columns(arrays); });
    const std::size_t of_group = bytes_taken([this](auto& arrays) { group(arrays); });
    const std::size_t most = of_columns > of_group ? of_columns : of_group, own = ShapeMemory<near>::bytes(shape);
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
    if (of_modes > 0) complete_pairs(block, part);
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
    complete_pairs(block, out);
  }

  // A step reads the elements of a part in pairs.
  template <class Block>
  KINEMA_HD void complete_pairs(Block& block, float* part) const {
    const int elements = shape.all * (shape.all + 1) / 2;
    if (block.thread() == 0 && elements < hessian_stride(shape.all)) part[elements] = 0;
  }
};

}  // namespace kinema::face
