// How much of somebody a depth image shows.
#pragma once

#include "kinema/camera.h"
#include "kinema/image.h"
#include "kinema/points.h"

#include <span>

namespace kinema::body {

/// Shares of the skin that faces the camera.
struct Sight {
  double seen = 1;     ///< measured where it is expected, or nothing is measured there
  double hidden = 0;   ///< behind something
  double absent = 0;   ///< the camera sees past it
  double outside = 0;  ///< of the picture
};

/// The share of a person's points where the camera saw farther before: what somebody uncovers did not move.
double moved_share(const PointCloud& person, std::span<const float> before, const Camera& camera);

Sight sight_of(std::span<const float> capsules, ImageView<const float> depth, const Camera& camera);

}  // namespace kinema::body
