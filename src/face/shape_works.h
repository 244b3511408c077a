// Shapes by a block of threads, in double: the same sums in the same order as similarity.h, shape.cpp and fit_state.cpp, so
// that a device puts a shape where the host puts it, to the bit.
#pragma once

#include "core/host_device.h"
#include "core/thread_block.h"
#include "face/fit_batch.h"
#include "face/similarity.h"

#include <cmath>

namespace kinema::face {

/// Memory that the functions below share.
struct ShapeScratch {
  double* points;      ///< 2 n
  double* unit;        ///< 2 n
  double* parameters;  ///< modes
  double* sums;        ///< 4

  KINEMA_HD static std::size_t bytes(const ShapeTable& shape) {
    return 2 * shared_size<double>(shape.size) + shared_size<double>(shape.modes) + shared_size<double>(4);
  }
  template <class Block>
  KINEMA_HD static ShapeScratch in(Block& block, const ShapeTable& shape, std::size_t from = 0) {
    ShapeScratch scratch{};
    scratch.points = block.template shared<double>(from);
    from += shared_size<double>(shape.size);
    scratch.unit = block.template shared<double>(from);
    from += shared_size<double>(shape.size);
    scratch.parameters = block.template shared<double>(from);
    from += shared_size<double>(shape.modes);
    scratch.sums = block.template shared<double>(from);
    return scratch;
  }
};

/// to[i] = t(from[i]), each landmark by one thread.
template <class Block, class From, class To>
KINEMA_HD void transform(Block& block, const Similarity& t, const From* from, To* to, int landmarks) {
  for (int i = block.thread(); i < landmarks; i += block.threads()) {
    const double x = from[2 * i], y = from[2 * i + 1];
    to[2 * i] = static_cast<To>(t.a * x - t.b * y + t.tx);
    to[2 * i + 1] = static_cast<To>(t.b * x + t.a * y + t.ty);
  }
}

/// The similarity that maps the mean shape nearest to points that all threads see.
template <class Block, class Real>
KINEMA_HD Similarity pose_of(Block& block, const ShapeTable& shape, const Real* points, double* sums) {
  const int n = shape.landmarks;
  for (int axis = block.thread(); axis < 2; axis += block.threads()) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += points[2 * i + axis];
    sums[axis] = sum * (1.0 / static_cast<double>(n));
  }
  block.wait();
  const double gx = sums[0], gy = sums[1];
  for (int which = block.thread(); which < 2; which += block.threads()) {
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      const double x = shape.mean[2 * i] - shape.centre_x, y = shape.mean[2 * i + 1] - shape.centre_y;
      const double u = points[2 * i] - gx, v = points[2 * i + 1] - gy;
      sum += which == 0 ? x * u + y * v : x * v - y * u;
    }
    sums[2 + which] = sum;
  }
  block.wait();
  const double a = shape.square > 0 ? sums[2] / shape.square : 0, b = shape.square > 0 ? sums[3] / shape.square : 0;
  return {a, b, gx - (a * shape.centre_x - b * shape.centre_y), gy - (b * shape.centre_x + a * shape.centre_y)};
}

/// b of a shape in the model's unit that all threads see. The caller waits.
template <class Block>
KINEMA_HD void parameters_of(Block& block, const ShapeTable& shape, const double* unit, bool limited,
                             double* parameters) {
  for (int k = block.thread(); k < shape.modes; k += block.threads()) {
    const double* mode = shape.by_coordinate + 4 + k;
    double part0 = 0, part1 = 0, part2 = 0, part3 = 0;
#pragma unroll 8
    for (int i = 0; i + 4 <= shape.size; i += 4) {
      const double* at = mode + static_cast<std::size_t>(i) * shape.all;
      part0 += at[0] * (unit[i] - shape.mean[i]);
      part1 += at[shape.all] * (unit[i + 1] - shape.mean[i + 1]);
      part2 += at[2 * shape.all] * (unit[i + 2] - shape.mean[i + 2]);
      part3 += at[3 * shape.all] * (unit[i + 3] - shape.mean[i + 3]);
    }
    if (shape.size % 4 == 2) {
      const int i = shape.size - 2;
      const double* at = mode + static_cast<std::size_t>(i) * shape.all;
      part0 += at[0] * (unit[i] - shape.mean[i]);
      part1 += at[shape.all] * (unit[i + 1] - shape.mean[i + 1]);
    }
    const double sum = (part0 + part1) + (part2 + part3);
    const double most = limited ? shape.most[k] : 1e300;  // no bound
    parameters[k] = sum < -most ? -most : most < sum ? most : sum;
  }
}

/// scratch.points, which all threads see, projected on the model within its limits; all threads see the result.
template <class Block>
KINEMA_HD void project_on_model(Block& block, const ShapeTable& shape, const ShapeScratch& scratch) {
  const Similarity pose = pose_of(block, shape, scratch.points, scratch.sums);
  transform(block, inverse(pose), scratch.points, scratch.unit, shape.landmarks);
  block.wait();
  parameters_of(block, shape, scratch.unit, true, scratch.parameters);
  block.wait();
  for (int i = block.thread(); i < shape.size; i += block.threads()) {
    double sum = shape.mean[i];
#pragma unroll 8
    for (int k = 0; k < shape.modes; ++k)
      sum += scratch.parameters[k] * shape.basis[static_cast<std::size_t>(4 + k) * shape.size + i];
    scratch.unit[i] = sum;
  }
  block.wait();
  transform(block, pose, scratch.unit, scratch.points, shape.landmarks);
  block.wait();
}

/// The pose of a state becomes that of its shape, which is in scratch.points; all threads see the result. Returns the new pose.
template <class Block>
KINEMA_HD Similarity settle_points(Block& block, const ShapeTable& shape, const Similarity& pose,
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
  for (int i = block.thread(); i < count; i += block.threads()) to[i] = static_cast<To>(from[i]);
}

/// Takes over the start of a face.
struct BeginWork {
  static constexpr int threads = 128;
  ShapeTable shape;
  FitBatch batch;

  std::size_t shared_bytes() const { return 0; }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y();
    if (face >= *batch.count) return;
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
      batch.states[face] = state;
    }
  }
};

}  // namespace kinema::face
