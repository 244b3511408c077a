#include "app/demo/demo_scenes.h"

#include <algorithm>
#include <cmath>

namespace kinema::app {
namespace {

struct Circle {
  double x = 0, y = 0, r = 0;
};

// A sphere seen from outside. Its outline is an ellipse that is nearly circular close to the camera's axis; a circle of
// its smaller radius is enough for a drawing.
Circle project(const Camera& camera, const float* centre, double radius) {
  const double z = std::max<double>(centre[2], 1e-3);
  return {camera.fx * centre[0] / z + camera.cx, camera.fy * centre[1] / z + camera.cy, camera.fx * radius / z};
}

struct Box {
  double left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
  void include(const Circle& c) {
    left = std::min(left, c.x - c.r);
    top = std::min(top, c.y - c.r);
    right = std::max(right, c.x + c.r);
    bottom = std::max(bottom, c.y + c.r);
  }
  bool contains(const Circle& c) const { return c.x >= left && c.x <= right && c.y >= top && c.y <= bottom; }
};

}  // namespace

void project_scene(const Camera& camera, const std::vector<ColouredPoint>& points, const float* capsules,
                   const float* frame, std::size_t count, report::Scenes::Scene& scene) {
  Box box;
  for (std::size_t k = 0; k < count; ++k) {
    const float* c = frame + k * 7;
    box.include(project(camera, c, c[3]));
    box.include(project(camera, c + 4, c[3]));
  }
  const double margin = 0.05 * std::max(box.right - box.left, box.bottom - box.top);
  box = {box.left - margin, box.top - margin, box.right + margin, box.bottom + margin};
  scene.left = box.left;
  scene.top = box.top;
  scene.width = box.right - box.left;
  scene.height = box.bottom - box.top;

  constexpr double highest_level = report::Scenes::levels - 1;
  for (const ColouredPoint& point : points) {
    const float centre[3] = {point.x, point.y, point.z};
    const Circle at = project(camera, centre, 0);
    if (!box.contains(at)) continue;
    const auto level = static_cast<std::size_t>(std::lround(std::clamp(point.value, 0.0, 1.0) * highest_level));
    scene.points[level].emplace_back(at.x, at.y);
  }
  for (std::size_t k = 0; k < count; ++k) {
    const float* c = capsules + k * 7;
    const Circle a = project(camera, c, c[3]), b = project(camera, c + 4, c[3]);
    scene.outlines.push_back({a.x, a.y, a.r, b.x, b.y, b.r});
  }
}

}  // namespace kinema::app
