// Where a fit starts, and where its further attempts do.
#pragma once

#include "kinema/face.h"

#include <vector>

namespace kinema::face {

/// Where a fit starts: a pose, and a shape in the model's unit under it: the mean shape unless keep_shape is set.
struct InitialState {
  Similarity pose;
  std::vector<double> shape;
  bool mean = true;
};
InitialState initial_state(const Model& model, const Start& start, double limit);

/// The pose of start `number` of a fit with several: 0 is the pose itself, the others lie around it.
Similarity spread_start(const Model& model, const Similarity& pose, int number);

}  // namespace kinema::face
