// Rendered rooms for tests of the foreground: a person of capsules on a floor before a wall, with a sensor's noise.
#pragma once

#include "core/geometry.h"
#include "core/random.h"
#include "kinema/foreground.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace kinema::body::rendered {

inline constexpr double floor_height = 1.1;  // of the camera above the floor
inline constexpr float nan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float infinity = std::numeric_limits<float>::infinity();

inline const Camera camera{320, 240, 262.5, 262.5, 159.5, 119.5};

using Capsules = std::vector<float>;  // (K, 7)

inline void add(Capsules& capsules, Vec3f a, float r, Vec3f b) {
  capsules.insert(capsules.end(), {a.x, a.y, a.z, r, b.x, b.y, b.z});
}

// Somebody 1.7 m tall who stands at (x, z) with the arms a little off the body.
inline Capsules person(float x, float z) {
  const auto ground = static_cast<float>(floor_height);
  const auto at = [&](float right, float height, float back) { return Vec3f{x + right, ground - height, z + back}; };
  Capsules c;
  add(c, at(0, 1.55f, 0), 0.1f, at(0, 1.6f, 0));  // head
  add(c, at(0, 1.0f, 0), 0.14f, at(0, 1.3f, 0));  // trunk
  for (const float side : {-1.0f, 1.0f}) {
    add(c, at(side * 0.12f, 1.38f, 0), 0.06f, at(side * 0.2f, 1.36f, 0));
    add(c, at(side * 0.2f, 1.36f, 0), 0.05f, at(side * 0.34f, 1.1f, 0));
    add(c, at(side * 0.34f, 1.1f, 0), 0.04f, at(side * 0.42f, 0.85f, -0.1f));
    add(c, at(side * 0.1f, 0.95f, 0), 0.08f, at(side * 0.12f, 0.5f, 0));
    add(c, at(side * 0.12f, 0.5f, 0), 0.055f, at(side * 0.13f, 0.1f, 0));
    add(c, at(side * 0.13f, 0.045f, 0.02f), 0.045f, at(side * 0.14f, 0.045f, -0.18f));  // foot
  }
  return c;
}

inline float distance_to(const Capsules& capsules, Vec3f p) {
  float nearest = 1e9f;
  for (std::size_t k = 0; k < capsules.size(); k += 7) {
    const float* c = capsules.data() + k;
    const Vec3f a{c[0], c[1], c[2]}, axis = Vec3f{c[4], c[5], c[6]} - a;
    const float length = dot(axis, axis);
    const float t = length > 0 ? std::clamp(dot(p - a, axis) / length, 0.0f, 1.0f) : 0.0f;
    nearest = std::min(nearest, norm(p - a - t * axis) - c[3]);
  }
  return nearest;
}

struct Room {
  double wall = 4;  // its distance; infinite: none
  double floor = floor_height;
  double noise = 0.0015;    // of an inverse depth
  std::uint32_t frame = 0;  // other noise
};

struct Image {
  std::vector<float> depth = std::vector<float>(static_cast<std::size_t>(camera.width * camera.height));

  ImageView<const float> view() const {
    const auto width = static_cast<std::size_t>(camera.width);
    return {depth.data(), width, static_cast<std::size_t>(camera.height), width};
  }
  Vec3f point(std::size_t i) const {
    const auto width = static_cast<std::size_t>(camera.width);
    const std::size_t column = i % width, row = i / width;
    const auto u = static_cast<double>(column), v = static_cast<double>(row);
    const float z = depth[i];
    return {static_cast<float>((u - camera.cx) / camera.fx) * z, static_cast<float>((v - camera.cy) / camera.fy) * z,
            z};
  }
};

inline Image render(const Capsules& things, const Room& room) {
  Image image;
  for (std::size_t i = 0; i < image.depth.size(); ++i) {
    image.depth[i] = 1;
    const Vec3f ray = image.point(i);
    const float per_depth = norm(ray);
    float limit = static_cast<float>(room.wall);
    if (ray.y > 0) limit = std::min(limit, static_cast<float>(room.floor) / ray.y);
    // sphere tracing: no surface is nearer than the distance
    float z = 0.3f;
    for (int step = 0; step < 60 && z < limit && !things.empty(); ++step) {
      const float d = distance_to(things, z * ray);
      if (d < 1e-3f) break;
      z += d / per_depth;
    }
    if (things.empty()) z = limit;
    z = std::min(z, limit);
    const Random random{1, room.frame, static_cast<std::uint32_t>(i)};
    image.depth[i] = z < 50 ? static_cast<float>(1 / (1 / static_cast<double>(z) + room.noise * random.normal(0))) : 0;
    if (random.uniform(1) < 0.005) image.depth[i] = static_cast<float>(0.5 + 4 * random.uniform(2));  // wrong depths
  }
  return image;
}

struct Count {
  std::size_t person = 0, other = 0, background = 0, background_on_person = 0;
};

// Points of the cloud by what they truly are; 6 cm are three standard deviations at 3.5 m.
inline Count count(const PointCloud& cloud, const Capsules& truth) {
  Count n;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const bool on = distance_to(truth, {cloud.xyz[3 * i], cloud.xyz[3 * i + 1], cloud.xyz[3 * i + 2]}) < 0.06f;
    if (cloud.background[i] != 0) {
      ++n.background;
      const float height = static_cast<float>(floor_height) - cloud.xyz[3 * i + 1];
      if (on && height > 0.05f) ++n.background_on_person;
    } else {
      ++(on ? n.person : n.other);
    }
  }
  return n;
}

// Pixels that show the person, higher than this above the floor.
inline std::size_t visible(const Image& image, const Capsules& truth, float above) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < image.depth.size(); ++i) {
    const Vec3f p = image.point(i);
    if (p.z > 0 && distance_to(truth, p) < 0.06f && static_cast<float>(floor_height) - p.y > above) ++n;
  }
  return n;
}

// Nearly all of the person, and nearly nothing else. Edges, where neighbours differ, may be lost.
inline void expect_cut_out(const PointCloud& cloud, const Image& image, const Capsules& truth) {
  const Count n = count(cloud, truth);
  EXPECT_GT(static_cast<double>(n.person), 0.96 * static_cast<double>(visible(image, truth, 0.04f)));
  EXPECT_LT(static_cast<double>(n.other), 0.01 * static_cast<double>(n.person));
  EXPECT_LE(n.background_on_person, n.background / 1000);  // wrong depths
}

}  // namespace kinema::body::rendered
