#include "bench/body/body_problem.h"

#include "body/likelihood/ray_capsule.h"
#include "core/random.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kinema::bench {
namespace {

// the person: joints with an offset from their parent, in metres, y down, left is the person's left (camera's right)
enum Joint {
  pelvis,
  spine,
  chest,
  neck,
  head,
  l_clavicle,
  l_shoulder,
  l_elbow,
  l_wrist,
  r_clavicle,
  r_shoulder,
  r_elbow,
  r_wrist,
  l_hip,
  l_knee,
  l_ankle,
  r_hip,
  r_knee,
  r_ankle,
  joint_count
};

struct JointAt {
  Joint parent;
  Vec3 offset;
};

constexpr std::array<JointAt, joint_count> joints = {{
    {pelvis, {0, 0, 0}},        {pelvis, {0, -0.12, 0}},    {spine, {0, -0.20, 0}},      {chest, {0, -0.22, 0}},
    {neck, {0, -0.10, 0}},      {chest, {0.04, -0.17, 0}},  {l_clavicle, {0.15, 0, 0}},  {l_shoulder, {0, 0.29, 0}},
    {l_elbow, {0, 0.26, 0}},    {chest, {-0.04, -0.17, 0}}, {r_clavicle, {-0.15, 0, 0}}, {r_shoulder, {0, 0.29, 0}},
    {r_elbow, {0, 0.26, 0}},    {pelvis, {0.10, 0.05, 0}},  {l_hip, {0, 0.43, 0}},       {l_knee, {0, 0.42, 0}},
    {pelvis, {-0.10, 0.05, 0}}, {r_hip, {0, 0.43, 0}},      {r_knee, {0, 0.42, 0}},
}};

struct Bone {
  Joint joint;
  Vec3 a, b;
  double r;
};

constexpr std::array<Bone, person_capsules> bones = {{
    // trunk, neck and head
    {pelvis, {-0.08, 0.03, 0}, {0.08, 0.03, 0}, 0.105},
    {pelvis, {-0.06, -0.06, 0}, {0.06, -0.06, 0}, 0.100},
    {spine, {-0.05, -0.02, 0}, {0.05, -0.02, 0}, 0.100},
    {spine, {-0.06, -0.06, 0}, {-0.06, -0.18, 0}, 0.090},
    {spine, {0.06, -0.06, 0}, {0.06, -0.18, 0}, 0.090},
    {chest, {-0.07, -0.02, 0}, {-0.08, -0.12, 0}, 0.100},
    {chest, {0.07, -0.02, 0}, {0.08, -0.12, 0}, 0.100},
    {chest, {-0.06, -0.06, 0.01}, {0.06, -0.06, 0.01}, 0.105},
    {chest, {-0.09, -0.15, 0.01}, {0.09, -0.15, 0.01}, 0.075},
    {neck, {0, 0, 0}, {0, -0.09, 0}, 0.055},
    {head, {0, -0.06, 0}, {0, -0.14, 0}, 0.085},
    {head, {0, -0.02, -0.03}, {0, -0.06, -0.04}, 0.060},
    // left arm and hand
    {l_clavicle, {0, 0, 0}, {0.15, 0.01, 0}, 0.055},
    {l_shoulder, {0, 0.01, 0}, {0, 0.15, 0}, 0.050},
    {l_shoulder, {0, 0.15, 0}, {0, 0.28, 0}, 0.044},
    {l_elbow, {0, 0, 0}, {0, 0.13, 0}, 0.040},
    {l_elbow, {0, 0.13, 0}, {0, 0.25, 0}, 0.032},
    {l_wrist, {0, 0.01, 0}, {0, 0.08, 0}, 0.032},
    {l_wrist, {0.018, 0.09, 0}, {0.018, 0.16, -0.01}, 0.016},
    {l_wrist, {-0.018, 0.09, 0}, {-0.018, 0.15, -0.01}, 0.016},
    {l_wrist, {-0.035, 0.03, -0.01}, {-0.055, 0.09, -0.02}, 0.014},
    // right arm and hand
    {r_clavicle, {0, 0, 0}, {-0.15, 0.01, 0}, 0.055},
    {r_shoulder, {0, 0.01, 0}, {0, 0.15, 0}, 0.050},
    {r_shoulder, {0, 0.15, 0}, {0, 0.28, 0}, 0.044},
    {r_elbow, {0, 0, 0}, {0, 0.13, 0}, 0.040},
    {r_elbow, {0, 0.13, 0}, {0, 0.25, 0}, 0.032},
    {r_wrist, {0, 0.01, 0}, {0, 0.08, 0}, 0.032},
    {r_wrist, {-0.018, 0.09, 0}, {-0.018, 0.16, -0.01}, 0.016},
    {r_wrist, {0.018, 0.09, 0}, {0.018, 0.15, -0.01}, 0.016},
    {r_wrist, {0.035, 0.03, -0.01}, {0.055, 0.09, -0.02}, 0.014},
    // left leg and foot
    {l_hip, {0, 0, 0}, {0, 0.15, 0}, 0.085},
    {l_hip, {0, 0.15, 0}, {0, 0.29, 0}, 0.072},
    {l_hip, {0, 0.29, 0}, {0, 0.42, 0}, 0.060},
    {l_knee, {0, 0, 0}, {0, 0.14, 0}, 0.058},
    {l_knee, {0, 0.14, 0}, {0, 0.28, 0}, 0.052},
    {l_knee, {0, 0.28, 0}, {0, 0.41, 0}, 0.042},
    {l_ankle, {0, 0.02, 0.03}, {0, 0.03, -0.04}, 0.040},
    {l_ankle, {0, 0.04, -0.02}, {0.01, 0.05, -0.12}, 0.035},
    {l_ankle, {0.01, 0.05, -0.12}, {0.02, 0.055, -0.17}, 0.028},
    // right leg and foot
    {r_hip, {0, 0, 0}, {0, 0.15, 0}, 0.085},
    {r_hip, {0, 0.15, 0}, {0, 0.29, 0}, 0.072},
    {r_hip, {0, 0.29, 0}, {0, 0.42, 0}, 0.060},
    {r_knee, {0, 0, 0}, {0, 0.14, 0}, 0.058},
    {r_knee, {0, 0.14, 0}, {0, 0.28, 0}, 0.052},
    {r_knee, {0, 0.28, 0}, {0, 0.41, 0}, 0.042},
    {r_ankle, {0, 0.02, 0.03}, {0, 0.03, -0.04}, 0.040},
    {r_ankle, {0, 0.04, -0.02}, {-0.01, 0.05, -0.12}, 0.035},
    {r_ankle, {-0.01, 0.05, -0.12}, {-0.02, 0.055, -0.17}, 0.028},
}};

struct Rotation {
  Vec3 x, y, z;  // columns
};

Vec3 rotate(const Rotation& R, Vec3 v) { return v.x * R.x + v.y * R.y + v.z * R.z; }

// Rodrigues' formula, column by column
Rotation rotation_about(Vec3 w) {
  const double angle = norm(w);
  if (angle < 1e-12) return {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const Vec3 n = (1 / angle) * w;
  const auto turn = [&](Vec3 v) {
    return std::cos(angle) * v + std::sin(angle) * cross(n, v) + ((1 - std::cos(angle)) * dot(n, v)) * n;
  };
  return {turn({1, 0, 0}), turn({0, 1, 0}), turn({0, 0, 1})};
}

using StickPose = std::array<Vec3, joint_count>;  // rotation vectors

StickPose stick_walk() {
  StickPose pose{};
  pose[pelvis] = {0, 0.35, 0};
  pose[l_shoulder] = {0.45, 0, -0.25};
  pose[r_shoulder] = {-0.35, 0, 0.30};
  pose[l_elbow] = {-0.6, 0, 0};
  pose[r_elbow] = {-0.9, 0, 0};
  pose[l_hip] = {-0.40, 0, -0.06};
  pose[r_hip] = {0.25, 0, 0.06};
  pose[l_knee] = {0.35, 0, 0};
  pose[r_knee] = {0.50, 0, 0};
  return pose;
}

void place_capsules(const StickPose& pose, Vec3 root, float* out) {
  std::array<Rotation, joint_count> R;
  std::array<Vec3, joint_count> at;
  R[pelvis] = rotation_about(pose[pelvis]);
  at[pelvis] = root;
  for (int j = 1; j < joint_count; ++j) {
    const Joint parent = joints[j].parent;
    const Rotation local = rotation_about(pose[j]);
    R[j] = {rotate(R[parent], local.x), rotate(R[parent], local.y), rotate(R[parent], local.z)};
    at[j] = at[parent] + rotate(R[parent], joints[j].offset);
  }
  for (const Bone& bone : bones) {
    const Vec3 a = at[bone.joint] + rotate(R[bone.joint], bone.a);
    const Vec3 b = at[bone.joint] + rotate(R[bone.joint], bone.b);
    for (double value : {a.x, a.y, a.z, bone.r, b.x, b.y, b.z}) *out++ = static_cast<float>(value);
  }
}

// the depth at which the ray through a pixel meets the person; below 0 if it does not
double first_hit(const std::vector<body::CapsuleExact>& person, Vec3 v) {
  double nearest = -1;
  for (const auto& capsule : person) {
    const double t = body::ray_capsule(v, capsule);
    if (t > 0 && (nearest < 0 || t < nearest)) nearest = t;
  }
  return nearest;
}

Vec3 pixel_direction(const Camera& camera, double u, double v) {
  const Vec3 d{(u - camera.cx) / camera.fx, (v - camera.cy) / camera.fy, 1};
  return (1 / norm(d)) * d;
}

// a camera that just holds the person, who covers about `pixels` of its pixels
Camera camera_for(const std::vector<body::CapsuleExact>& person, double pixels) {
  const auto with_focal_length = [](double f) {
    const int width = static_cast<int>(std::ceil(f * 0.62)), height = static_cast<int>(std::ceil(f * 0.92));
    return Camera{width, height, f, f, (width - 1) / 2.0, (height - 1) / 2.0};
  };
  const Camera coarse = with_focal_length(200);
  std::size_t hits = 0;
  for (int v = 0; v < coarse.height; ++v)
    for (int u = 0; u < coarse.width; ++u) hits += first_hit(person, pixel_direction(coarse, u, v)) > 0;
  return with_focal_length(200 * std::sqrt(pixels / static_cast<double>(hits)));
}

}  // namespace

BodyProblem make_body_problem(std::size_t points, std::size_t samples, std::uint64_t seed) {
  BodyProblem problem;
  const Vec3 root{0.02, 0.0, 2.5};
  const StickPose truth = stick_walk();

  // poses: the true one, then ones displaced like those of a particle filter
  constexpr double angle_noise = 0.08, position_noise = 0.02;
  constexpr std::size_t row = person_capsules * 7;
  problem.capsules.resize(std::max<std::size_t>(samples, 1) * row);
  for (std::size_t j = 0; j < std::max<std::size_t>(samples, 1); ++j) {
    StickPose pose = truth;
    Vec3 at = root;
    if (j > 0) {
      const Random random{seed, 0, static_cast<std::uint32_t>(j)};
      std::uint32_t d = 0;
      for (Vec3& w : pose) {
        w.x += angle_noise * random.normal(d++);
        w.y += angle_noise * random.normal(d++);
        w.z += angle_noise * random.normal(d++);
      }
      at.x += position_noise * random.normal(d++);
      at.y += position_noise * random.normal(d++);
      at.z += position_noise * random.normal(d++);
    }
    place_capsules(pose, at, &problem.capsules[j * row]);
  }

  std::vector<body::CapsuleExact> person;
  for (std::size_t k = 0; k < person_capsules; ++k) person.push_back(body::load_capsule(&problem.capsules[k * 7]));

  // a frame with somewhat more pixels than points; they are thinned evenly, in scan order
  constexpr double outlier_share = 0.05;
  const auto wanted = static_cast<double>(points);
  problem.camera = camera_for(person, 1.1 * wanted + 64);
  std::vector<Vec3> seen;
  for (int v = 0; v < problem.camera.height; ++v) {
    for (int u = 0; u < problem.camera.width; ++u) {
      const Vec3 direction = pixel_direction(problem.camera, u, v);
      const double t = first_hit(person, direction);
      if (t > 0) seen.push_back(t * direction);
    }
  }
  problem.points.reserve(points * 3);
  for (std::size_t i = 0; i < points; ++i) {
    const Random random{seed, 1, static_cast<std::uint32_t>(i)};
    Vec3 x = seen[i * seen.size() / points];
    const double t = norm(x);
    // a stereo camera's error grows with the square of the distance; false matches lie anywhere on the ray
    const double depth =
        random.uniform(0) < outlier_share ? 1.0 + 4.0 * random.uniform(1) : t + 0.0012 * t * t * random.normal(2);
    x = (depth / t) * x;
    for (double value : {x.x, x.y, x.z}) problem.points.push_back(static_cast<float>(value));
  }
  return problem;
}

}  // namespace kinema::bench
