// The sides of seats are found, and the legs and skirts of those who stand are none.
#include "body/foreground/foreground_seats.h"
#include "core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace kinema::body {
namespace {

constexpr std::size_t width = 640, height = 480;
constexpr double focal = 525, camera_height = 1.1;
constexpr double never = std::numeric_limits<double>::infinity();

// An upright cylinder on the floor.
struct Pillar {
  double x, z, radius, top;  // its height above the floor
};

// A box on the floor, seen at its edge between two sides.
struct Box {
  double x, z, side, top, turned;  // the middle, and radians about the vertical
};

double hit(const Pillar& pillar, double x, double y) {
  // |(x, 1) t - (pillar.x, pillar.z)| = radius
  const double a = x * x + 1, b = x * pillar.x + pillar.z;
  const double c = pillar.x * pillar.x + pillar.z * pillar.z - pillar.radius * pillar.radius;
  const double root = b * b - a * c;
  if (root < 0) return never;
  const double t = (b - std::sqrt(root)) / a;
  return y * t > camera_height - pillar.top ? t : never;
}

double hit(const Box& box, double x, double y) {
  double nearest = never;
  for (int k = 0; k < 4; ++k) {
    const double angle = box.turned + k * std::acos(0.0), nx = std::sin(angle), nz = -std::cos(angle);
    const double t = (nx * box.x + nz * box.z + box.side / 2) / (nx * x + nz);
    const double along = (t * x - box.x) * -nz + (t - box.z) * nx;
    if (nx * x + nz < 0 && std::abs(along) <= box.side / 2 && y * t > camera_height - box.top)
      nearest = std::min(nearest, t);
  }
  return nearest;
}

// What find_seats() finds in a room with a floor and a wall.
std::vector<Surface> seats(const std::vector<Pillar>& pillars, const std::vector<Box>& boxes, double noise) {
  std::vector<float> x(width), y(height), depth(width * height);
  for (std::size_t u = 0; u < width; ++u) x[u] = static_cast<float>((static_cast<double>(u) - 320) / focal);
  for (std::size_t v = 0; v < height; ++v) y[v] = static_cast<float>((static_cast<double>(v) - 240) / focal);
  for (std::size_t v = 0; v < height; ++v) {
    for (std::size_t u = 0; u < width; ++u) {
      double z = 4.5;
      if (y[v] > 0) z = std::min(z, camera_height / y[v]);
      for (const Pillar& pillar : pillars) z = std::min(z, hit(pillar, x[u], y[v]));
      for (const Box& box : boxes) z = std::min(z, hit(box, x[u], y[v]));
      const Random random{1, 0, static_cast<std::uint32_t>(v * width + u)};
      depth[v * width + u] = static_cast<float>(1 / (1 / z + noise * random.normal(0)));
    }
  }
  const DepthBlocks blocks = make_blocks({depth.data(), width, height, width}, x, y, 0.3, 8);
  return find_seats(blocks, find_surfaces(blocks));
}

class ForegroundSeats : public testing::TestWithParam<double> {};

TEST_P(ForegroundSeats, FindsTheSidesOfABoxBehindLegs) {
  const std::vector<Pillar> legs{{-0.12, 2.25, 0.055, 0.45}, {0.15, 2.3, 0.055, 0.45}};
  for (const double turned : {0.0, 0.3, 0.7}) {
    const std::vector<Surface> found = seats(legs, {{0, 2.65, 0.44, 0.45, turned}}, GetParam());
    ASSERT_GE(found.size(), 1u) << "turned by " << turned;
    for (const Surface& surface : found) {
      EXPECT_NEAR(surface.plane.normal.y, 0, 0.1);
      EXPECT_FALSE(surface.bounding);
      EXPECT_FALSE(surface.plane.floor);
    }
    // the side that faces the camera most
    const Vec3 normal{std::sin(turned), 0, -std::cos(turned)};
    EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                            [&](const Surface& surface) {
                              const Vec3& n = surface.plane.normal;
                              return n.x * normal.x + n.z * normal.z > 0.98;
                            }))
        << "turned by " << turned;
  }
}

TEST_P(ForegroundSeats, FindsNoneInLegsSkirtsAndEmptyRooms) {
  EXPECT_TRUE(seats({}, {}, GetParam()).empty());
  for (const double z : {2.0, 3.0, 4.0}) {
    // legs apart, legs together, a long skirt, and a crowd
    EXPECT_TRUE(seats({{-0.13, z, 0.055, 0.9}, {0.13, z, 0.055, 0.9}}, {}, GetParam()).empty()) << z;
    EXPECT_TRUE(seats({{-0.06, z, 0.055, 0.9}, {0.06, z, 0.055, 0.9}}, {}, GetParam()).empty()) << z;
    EXPECT_TRUE(seats({{0, z, 0.2, 1.0}}, {}, GetParam()).empty()) << z;
    std::vector<Pillar> crowd;
    crowd.reserve(8);
    for (int i = 0; i < 8; ++i) crowd.push_back({-0.9 + 0.26 * i, z, 0.06, 0.9});
    EXPECT_TRUE(seats(crowd, {}, GetParam()).empty()) << z;
  }
}

TEST(ForegroundSeatsEdges, NeedAFloor) { EXPECT_TRUE(find_seats({}, {}).empty()); }

INSTANTIATE_TEST_SUITE_P(Noise, ForegroundSeats, testing::Values(0.0003, 0.001, 0.0015));

}  // namespace
}  // namespace kinema::body
