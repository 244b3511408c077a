// Settings and prior of the refinement of a pose; see refine.h for the sum in which they appear.
#pragma once

#include "body/constants.h"
#include "body/constants_mechanisms.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace kinema::body {

/// The errors of the points of a frame.
struct PointNoise {
  double deviation = 0;                                          ///< along their rays, besides that of the skin, metres
  double independent = std::numeric_limits<double>::infinity();  ///< the number of them that err independently
  bool projective = false;                                       ///< see RefineSettings
};

struct RefineSettings {
  /// Beyond this distance a point has no weight, metres; further where it has noise.
  double tau = constants::refinement::contact_reach;
  double sigma = constants::refinement::skin_deviation;  ///< standard deviation of a point about the skin
  double noise = 0;        ///< of the sensor, along the ray; distances across the ray do not have it
  double evidence = 0.05;  ///< independent points per point: errors of neighbours are correlated
  /// Weight of a ray that saw past the person relative to that of a point; 0: none.
  double free_space = constants::refinement::free_space_weight;
  int steps = 6;
  bool projective =
      false;  ///< points belong to what their rays meet rather than to what is nearest: projective_distance()

  /// Standard deviation of a point about a skin seen straight on; and the excess of its variance over that of a point
  /// across the ray, relative to the latter.
  double deviation() const { return std::sqrt(sigma * sigma + noise * noise); }
  double noise2() const { return mechanisms::noise_along_rays ? noise * noise / (sigma * sigma) : 0; }

  /// The distance from the skin up to which a point counts.
  double reach() const { return contacts_projective() ? tau : tau * std::sqrt(1 + noise2()); }
  bool contacts_projective() const { return projective && noise2() > 0; }
};

/// The prior of a pose: a predicted state and the precision of each number of its tangent.
struct PosePrior {
  std::vector<float> state;       // state_floats()
  std::vector<double> precision;  // tangent_size()
};

/// A pose that is refined on its own, not as a particle.
struct PoseCandidate {
  std::vector<float> state;  // improved in place
  PosePrior prior;
  double cost = 0;       // of the result, see Refined
  std::size_t size = 0;  // of the person, where several are tried: an index
};

/// Approximate number of a frame's points that are used.
struct PointShare {
  std::size_t person, background;
};

}  // namespace kinema::body
