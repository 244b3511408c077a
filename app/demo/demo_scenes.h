// The demo's points and capsules as seen by its camera.
#pragma once

#include "kinema/camera.h"
#include "report/report.h"

#include <cstddef>
#include <vector>

namespace kinema::app {

/// A point in the camera frame, and its colour value, 0 to 1.
struct ColouredPoint {
  float x = 0, y = 0, z = 0;
  double value = 0;
};

/// Fills box, points and outlines of a scene. Capsules are (count, 7); the scene is cropped to those of `frame`.
void project_scene(const Camera& camera, const std::vector<ColouredPoint>& points, const float* capsules,
                   const float* frame, std::size_t count, report::Scenes::Scene& scene);

}  // namespace kinema::app
