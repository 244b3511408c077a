// Averages the points of far people. A sensor's noise grows with the square of the distance, until it exceeds the
// thickness of a body: points then no longer say which limb they lie on. The neighbours of a point see nearly the same
// piece of skin, with independent errors.
#pragma once

#include "body/refine_settings.h"
#include "kinema/points.h"

#include <vector>

namespace kinema::body {

class DenoisedPoints {
public:
  /// Moves the points of a person at `distance` along their rays to the mean of as many neighbours as leave a deviation of
  /// 2 cm, or as there are within a few centimetres. Where the noise is below that already, the points are those given, and
  /// nothing is copied. `noise`: standard deviation of a depth at 1 m.
  void set(PointsView points, double noise, double distance);

  PointsView view() const { return view_; }

  /// The noise that is left.
  const PointNoise& noise() const { return noise_; }

private:
  std::vector<float> xyz_;
  PointsView view_;
  PointNoise noise_;
};

}  // namespace kinema::body
