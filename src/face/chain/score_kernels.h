// The end of a fit by blocks of threads: landmarks and parameters, and the score of quality.cpp.
#pragma once

#include "face/chain/shape_kernels.h"

#include <cmath>

namespace kinema::face {

/// Landmarks, pose and shape parameters; then the pose and the shape in which the score looks at them.
template <bool near>
struct FinishKernel : ShapeKernel<near> {
  using ShapeKernel<near>::shape;
  double values;  ///< by which the state's error is divided: of the last stage's texture; 0: it has no error
  bool score;
  FitBatch batch;

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y();
    if (face >= block.rows()) return;
    const auto [model, scratch] = ShapeMemory<near>::in(SharedArrays(block), shape);
    FaceState& state = batch.states[face];
    float* landmarks = of_face(batch.landmarks, face, shape.size);
    transform(block, state.pose, of_face(batch.shape, face, shape.size), scratch.points, shape.landmarks);
    block.wait_fetched();
    const Similarity pose = pose_of(block, model, scratch.points, scratch.sums);
    from_mean(block, model, inverse(pose), scratch.points, scratch.unit);
    copy(block, scratch.points, landmarks, shape.size);
    block.wait();
    parameters_of(block, model, scratch.unit, false, scratch.parts, scratch.parameters);
    block.wait();
    copy(block, scratch.parameters, of_face(batch.parameters, face, shape.modes), shape.modes);
    if (block.thread() == 0) {
      FaceResult result;
      result.pose = pose;
      result.error = values > 0 ? state.error / values : 0;
      result.iterations = state.iterations;
      result.converged = state.converged;
      batch.results[face] = result;
    }
    if (!score) return;
    // the score knows the landmarks as they are written
    const Similarity seen = pose_of(block, model, landmarks, scratch.sums);
    transform(block, inverse(seen), landmarks, of_face(batch.placed, face, shape.size), shape.landmarks);
    if (block.thread() == 0) state.pose = seen;
  }
};

/// The probability of failure and the confidences, from the texture around the landmarks.
template <bool near>
struct ScoreKernel {
  static constexpr int threads = 544;
  ShapeTable shape;
  ScoreTable score;
  FitBatch batch;

  struct Memory {
    ShapeMemory<near> shape;
    double *expected, *errors,
        *overall;  // of each landmark: log of the expected error, the error, what it says of the fit
    double *own_strands, *overall_strands;  // landmarks x strands
    int* below;                             // landmarks x strands: how many have a smaller error
    double* ninth;
    double* sums;  // sum_count x strands
  };
  static constexpr int sum_count = 5;
  template <class Arrays>
  KINEMA_HD Memory memory(Arrays&& arrays) const {
    Memory of{ShapeMemory<near>::in(arrays, shape), {}, {}, {}, {}, {}, {}, {}, {}};
    of.expected = arrays.template take<double>(shape.landmarks);
    of.errors = arrays.template take<double>(shape.landmarks);
    of.overall = arrays.template take<double>(shape.landmarks);
    of.own_strands = arrays.template take<double>(shape_strands * shape.landmarks);
    of.overall_strands = arrays.template take<double>(shape_strands * shape.landmarks);
    of.below = arrays.template take<int>(shape_strands * shape.landmarks);
    of.ninth = arrays.template take<double>(1);
    of.sums = arrays.template take<double>(sum_count * shape_strands);
    return of;
  }
  std::size_t shared_bytes() const {
    return bytes_taken([this](auto& arrays) { memory(arrays); });
  }

  KINEMA_HD static double limited(double x) { return x < -50 ? -50 : 50 < x ? 50 : x; }
  KINEMA_HD static double probability(double x) { return 1 / (1 + std::exp(-x)); }

