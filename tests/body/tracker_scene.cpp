#include "tracker_scene.h"

#include "body/likelihood/ray_capsule.h"
#include "body/skeleton/rest_poses.h"
#include "core/random.h"

#include <algorithm>
#include <cmath>

namespace kinema::body {
namespace {

constexpr double wall = 4;  // metres away

std::vector<float> skin_of(const Skeleton& skeleton, std::span<const Pose> people) {
  std::vector<float> skin;
  for (const Pose& pose : people) {
    const std::vector<float> own = pose_capsules(skeleton, pose);
    skin.insert(skin.end(), own.begin(), own.end());
  }
  return skin;
}

Vec3 ray_of(const Camera& camera, int u, int v) {
  return {(u - camera.cx) / camera.fx, (v - camera.cy) / camera.fy, 1};
}

// To the nearest skin; infinite where the ray sees past it.
double along(const Vec3& direction, const std::vector<float>& skin) {
  double nearest = INFINITY;
  for (std::size_t k = 0; k < skin.size(); k += capsule_floats) {
    const double t = ray_capsule(direction, load_capsule(&skin[k]));
    if (t > 0) nearest = std::min(nearest, t);
  }
  return nearest;
}

}  // namespace

RefinePoints SeenPoints::refine_points() const {
  RefinePoints points;
  points.set(view());
  return points;
}

SeenPoints see(const Skeleton& skeleton, const Pose& pose, const Camera& camera) {
  return see(skeleton, std::span(&pose, 1), camera);
}

SeenPoints see(const Skeleton& skeleton, std::span<const Pose> people, const Camera& camera) {
  const std::vector<float> skin = skin_of(skeleton, people);
  SeenPoints seen;
  for (int v = 0; v < camera.height; ++v) {
    for (int u = 0; u < camera.width; ++u) {
      const Vec3 ray = ray_of(camera, u, v), direction = (1 / norm(ray)) * ray;
      const double nearest = along(direction, skin);
      const bool past = std::isinf(nearest);
      if (past && (u + v) % 4 != 0) continue;
      const Vec3 point = past ? wall * ray : nearest * direction;
      for (double number : {point.x, point.y, point.z}) seen.xyz.push_back(static_cast<float>(number));
      seen.background.push_back(past ? 1 : 0);
    }
  }
  return seen;
}

DrawnDepth draw(const Skeleton& skeleton, std::span<const Pose> people, const Camera& camera) {
  const std::vector<float> skin = skin_of(skeleton, people);
  DrawnDepth drawn;
  drawn.width = static_cast<std::size_t>(camera.width);
  for (int v = 0; v < camera.height; ++v) {
    for (int u = 0; u < camera.width; ++u) {
      const Vec3 ray = ray_of(camera, u, v), direction = (1 / norm(ray)) * ray;
      drawn.depth.push_back(static_cast<float>(std::min(wall, along(direction, skin) * direction.z)));
    }
  }
  return drawn;
}

SeenPoints noise(std::size_t count) {
  SeenPoints seen;
  for (std::size_t i = 0; i < count; ++i) {
    const Random random{17, 0, static_cast<std::uint32_t>(i)};
    seen.xyz.push_back(static_cast<float>(4 * random.uniform(0) - 2));
    seen.xyz.push_back(static_cast<float>(4 * random.uniform(1) - 2));
    seen.xyz.push_back(static_cast<float>(1 + 4 * random.uniform(2)));
    seen.background.push_back(0);
  }
  return seen;
}

Pose standing(const Skeleton& skeleton, double distance, double facing) {
  Pose pose = rest_pose(skeleton, distance);
  pose.angles = rest_poses(skeleton).front().angles;
  const Quaternion turned = Quaternion{std::cos(facing / 2), 0, std::sin(facing / 2), 0} *
                            Quaternion{pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z};
  pose.rotation = {turned.w, turned.x, turned.y, turned.z};
  return pose;
}

void turn(const Skeleton& skeleton, Pose& pose, std::string_view joint, std::size_t freedom, double angle) {
  std::size_t first = 0;
  for (const Joint& one : skeleton.joints) {
    if (one.name == joint) pose.angles.at(first + freedom) = angle;
    first += one.freedoms.size();
  }
}

Pose walking(const Skeleton& skeleton, double seconds) {
  Pose pose = standing(skeleton, 2.6, 0.5);
  pose.position.x = 0.4 * seconds - 0.1;
  const double swing = 0.45 * std::sin(6 * seconds);
  turn(skeleton, pose, "left_hip", 0, -swing);
  turn(skeleton, pose, "right_hip", 0, swing);
  turn(skeleton, pose, "left_knee", 0, 0.3 + 0.2 * swing);
  turn(skeleton, pose, "right_knee", 0, 0.3 - 0.2 * swing);
  turn(skeleton, pose, "left_shoulder", 0, 0.1 - swing);
  turn(skeleton, pose, "right_shoulder", 0, 0.1 + swing);
  return pose;
}

double distance(const Vec3& a, const Vec3& b) { return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z); }

double mean_error(const std::vector<Vec3>& joints, const std::vector<Vec3>& truth) {
  double sum = 0;
  for (std::size_t j = 0; j < truth.size(); ++j) sum += distance(joints.at(j), truth[j]);
  return sum / static_cast<double>(truth.size());
}

bool within_limits(const Skeleton& skeleton, std::span<const float> state) {
  std::size_t at = root_floats;
  for (const Joint& joint : skeleton.joints) {
    for (const Freedom& freedom : joint.freedoms) {
      const double angle = state[at++];
      constexpr double slack = 1e-6;  // of a limit in single precision
      if (!(angle >= freedom.lower - slack && angle <= freedom.upper + slack)) return false;
    }
  }
  return at == state.size();
}

}  // namespace kinema::body
