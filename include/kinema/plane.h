// A plane of the scene, such as the floor. Metres; camera frame x right, y down, z forward.
#pragma once

#include "kinema/points.h"

namespace kinema::body {

/// All p with normal . p + offset = 0. The unit normal points to the camera's side, so `offset` is the camera's
/// distance, and normal . p + offset the height of a point above a floor.
struct Plane {
  Vec3 normal;
  double offset = 0;
  bool floor = false;  ///< else a wall, or the ceiling
};

}  // namespace kinema::body
