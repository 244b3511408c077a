// Fits the lengths and radii of a skeleton to the person in a few frames.
//
// Two numbers per joint, shared by left and right: the logarithm of the scale of its bones (offsets of its child joints
// and ends of its capsules) and of the radii of its capsules; and one more for joints in the middle of the body, of its
// width relative to its length, since tall people need not have broad hips. All are estimated jointly with the poses of
// the frames by Gauss-Newton steps; the poses are eliminated frame by frame (Schur complement), so that frames add up.
#pragma once

#include "body/constants.h"
#include "body/refine.h"
#include "core/threads.h"

namespace kinema::body {

struct ShapeFrame {
  RefinePoints points;
  std::vector<float> state;
  RefineSettings refinement;  ///< how points are weighed
};

/// How people differ from the skeleton, relative to it.
struct ShapeSettings {
  double size_deviation = constants::shape::size_deviation;      ///< of the whole person
  double length_deviation = constants::shape::length_deviation;  ///< of one bone relative to the whole
  double width_deviation = constants::shape::width_deviation;    ///< of the trunk at one joint, and of clavicles
  double radius_deviation = constants::shape::radius_deviation;  ///< of the radii of one joint
  int steps = constants::shape::shape_steps;
};

/// The shape of a person who is the skeleton scaled.
std::vector<double> shape_of_size(const Skeleton& skeleton, double size);

struct ShapeFit {
  Skeleton skeleton;
  std::vector<double> shape;               // relative to the given skeleton
  std::vector<std::vector<float>> states;  // of the frames, with that skeleton
};

/// `start`: a shape nearby; empty: that of the skeleton. It does not move the prior.
ShapeFit fit_shape(const Skeleton& skeleton, const std::vector<ShapeFrame>& frames, const Threads& threads,
                   std::vector<double> start = {}, const ShapeSettings& settings = {});

}  // namespace kinema::body
