// Fits the lengths and radii of a skeleton to the person in a few frames: the numbers of shape_space.h, with how people
// vary as their prior, jointly with the poses of the frames. Gauss-Newton steps; the poses are eliminated frame by frame
// (Schur complement), so that frames add up.
#pragma once

#include "body/constants.h"
#include "body/refine/refine.h"
#include "body/skeleton/shape_space.h"
#include "core/threads.h"

namespace kinema::body {

struct ShapeFrame {
  RefinePoints points;
  std::vector<float> state;
  RefineSettings refinement;  ///< how points are weighed
};

struct ShapeFit {
  Skeleton skeleton;
  Eigen::VectorXd shape;
  std::vector<std::vector<float>> states;  ///< of the frames, with that skeleton

  /// What the uncertainty of the shape adds to that of each joint's place along an axis, where the pose follows the
  /// points: the mean over the frames, square metres.
  std::vector<double> joint_variance;
};

/// `mean`: the average person of the size that is assumed, and `size_deviation` that of the size. `start`: a shape nearby.
ShapeFit fit_shape(const ShapeSpace& space, const std::vector<ShapeFrame>& frames, const Threads& threads,
                   const Eigen::VectorXd& mean, double size_deviation, const Eigen::VectorXd& start,
                   int steps = constants::shape::shape_steps);

}  // namespace kinema::body