  template <class Block>
  KINEMA_HD void prepare(Block& block) const {
    ShapeMemory<near>::fetch(block, shape);
  }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y(), count = shape.landmarks;
    if (face >= block.rows()) return;
    const Memory of = memory(SharedArrays(block));
    const ShapeScratch& scratch = of.shape.scratch;
    const double residual = batch.results[face].error;
    expect_errors(block, of_face(batch.rings, face, batch.sizes.ring_values), of);  // which waits
    from_mean(block, of.shape.near, {1, 0, 0, 0}, of_face(batch.placed, face, shape.size), scratch.unit);
    rank(block, of);
    block.wait();
    parameters_of(block, of.shape.near, scratch.unit, false, scratch.parts, scratch.parameters);
    // the ninth decile: the one with that many below it
#pragma unroll 1
    for (int i = block.thread(); i < count; i += block.threads()) {
      int below = 0;
      for (int s = 0; s < shape_strands; ++s) below += of.below[i * shape_strands + s];
      if (below == count * 9 / 10) *of.ninth = of.expected[i];
    }
    block.wait();
#pragma unroll 1
    for (int t = block.thread(); t < sum_count * shape_strands; t += block.threads()) {
      const int which = t / shape_strands, strand = t % shape_strands;
      double sum = 0;
      if (which < 3) {
        const double* from = which == 0 ? of.expected : which == 1 ? of.errors : of.overall;
        for (int i = strand; i < count; i += shape_strands) sum += from[i];
      } else if (which == 3) {
        for (int k = strand; k < shape.modes; k += shape_strands)
          sum += scratch.parameters[k] * scratch.parameters[k] / std::fmax(1e-12, shape.variances[k]);
      } else {
        for (int k = strand; k < score.shape_modes; k += shape_strands)
          sum += static_cast<double>(score.shape_weights[k]) * scratch.parameters[k];
      }
      of.sums[t] = sum;
    }
    block.wait();
    if (block.thread() >= count) return;

    // every thread that has a landmark for itself
    const auto sum = [&of](int which) { return sum_of_shape_strands(of.sums + which * shape_strands); };
    const double n = count;
    const double features[quality_feature_count] = {
        1,
        static_cast<double>(score.overall_error[0]) + sum(2),
        sum(0) / n,
        std::log(sum(1) / n),
        *of.ninth,
        shape.modes > 0 ? std::sqrt(sum(3) / shape.modes) : 0,
        score.residual_variance > 0 && residual > 0 ? std::log(residual / score.residual_variance) : 0};
    double argument = sum(4);
    for (std::size_t k = 0; k < quality_feature_count; ++k)
      argument += static_cast<double>(score.weights[k]) * features[k];
    argument = limited(argument);
    float* confidences = of_face(batch.confidences, face, count);
#pragma unroll 1
    for (int i = block.thread(); i < count; i += block.threads()) {
      const float* w = score.landmark_weights;
      confidences[i] = static_cast<float>(probability(limited(w[0] + w[1] * of.expected[i] + w[2] * argument)));
    }
    if (block.thread() == 0) batch.results[face].failure = probability(argument);
  }

private:
  // What each landmark's texture says of its error and of the whole fit; all threads see it.
  template <class Block>
  KINEMA_HD void expect_errors(Block& block, const float* texture, const Memory& of) const {
#pragma unroll 1
    for (int t = block.thread(); t < shape_strands * shape.landmarks; t += block.threads()) {
      const int i = t / shape_strands;
      const float* row = score.landmark_error + static_cast<std::size_t>(i) * (1 + score.values) + 1;
      const float* all = score.overall_error + 1 + i * score.values;
      const float* values = texture + i * score.values;
      double own = 0, overall = 0;
      struct Products {
        double own, overall;
      };
      in_batches<12>(
          t % shape_strands, score.values, shape_strands,
          [&](int k) {
            return Products{static_cast<double>(row[k]) * values[k], static_cast<double>(all[k]) * values[k]};
          },
          [&](const Products& products, int) { own += products.own, overall += products.overall; });
      of.own_strands[t] = own, of.overall_strands[t] = overall;
    }
    block.wait_fetched();
#pragma unroll 1
    for (int i = block.thread(); i < shape.landmarks; i += block.threads()) {
      const float* row = score.landmark_error + static_cast<std::size_t>(i) * (1 + score.values);
      of.expected[i] = static_cast<double>(row[0]) + sum_of_shape_strands(of.own_strands + i * shape_strands);
      of.errors[i] = std::exp(of.expected[i]);
      of.overall[i] = sum_of_shape_strands(of.overall_strands + i * shape_strands);
    }
    block.wait();
  }

  // How many expected errors are below each, in strands; of equal ones, the first.
  template <class Block>
  KINEMA_HD void rank(Block& block, const Memory& of) const {
#pragma unroll 1
    for (int t = block.thread(); t < shape_strands * shape.landmarks; t += block.threads()) {
      const int i = t / shape_strands;
      const double own = of.expected[i];
      int below = 0;
#pragma unroll 3
      for (int k = t % shape_strands; k < shape.landmarks; k += shape_strands)
        below += of.expected[k] < own || (of.expected[k] == own && k < i);
      of.below[t] = below;
    }
  }
};

}  // namespace kinema::face
