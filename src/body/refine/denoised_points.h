// Averages the points of distant people. A sensor's noise grows with the square of the distance, until it exceeds the
// thickness of a body: points then no longer tell which limb they lie on. The neighbours of a point measure nearly the
// same piece of skin, with independent errors.
#pragma once

#include "body/refine/refine_settings.h"
#include "kinema/points.h"

#include <vector>

namespace kinema::body {

class DenoisedPoints {
public:
  /// Moves the points of a person at `distance` along their rays to the mean of as many neighbours as reduce the
  /// deviation to 2 cm, or as there are within a few centimetres. Where the noise is already lower, returns the given
  /// points without a copy, and so where points have deviations of their own: those of matched pairs share their errors with
  /// their neighbours, which noise() says. `noise`: standard deviation of a depth at 1 m.
  void set(PointsView points, double noise, double distance);

  PointsView view() const { return view_; }

  /// The remaining noise.
  const PointNoise& noise() const { return noise_; }

private:
  std::vector<float> xyz_;
  PointsView view_;
  PointNoise noise_;
};

}  // namespace kinema::body
