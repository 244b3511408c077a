#include "bench/body/tracker_problem.h"

#include "body/likelihood/ray_capsule.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace kinema::bench {
namespace {

constexpr double wall = 4;      // metres
constexpr double ground = 1.1;  // below the camera, metres

void turn(const body::Skeleton& skeleton, std::string_view joint, std::size_t freedom, double angle, body::Pose& pose) {
  std::size_t at = 0;
  for (const body::Joint& own : skeleton.joints) {
    if (own.name == joint && freedom < own.freedoms.size()) {
      const body::Freedom& limits = own.freedoms[freedom];
      pose.angles[at + freedom] = std::clamp(angle, limits.lower, limits.upper);
    }
    at += own.freedoms.size();
  }
}

// The pixels from a capsule's first to its last, along one axis of the image.
struct Span {
  int first, last;
};
Span span_of(double a, double za, double b, double zb, double r, double focal_length, double centre, int size) {
  double low = INFINITY, high = -INFINITY;
  for (const double nearest : {za - r, zb - r, za + r, zb + r}) {
    const double z = std::max(nearest, 0.05);
    low = std::min({low, (std::min(a, b) - r) / z});
    high = std::max({high, (std::max(a, b) + r) / z});
  }
  return {static_cast<int>(std::clamp(focal_length * low + centre, 0.0, size - 1.0)),
          static_cast<int>(std::clamp(focal_length * high + centre + 1, 0.0, size - 1.0))};
}

// The ray of a pixel.
Vec3 direction(const Camera& camera, int u, int v) {
  const Vec3 d{(u - camera.cx) / camera.fx, (v - camera.cy) / camera.fy, 1};
  return (1 / norm(d)) * d;
}

std::size_t pixel(const Camera& camera, int u, int v) {
  return static_cast<std::size_t>(v) * static_cast<std::size_t>(camera.width) + static_cast<std::size_t>(u);
}

// The distance of the skin along the ray of each pixel; infinite where a ray misses it.
std::vector<double> cast_skin(const body::Skeleton& skeleton, const body::Pose& pose, const Camera& camera) {
  const std::vector<float> capsules = body::pose_capsules(skeleton, pose);
  std::vector<double> range(static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height), INFINITY);
  for (std::size_t k = 0; k < skeleton.capsules.size(); ++k) {
    const body::CapsuleExact c = body::load_capsule(&capsules[k * body::capsule_floats]);
    const Span across = span_of(c.a.x, c.a.z, c.b.x, c.b.z, c.r, camera.fx, camera.cx, camera.width);
    const Span down = span_of(c.a.y, c.a.z, c.b.y, c.b.z, c.r, camera.fy, camera.cy, camera.height);
    for (int v = down.first; v <= down.last; ++v) {
      for (int u = across.first; u <= across.last; ++u) {
        const double t = body::ray_capsule(direction(camera, u, v), c);
        double& nearest = range[pixel(camera, u, v)];
        if (t > 0) nearest = std::min(nearest, t);
      }
    }
  }
  return range;
}

}  // namespace

Camera person_camera(int width, int height, double focal_length) {
  return {width, height, focal_length, focal_length, (width - 1) / 2.0, (height - 1) / 2.0};
}

body::Pose walking_pose(const body::Skeleton& skeleton, double phase) {
  body::Pose pose = body::rest_pose(skeleton);
  const double swing = std::sin(phase);
  pose.position.x += 0.04 * swing;
  pose.position.y += 0.1 + 0.015 * std::cos(2 * phase);
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0 ? "left" : "right";
    turn(skeleton, name + "_shoulder", 1, -1.3, pose);
    turn(skeleton, name + "_shoulder", 0, 0.3 - 0.4 * side * swing, pose);
    turn(skeleton, name + "_elbow", 0, 0.5 - 0.2 * side * swing, pose);
    turn(skeleton, name + "_hip", 0, -0.1 - 0.35 * side * swing, pose);
    turn(skeleton, name + "_knee", 0, 0.35 + 0.25 * side * std::cos(phase), pose);
  }
  turn(skeleton, "lower_back", 2, 0.1 * swing, pose);
  return pose;
}

SeenPerson see_person(const body::Skeleton& skeleton, const body::Pose& pose, const Camera& camera, double noise,
                      std::size_t background, std::uint64_t seed) {
  const std::vector<double> range = cast_skin(skeleton, pose, camera);
  SeenPerson seen;
  seen.person =
      static_cast<std::size_t>(std::count_if(range.begin(), range.end(), [](double t) { return std::isfinite(t); }));
  const std::size_t step = background == 0 ? 0 : std::max<std::size_t>(1, (range.size() - seen.person) / background);
  std::size_t missed = 0;
  for (int v = 0; v < camera.height; ++v) {
    for (int u = 0; u < camera.width; ++u) {
      double t = range[pixel(camera, u, v)];
      const bool past = !std::isfinite(t);
      if (past && (step == 0 || missed++ % step != 0)) continue;
      const Vec3 d = direction(camera, u, v);
      const Random random{seed, 0, static_cast<std::uint32_t>(pixel(camera, u, v))};
      t = (past ? wall / d.z : t) + noise * random.normal(0);
      for (const double number : {t * d.x, t * d.y, t * d.z}) seen.points.push_back(static_cast<float>(number));
      seen.background.push_back(past ? 1 : 0);
    }
  }
  return seen;
}

DepthImage see_room(const body::Skeleton& skeleton, const body::Pose& pose, const Camera& camera, double noise,
                    std::uint64_t seed) {
  const std::vector<double> range = cast_skin(skeleton, pose, camera);
  DepthImage depth(range.size());
  for (int v = 0; v < camera.height; ++v) {
    for (int u = 0; u < camera.width; ++u) {
      const std::size_t at = pixel(camera, u, v);
      const Vec3 d = direction(camera, u, v);
      double t = std::min(range[at], wall / d.z);
      if (d.y > 0) t = std::min(t, ground / d.y);
      const Random random{seed, 0, static_cast<std::uint32_t>(at)};
      depth[at] = static_cast<float>((t + noise * random.normal(0)) * d.z);
    }
  }
  return depth;
}

}  // namespace kinema::bench
