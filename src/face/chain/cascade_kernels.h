// The cascade by blocks of threads: entering a frame, and the regressions.
#pragma once

#include "face/chain/ordered_product.h"
#include "face/chain/shape_kernels.h"

namespace kinema::face {

/// Before a regression: the pose of the frame becomes that of the shape, if the frame is another one than before.
template <bool near>
struct EnterFrameKernel : ShapeKernel<near> {
  using ShapeKernel<near>::shape;
  FitBatch batch;

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y();
    if (face >= block.rows()) return;
    const auto [model, scratch] = ShapeMemory<near>::in(SharedArrays(block), shape);
    double* points = of_face(batch.shape, face, shape.size);
    const Similarity before = batch.states[face].pose;
    block.fetch(points, scratch.points, shape.size);
    block.wait_fetched();
    const Similarity pose = straighten_points(block, model, before, scratch);
    copy(block, scratch.points, points, shape.size);
    copy(block, scratch.points, of_face(batch.placed, face, shape.size), shape.size);
    if (block.thread() == 0) batch.states[face].pose = pose;
  }
};

/// Four rows of a regression times one segment of the textures of several faces.
template <int faces_at_once>
struct RegressionKernel {
  static constexpr int rows_at_once = 4;
  static constexpr int threads = rows_at_once * product_strands;
  RegressionTable regression;
  FitBatch batch;

  int row_groups() const { return (regression.rows + rows_at_once - 1) / rows_at_once; }
  int blocks() const { return row_groups() * product_segments(regression.inputs); }
  // For one face the matrix is fetched before the texture is known; many are better off with more blocks at a time.
  static constexpr bool prepares = faces_at_once == 1;
  std::size_t shared_bytes() const {
    return shared_size<float>(faces_at_once * threads) +
           (prepares ? shared_size<float>((rows_at_once + 1) * product_segment) : 0);
  }

  /// The part of the matrix that a block multiplies.
  struct Part {
    int segment, first_row, first, size;
  };
  template <class Block>
  KINEMA_HD Part part_of(const Block& block) const {
    const int segments = product_segments(regression.inputs), segment = block.x() % segments;
    const int first = segment * product_segment, left = regression.inputs - first;
    return {segment, block.x() / segments * rows_at_once, first, left < product_segment ? left : product_segment};
  }
  template <class Block>
  KINEMA_HD static float* fetched(const Block& block) {  // rows x product_segment, then the texture
    return block.template shared<float>(shared_size<float>(faces_at_once * threads));
  }

  template <class Block>
  KINEMA_HD void prepare(Block& block) const {
    if (!prepares) return;
    const Part part = part_of(block);
    for (int r = 0; r < rows_at_once && part.first_row + r < regression.rows; ++r)
      block.fetch(row_of(part.first_row + r) + part.first, fetched(block) + r * product_segment, part.size);
  }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int first_face = block.y() * faces_at_once, count = block.rows();
    if (first_face >= count) return;
    const auto [segment, first_row, first, size] = part_of(block);
    const int segments = product_segments(regression.inputs);
    auto* strands = block.template shared<float>();  // faces x rows x strands
    if constexpr (prepares) {
      block.fetch(of_face(batch.rings, first_face, batch.sizes.ring_values) + first,
                  fetched(block) + rows_at_once * product_segment, size);
      block.wait_fetched();
    }
#pragma unroll 1
    for (int t = block.thread(); t < threads; t += block.threads()) {
      const int row = first_row + t / product_strands, strand = t % product_strands;
      if (row >= regression.rows) continue;
      const float* values;
      const float* textures[faces_at_once];
      float sums[faces_at_once] = {};
      if constexpr (prepares) {
        values = fetched(block) + t / product_strands * product_segment;
        textures[0] = fetched(block) + rows_at_once * product_segment;
      } else {
        values = row_of(row) + first;
        for (int f = 0; f < faces_at_once; ++f) {
          // past the last face its texture is multiplied again, and the result dropped
          const int face = first_face + f < count ? first_face + f : count - 1;
          textures[f] = of_face(batch.rings, face, batch.sizes.ring_values) + first;
        }
      }
      struct Products {
        float of[faces_at_once];
      };
      const auto load = [&](int i) {
        const float value = values[i];
        Products products;
        for (int f = 0; f < faces_at_once; ++f) products.of[f] = value * textures[f][i];
        return products;
      };
      const auto use = [&](const Products& products, int) {
        for (int f = 0; f < faces_at_once; ++f) sums[f] += products.of[f];
      };
      if constexpr (faces_at_once == 1)
        in_order<8>(strand, size, product_strands, load, use);
      else
        in_batches<4>(strand, size, product_strands, load, use);
      for (int f = 0; f < faces_at_once; ++f) strands[f * threads + t] = sums[f];
    }
    block.wait();
#pragma unroll 1
    for (int t = block.thread(); t < faces_at_once * rows_at_once; t += block.threads()) {
      const int f = t / rows_at_once, row = first_row + t % rows_at_once;
      if (first_face + f >= count || row >= regression.rows) continue;
      of_face(batch.products, first_face + f, batch.sizes.partial_products)[row * segments + segment] =
          sum_of_strands(strands + f * threads + t % rows_at_once * product_strands);
    }
  }

