// Shapes by a block of threads, in double: the same sums in the same order as similarity.h, shape.cpp and fit_state.cpp, so
// that a device puts a shape where the host puts it, to the bit.
#pragma once

#include "core/host_device.h"
#include "core/thread_block.h"
#include "face/chain/fit_batch.h"
#include "face/model/similarity.h"

#include <cmath>

namespace kinema::face {

/// A combination of modes is that of 4 strands of every fourth mode.
inline constexpr int combination_strands = 4;

/// Memory that the functions below share.
struct ShapeScratch {
  double* points;      ///< 2 n
  double* unit;        ///< 2 n
  double* parameters;  ///< modes
  double* parts;       ///< shape_strands x modes
  double* sums;        ///< 4 x shape_strands
  double* strands;     ///< combination_strands x 2 n

  template <class Arrays>
  KINEMA_HD static ShapeScratch in(Arrays& arrays, const ShapeTable& shape) {
    ShapeScratch scratch{};
    scratch.points = arrays.template take<double>(shape.size);
    scratch.unit = arrays.template take<double>(shape.size);
    scratch.parameters = arrays.template take<double>(shape.modes);
    scratch.parts = arrays.template take<double>(shape_strands * shape.modes);
    scratch.sums = arrays.template take<double>(4 * shape_strands);
    scratch.strands = arrays.template take<double>(combination_strands * shape.size);
    return scratch;
  }
};

// Kernels are compiled for a basis that has a place in the block's memory and for one that has not: a device reads its own memory
// faster where it knows that it is its own.

template <class Block, class T>
KINEMA_HD void fetch_table(Block& block, const T* from, const T* near, int count) {
  block.fetch(from, const_cast<T*>(near), count);
}

/// A shape table whose mean and bounds, and basis if it is near, have a place in the block's memory.
template <bool basis_near, class Arrays>
KINEMA_HD ShapeTable near_shape(Arrays& arrays, const ShapeTable& shape) {
  ShapeTable near = shape;
  near.mean = arrays.template take<float>(shape.size);
  near.centred = arrays.template take<double>(shape.size);
  near.most = arrays.template take<double>(shape.modes);
  if constexpr (basis_near) near.basis = arrays.template take<double>(shape.all * shape.size);
  return near;
}
template <bool basis_near, class Block>
KINEMA_HD void fetch_shape(Block& block, const ShapeTable& shape, const ShapeTable& near) {
  fetch_table(block, shape.mean, near.mean, shape.size);
  fetch_table(block, shape.centred, near.centred, shape.size);
  fetch_table(block, shape.most, near.most, shape.modes);
  if constexpr (basis_near) fetch_table(block, shape.basis, near.basis, shape.all * shape.size);
}

/// What kernels that have a shape of their own keep in a block's memory: the table, then the scratch.
template <bool basis_near>
struct ShapeMemory {
  ShapeTable near;
  ShapeScratch scratch;

  template <class Arrays>
  KINEMA_HD static ShapeMemory in(Arrays&& arrays, const ShapeTable& shape) {
    ShapeMemory memory{near_shape<basis_near>(arrays, shape), {}};
    memory.scratch = ShapeScratch::in(arrays, shape);
    return memory;
  }
  static std::size_t bytes(const ShapeTable& shape) {
    return bytes_taken([&shape](auto& arrays) { in(arrays, shape); });
  }
  template <class Block>
  KINEMA_HD static void fetch(Block& block, const ShapeTable& shape) {
    fetch_shape<basis_near>(block, shape, in(SharedArrays(block), shape).near);
  }
};

/// A kernel whose blocks keep a shape and its scratch, and nothing else.
template <bool near>
struct ShapeKernel {
  static constexpr int threads = 160;
  ShapeTable shape;

  std::size_t shared_bytes() const { return ShapeMemory<near>::bytes(shape); }

