// The state of a fast fit: where it starts, where its further attempts do, and the operations that every stage needs.
#pragma once

#include "face/model/texture_sampling.h"
#include "kinema/face.h"

#include <array>
#include <span>
#include <utility>
#include <vector>

namespace kinema::face {

/// The current shape: in the model's unit, under a pose that maps it to the image.
struct FitState {
  Similarity pose;
  std::vector<double> shape;
  bool mean = true;  ///< no stage has changed the shape yet
};

struct StageOutcome {
  double error = 0;  ///< E over the number of values
  int iterations = 0;
  bool converged = false;
  std::vector<double> combined;  ///< c
};

/// Where a fit starts: the mean shape unless keep_shape is set.
FitState initial_state(const Model& model, const Start& start, double limit);

/// The pose of start `number` of a fit with several: 0 is the pose itself, the others lie around it.
Similarity spread_start(const Model& model, const Similarity& pose, int number);

/// Of each triangle of the mean shape: the inverse of the matrix of its two edges from the first corner, row by row; 0 for one
/// without area.
using Matrix2 = std::array<double, 4>;
std::vector<Matrix2> inverse_edges(const Model& model);

/// Sets the pose to that of the shape, so that a frame for it is upright and of the model's size.
void straighten(const Model& model, FitState& state);

/// The state between those in which descents from several starts ended: the median of each coordinate.
FitState median_state(const Model& model, std::span<const FitState> ends);

/// The shape projected on the model: a pose, and s0 + Ps b with b kept within `limit` deviations.
std::vector<double> within_model(const Model& model, std::span<const double> shape, double limit);

/// The source that a level samples from, for shapes under the state's pose, and the similarity that maps those shapes
/// to it, relative to the image's origin.
std::pair<TextureImage, Similarity> texture_image(const Level& level, const GreyView& image, const FitState& state,
                                                  const Threads* threads = nullptr);

/// Landmarks, pose and shape parameters of the fit.
void finish(const Model& model, const FitState& state, Fit& fit);

std::vector<float> placed(const Similarity& t, std::span<const double> shape);

}  // namespace kinema::face
