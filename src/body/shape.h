// Fits the lengths and radii of a skeleton to the person in a few frames.
//
// Two numbers a joint, shared by left and right: the logarithm of the scale of its bones (offsets of the joints below it
// and ends of its capsules) and of the radii of its capsules. All are found together with the poses of the frames by
// Gauss-Newton steps; the poses are eliminated frame by frame (Schur complement), so that frames add up.
#pragma once

#include "body/refine.h"
#include "core/threads.h"

namespace kinema::body {

struct ShapeFrame {
  RefinePoints points;
  std::vector<float> state;
};

struct ShapeSettings {
  double size_deviation = 0.08;    ///< of the whole person, relative
  double length_deviation = 0.04;  ///< of one bone against the whole
  double radius_deviation = 0.1;   ///< of the radii of one joint
  int steps = 6;
};

struct ShapeFit {
  Skeleton skeleton;
  std::vector<std::vector<float>> states;  // of the frames, with that skeleton
};

ShapeFit fit_shape(const Skeleton& skeleton, const std::vector<ShapeFrame>& frames, const Threads& threads,
                   const ShapeSettings& settings = {});

}  // namespace kinema::body
