// The end of a fit by blocks of threads: landmarks and parameters, and the score of quality.cpp.
#pragma once

#include "face/shape_works.h"

#include <cmath>

namespace kinema::face {

/// Landmarks, pose and shape parameters; then the pose and the shape in which the score looks at them.
struct FinishWork {
  static constexpr int threads = 160;
  ShapeTable shape;
  double values;  ///< of the last stage's texture; 0: it has no error
  bool score;
  FitBatch batch;

  std::size_t shared_bytes() const { return ShapeScratch::bytes(shape); }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y();
    if (face >= *batch.count) return;
    const ShapeScratch scratch = ShapeScratch::in(block, shape);
    FaceState& state = batch.states[face];
    float* landmarks = of_face(batch.landmarks, face, shape.size);
    transform(block, state.pose, of_face(batch.shape, face, shape.size), scratch.points, shape.landmarks);
    block.wait();
    const Similarity pose = pose_of(block, shape, scratch.points, scratch.sums);
    transform(block, inverse(pose), scratch.points, scratch.unit, shape.landmarks);
    copy(block, scratch.points, landmarks, shape.size);
    block.wait();
    parameters_of(block, shape, scratch.unit, false, scratch.parameters);
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
    const Similarity seen = pose_of(block, shape, landmarks, scratch.sums);
    transform(block, inverse(seen), landmarks, of_face(batch.placed, face, shape.size), shape.landmarks);
    if (block.thread() == 0) state.pose = seen;
  }
};

/// The probability of failure and the confidences, from the texture around the landmarks.
struct ScoreWork {
  static constexpr int threads = 128;
  ShapeTable shape;
  ScoreTable score;
  FitBatch batch;

  std::size_t shared_bytes() const {
    return 3 * shared_size<double>(shape.landmarks) + shared_size<double>(shape.modes) +
           shared_size<double>(shape.size) + shared_size<double>(4);
  }

  KINEMA_HD static double limited(double x) { return x < -50 ? -50 : 50 < x ? 50 : x; }
  KINEMA_HD static double probability(double x) { return 1 / (1 + std::exp(-x)); }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y(), count = shape.landmarks;
    if (face >= *batch.count) return;
    std::size_t from = 0;
    auto* expected = block.template shared<double>(from);  // log of the expected error of each landmark
    from += shared_size<double>(count);
    auto* errors = block.template shared<double>(from);
    from += shared_size<double>(count);
    auto* overall_parts = block.template shared<double>(from);
    from += shared_size<double>(count);
    auto* parameters = block.template shared<double>(from);
    from += shared_size<double>(shape.modes);
    auto* unit = block.template shared<double>(from);
    from += shared_size<double>(shape.size);
    auto* ninth = block.template shared<double>(from);
    const float* texture = of_face(batch.rings, face, batch.sizes.ring_values);
    copy(block, of_face(batch.placed, face, shape.size), unit, shape.size);
    for (int i = block.thread(); i < count; i += block.threads()) {
      const float* row = score.landmark_error + static_cast<std::size_t>(i) * (1 + score.values);
      const float* all = score.overall_error + 1 + i * score.values;
      const float* values = texture + i * score.values;
      double own = 0, overall = 0;
#pragma unroll 8
      for (int k = 0; k < score.values; ++k) {
        own += static_cast<double>(row[1 + k]) * values[k];
        overall += static_cast<double>(all[k]) * values[k];
      }
      expected[i] = static_cast<double>(row[0]) + own;
      errors[i] = std::exp(expected[i]);
      overall_parts[i] = overall;
    }
    block.wait();
    parameters_of(block, shape, unit, false, parameters);
    // the ninth decile: the one with that many below it
    for (int i = block.thread(); i < count; i += block.threads()) {
      int below = 0;
      for (int k = 0; k < count; ++k) below += expected[k] < expected[i] || (expected[k] == expected[i] && k < i);
      if (below == count * 9 / 10) *ninth = expected[i];
    }
    block.wait();

    // every thread for itself
    double sum = 0, of_errors = 0, overall = static_cast<double>(score.overall_error[0]), square = 0;
    for (int i = 0; i < count; ++i) sum += expected[i], of_errors += errors[i], overall += overall_parts[i];
    for (int k = 0; k < shape.modes; ++k)
      square += parameters[k] * parameters[k] / std::fmax(1e-12, shape.variances[k]);
    const double error = batch.results[face].error, n = count;
    const double features[quality_feature_count] = {
        1,
        overall,
        sum / n,
        std::log(of_errors / n),
        *ninth,
        shape.modes > 0 ? std::sqrt(square / shape.modes) : 0,
        score.residual_variance > 0 && error > 0 ? std::log(error / score.residual_variance) : 0};
    double argument = 0;
    for (std::size_t k = 0; k < quality_feature_count; ++k)
      argument += static_cast<double>(score.weights[k]) * features[k];
    argument = limited(argument);
    float* confidences = of_face(batch.confidences, face, count);
    for (int i = block.thread(); i < count; i += block.threads()) {
      const float* w = score.landmark_weights;
      confidences[i] = static_cast<float>(probability(limited(w[0] + w[1] * expected[i] + w[2] * argument)));
    }
    block.wait();  // all threads have read the error
    if (block.thread() == 0) batch.results[face].failure = probability(argument);
  }
};

}  // namespace kinema::face