private:
  KINEMA_HD const float* row_of(int row) const {
    return regression.gradient + static_cast<std::size_t>(row) * regression.inputs;
  }
};

/// s <- s + [pose_modes; modes]^T dq, and the pose of the next frame.
template <bool near>
struct DisplaceKernel {
  static constexpr int threads = 160;
  ShapeTable shape;
  RegressionTable regression;
  bool straighten;  ///< the next regression has another frame
  bool last;        ///< of the cascade
  FitBatch batch;

  struct Memory {
    ShapeMemory<near> shape;
    double* dq;       // all
    float* constant;  // all
    float* parts;     // rows x segments
  };
  template <class Arrays>
  KINEMA_HD Memory memory(Arrays&& arrays) const {
    Memory memory{ShapeMemory<near>::in(arrays, shape), nullptr, nullptr, nullptr};
    memory.dq = arrays.template take<double>(shape.all);
    memory.constant = arrays.template take<float>(shape.all);
    memory.parts = arrays.template take<float>(regression.rows * product_segments(regression.inputs));
    return memory;
  }
  std::size_t shared_bytes() const {
    return bytes_taken([this](auto& arrays) { memory(arrays); });
  }

  template <class Block>
  KINEMA_HD void prepare(Block& block) const {
    ShapeMemory<near>::fetch(block, shape);
    block.fetch(regression.constant, memory(SharedArrays(block)).constant, regression.rows);
  }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y();
    if (face >= block.rows()) return;
    const Memory own = memory(SharedArrays(block));
    const ShapeTable& model = own.shape.near;
    const ShapeScratch& scratch = own.shape.scratch;
    double* points = of_face(batch.shape, face, shape.size);
    const int segments = product_segments(regression.inputs);
    block.fetch(of_face(batch.products, face, batch.sizes.partial_products), own.parts, regression.rows * segments);
    block.fetch(points, scratch.unit, shape.size);
    FaceState& state = batch.states[face];
    const Similarity before = state.pose;
    block.wait_fetched();
#pragma unroll 1
    for (int row = block.thread(); row < regression.rows; row += block.threads()) {
      float sum = 0;
      in_order<6>(
          row * segments, (row + 1) * segments, 1, [&](int i) { return own.parts[i]; },
          [&](float part, int) { sum += part; });
      own.dq[row] = own.constant[row] + sum;
    }
    block.wait();
#pragma unroll 1
    for (int i = block.thread(); i < shape.size; i += block.threads()) {
      double at = scratch.unit[i];
      in_order<7>(
          0, shape.all, 1, [&](int k) { return model.basis[k * shape.size + i]; },
          [&](double mode, int k) { at += own.dq[k] * mode; });
      scratch.points[i] = at;
    }
    block.wait();
    const Similarity pose = straighten ? straighten_points(block, model, before, scratch) : before;
    copy(block, scratch.points, points, shape.size);
    copy(block, scratch.points, of_face(batch.placed, face, shape.size), shape.size);
    block.wait();  // all threads have read the pose
    if (block.thread() == 0) {
      state.pose = pose;
      if (last) state.mean = 0, state.error = 0, state.converged = 1;
      ++state.iterations;
    }
  }
};

}  // namespace kinema::face
