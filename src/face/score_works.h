// The end of a fit by blocks of threads: landmarks and parameters, and the score of quality.cpp.
#pragma once

#include "face/shape_works.h"

#include <cmath>

namespace kinema::face {

/// Landmarks, pose and shape parameters; then the pose and the shape in which the score looks at them.
template <bool near>
struct FinishWork {
  static constexpr int threads = 160;
  ShapeTable shape;
  double values;  ///< of the last stage's texture; 0: it has no error
  bool score;
  FitBatch batch;

  KINEMA_HD const int* rows() const { return batch.count; }

  std::size_t shared_bytes() const { return ShapeMemory<near>::bytes(shape); }

  template <class Block>
  KINEMA_HD void prepare(Block& block) const {
    ShapeMemory<near>::fetch(block, shape);
  }

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
struct ScoreWork {
  static constexpr int threads = 544;
  ShapeTable shape;
  ScoreTable score;
  FitBatch batch;

  KINEMA_HD const int* rows() const { return batch.count; }

  // Of shared memory: what is known of each landmark, and sums in strands.
  struct Scratch {
    double* expected;  // log of the expected error
    double *errors, *overall, *unit, *parameters, *parts, *own_strands, *overall_strands, *sums, *ninth;
  };

  std::size_t shared_bytes() const {
    return 3 * shared_size<double>(shape.landmarks) + shared_size<double>(shape.size) +
           shared_size<double>(shape.modes) + shared_size<double>(shape_strands * shape.modes) +
           2 * shared_size<double>(shape_strands * shape.landmarks) + shared_size<double>(4 * shape_strands) +
           shared_size<double>(1);
  }

  KINEMA_HD static double limited(double x) { return x < -50 ? -50 : 50 < x ? 50 : x; }
  KINEMA_HD static double probability(double x) { return 1 / (1 + std::exp(-x)); }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y(), count = shape.landmarks;
    if (face >= block.rows()) return;
    const Scratch scratch = scratch_of(block);
    from_mean(block, shape, {1, 0, 0, 0}, of_face(batch.placed, face, shape.size), scratch.unit);
    expect_errors(block, of_face(batch.rings, face, batch.sizes.ring_values), scratch);
    parameters_of(block, shape, scratch.unit, false, scratch.parts, scratch.parameters);
    // the ninth decile: the one with that many below it
    const double* expected = scratch.expected;
#pragma unroll 1
    for (int i = block.thread(); i < count; i += block.threads()) {
      int below = 0;
#pragma unroll 8
      for (int k = 0; k < count; ++k) below += expected[k] < expected[i] || (expected[k] == expected[i] && k < i);
      if (below == count * 9 / 10) *scratch.ninth = expected[i];
    }
    block.wait();
#pragma unroll 1
    for (int t = block.thread(); t < 4 * shape_strands; t += block.threads()) {
      const int which = t / shape_strands, strand = t % shape_strands;
      double sum = 0;
      if (which < 3) {
        const double* of = which == 0 ? scratch.expected : which == 1 ? scratch.errors : scratch.overall;
        sum = sum_in_batches<9>(strand, count, shape_strands, [&](int i) { return of[i]; });
      } else {
        for (int k = strand; k < shape.modes; k += shape_strands)
          sum += scratch.parameters[k] * scratch.parameters[k] / std::fmax(1e-12, shape.variances[k]);
      }
      scratch.sums[t] = sum;
    }
    block.wait();

    // every thread for itself
    const auto sum = [&scratch](int which) { return sum_of_shape_strands(scratch.sums + which * shape_strands); };
    const double error = batch.results[face].error, n = count;
    const double features[quality_feature_count] = {
        1,
        static_cast<double>(score.overall_error[0]) + sum(2),
        sum(0) / n,
        std::log(sum(1) / n),
        *scratch.ninth,
        shape.modes > 0 ? std::sqrt(sum(3) / shape.modes) : 0,
        score.residual_variance > 0 && error > 0 ? std::log(error / score.residual_variance) : 0};
    double argument = 0;
    for (std::size_t k = 0; k < quality_feature_count; ++k)
      argument += static_cast<double>(score.weights[k]) * features[k];
    argument = limited(argument);
    float* confidences = of_face(batch.confidences, face, count);
#pragma unroll 1
    for (int i = block.thread(); i < count; i += block.threads()) {
      const float* w = score.landmark_weights;
      confidences[i] = static_cast<float>(probability(limited(w[0] + w[1] * expected[i] + w[2] * argument)));
    }
    block.wait();  // all threads have read the error
    if (block.thread() == 0) batch.results[face].failure = probability(argument);
  }

private:
  template <class Block>
  KINEMA_HD Scratch scratch_of(Block& block) const {
    std::size_t from = 0;
    const auto take = [&](int size) {
      auto* array = block.template shared<double>(from);
      from += shared_size<double>(size);
      return array;
    };
    Scratch scratch{};
    scratch.expected = take(shape.landmarks), scratch.errors = take(shape.landmarks);
    scratch.overall = take(shape.landmarks), scratch.unit = take(shape.size);
    scratch.parameters = take(shape.modes), scratch.parts = take(shape_strands * shape.modes);
    scratch.own_strands = take(shape_strands * shape.landmarks);
    scratch.overall_strands = take(shape_strands * shape.landmarks);
    scratch.sums = take(4 * shape_strands), scratch.ninth = take(1);
    return scratch;
  }

  // What each landmark's texture says of its error and of the whole fit; all threads see it.
  template <class Block>
  KINEMA_HD void expect_errors(Block& block, const float* texture, const Scratch& scratch) const {
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
      in_batches<6>(
          t % shape_strands, score.values, shape_strands,
          [&](int k) {
            return Products{static_cast<double>(row[k]) * values[k], static_cast<double>(all[k]) * values[k]};
          },
          [&](const Products& of, int) { own += of.own, overall += of.overall; });
      scratch.own_strands[t] = own, scratch.overall_strands[t] = overall;
    }
    block.wait();
#pragma unroll 1
    for (int i = block.thread(); i < shape.landmarks; i += block.threads()) {
      const float* row = score.landmark_error + static_cast<std::size_t>(i) * (1 + score.values);
      scratch.expected[i] = static_cast<double>(row[0]) + sum_of_shape_strands(scratch.own_strands + i * shape_strands);
      scratch.errors[i] = std::exp(scratch.expected[i]);
      scratch.overall[i] = sum_of_shape_strands(scratch.overall_strands + i * shape_strands);
    }
    block.wait();
  }
};

}  // namespace kinema::face