  template <class Block>
  KINEMA_HD void prepare(Block& block) const {
    ShapeMemory<near>::fetch(block, shape);
  }
};

/// to[i] = t(from[i]), each landmark by one thread.
template <class Block, class From, class To>
KINEMA_HD void transform(Block& block, const Similarity& t, const From* from, To* to, int landmarks) {
#pragma unroll 1
  for (int i = block.thread(); i < landmarks; i += block.threads()) {
    const double x = from[2 * i], y = from[2 * i + 1];
    to[2 * i] = static_cast<To>(t.a * x - t.b * y + t.tx);
    to[2 * i + 1] = static_cast<To>(t.b * x + t.a * y + t.ty);
  }
}

/// The similarity that maps the mean shape nearest to points that all threads see, for the threads that have a landmark to
/// transform by it; the others do not wait for it. sums: 4 x shape_strands.
template <class Block, class Real>
KINEMA_HD Similarity pose_of(Block& block, const ShapeTable& shape, const Real* points, double* sums) {
  constexpr int warp = 32;  // of one kind of sum, so that its threads do the same
#pragma unroll 1
  for (int t = block.thread(); t < 4 * warp; t += block.threads()) {
    const int which = t / warp, strand = t % warp;  // x, y, along, across
    if (strand >= shape_strands) continue;
    double sum = 0;
    if (which < 2) {
#pragma unroll 4
      for (int i = strand; i < shape.landmarks; i += shape_strands) sum += points[2 * i + which];
    } else {
#pragma unroll 4
      for (int i = strand; i < shape.landmarks; i += shape_strands) {
        const double u = points[2 * i], v = points[2 * i + 1];
        const double x = shape.centred[2 * i], y = shape.centred[2 * i + 1];
        sum += which == 2 ? x * u + y * v : x * v - y * u;
      }
    }
    sums[which * shape_strands + strand] = sum;
  }
  block.wait();
  if (block.thread() >= shape.landmarks) return {};
  const double gx = sum_of_shape_strands(sums) * shape.share;
  const double gy = sum_of_shape_strands(sums + shape_strands) * shape.share;
  const double along = sum_of_shape_strands(sums + 2 * shape_strands) - (gx * shape.sum_x + gy * shape.sum_y);
  const double across = sum_of_shape_strands(sums + 3 * shape_strands) - (gy * shape.sum_x - gx * shape.sum_y);
  const double a = along * shape.by_square, b = across * shape.by_square;
  return {a, b, gx - (a * shape.centre_x - b * shape.centre_y), gy - (b * shape.centre_x + a * shape.centre_y)};
}

/// A shape in the model's unit, less the mean.
template <class Block, class From>
KINEMA_HD void from_mean(Block& block, const ShapeTable& shape, const Similarity& to_unit, const From* points,
                         double* out) {
#pragma unroll 1
  for (int i = block.thread(); i < shape.landmarks; i += block.threads()) {
    const double x = points[2 * i], y = points[2 * i + 1];
    out[2 * i] = to_unit.a * x - to_unit.b * y + to_unit.tx - shape.mean[2 * i];
    out[2 * i + 1] = to_unit.b * x + to_unit.a * y + to_unit.ty - shape.mean[2 * i + 1];
  }
}

/// b of a shape less the mean that all threads see. parts: shape_strands x modes. The caller waits.
template <class Block>
KINEMA_HD void parameters_of(Block& block, const ShapeTable& shape, const double* unit, bool limited, double* parts,
                             double* parameters) {
  const int modes = shape.modes;
#pragma unroll 1
  for (int t = block.thread(); t < shape_strands * modes; t += block.threads()) {
    const double* mode = shape.basis + (4 + t / shape_strands) * shape.size;
    double sum = 0;
    in_order<6>(
        t % shape_strands, shape.size, shape_strands, [&](int i) { return mode[i]; },
        [&](double of, int i) { sum = std::fma(of, unit[i], sum); });
    parts[t] = sum;
  }
  block.wait();
#pragma unroll 1
  for (int k = block.thread(); k < modes; k += block.threads()) {
    const double sum = sum_of_shape_strands(parts + k * shape_strands);
    const double most = limited ? shape.most[k] : 1e300;  // no bound
    parameters[k] = sum < -most ? -most : most < sum ? most : sum;
  }
}

/// out[i] = mean[i] + sign * the sum of weights[k] basis[first + k][i] of `count` modes, for all threads to see.
template <class Block>
KINEMA_HD void combine_modes(Block& block, const ShapeTable& shape, int first, int count, const double* weights,
                             double sign, double* strands, double* out) {
  const double* basis = shape.basis + first * shape.size;
#pragma unroll 1
  for (int t = block.thread(); t < combination_strands * shape.size; t += block.threads()) {
    const int strand = t / shape.size, i = t - strand * shape.size;
    double sum = 0;
    in_order<4>(
        strand, count, combination_strands, [&](int k) { return basis[k * shape.size + i]; },
        [&](double mode, int k) { sum = std::fma(weights[k], mode, sum); });
    strands[t] = sum;
  }
  block.wait();
  const int size = shape.size;
#pragma unroll 1
  for (int i = block.thread(); i < size; i += block.threads()) {
    const double sum = (strands[i] + strands[size + i]) + (strands[2 * size + i] + strands[3 * size + i]);
    out[i] = shape.mean[i] + sign * sum;
  }
  block.wait();
}

/// scratch.points, which all threads see, projected on the model within its limits; all threads see the result.
template <class Block>
KINEMA_HD void project_on_model(Block& block, const ShapeTable& shape, const ShapeScratch& scratch) {
  const Similarity pose = pose_of(block, shape, scratch.points, scratch.sums);
  from_mean(block, shape, inverse(pose), scratch.points, scratch.unit);
  block.wait();
  parameters_of(block, shape, scratch.unit, true, scratch.parts, scratch.parameters);
  block.wait();
  combine_modes(block, shape, 4, shape.modes, scratch.parameters, 1, scratch.strands, scratch.unit);
  transform(block, pose, scratch.unit, scratch.points, shape.landmarks);
  block.wait();
}

/// The pose of a state becomes that of its shape, which is in scratch.points; all threads see the result. Returns the new pose.
template <class Block>
KINEMA_HD Similarity straighten_points(Block& block, const ShapeTable& shape, const Similarity& pose,
                                       const ShapeScratch& scratch) {
  transform(block, pose, scratch.points, scratch.unit, shape.landmarks);
  block.wait();
  const Similarity settled = pose_of(block, shape, scratch.unit, scratch.sums);
  transform(block, inverse(settled), scratch.unit, scratch.points, shape.landmarks);
  block.wait();
  return settled;
}

template <class Block, class From, class To>
KINEMA_HD void copy(Block& block, const From* from, To* to, int count) {
  in_batches<6>(
      block.thread(), count, block.threads(), [&](int i) { return from[i]; },
      [&](const From& value, int i) { to[i] = static_cast<To>(value); });
}

/// Takes over the start of a face.
struct BeginKernel {
  static constexpr int threads = 128;
  ShapeTable shape;
  FitBatch batch;

  std::size_t shared_bytes() const { return 0; }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y();
    if (face >= block.rows()) return;
    const FaceTask& task = batch.tasks[face];
    double* to = of_face(batch.shape, face, shape.size);
    if (task.mean != 0)
      copy(block, shape.mean, to, shape.size);
    else
      copy(block, of_face(batch.starts, face, shape.size), to, shape.size);
    if (block.thread() == 0) {
      FaceState state;
      state.pose = task.pose;
      state.mean = task.mean;
      state.error = task.error;
      batch.states[face] = state;
    }
  }
};

}  // namespace kinema::face
