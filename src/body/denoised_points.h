// Takes the noise of far people down. A sensor's noise grows with the square of the distance, until it is as thick as a body:
// points then no longer say which limb they lie on. But the neighbours of a point see nearly the same piece of skin, and err on
// their own account.
#pragma once

#include "body/refine_settings.h"
#include "kinema/points.h"

#include <vector>

namespace kinema::body {

class DenoisedPoints {
public:
  /// Moves the points of a person at `distance`, along their rays, to the mean of as many neighbours as leave a deviation of
  /// 2 cm, or as there are within a few centimetres. Where the noise is small enough as it is, the points are those
  /// that were given, and nothing is copied. `noise`: standard deviation of a depth at 1 m.
  void set(PointsView points, double noise, double distance);

  PointsView view() const { return view_; }

  /// That is left.
  const PointNoise& noise() const { return noise_; }

private:
  std::vector<float> xyz_;
  PointsView view_;
  PointNoise noise_;
};

}  // namespace kinema::body
