// ray_capsule() by itself: its answer lies on the surface, and nothing before it does.
#include "body/likelihood/ray_capsule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace kinema::body {
namespace {

// signed: below 0 inside
double distance_to_surface(Vec3 x, const CapsuleExact& c) {
  const Vec3 axis = c.b - c.a;
  const double length2 = dot(axis, axis);
  const double s = length2 > 0 ? std::clamp(dot(x - c.a, axis) / length2, 0.0, 1.0) : 0;
  return norm(x - (c.a + s * axis)) - c.r;
}

TEST(RayCapsule, StopsAtTheFirstSurface) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  int hits = 0, inside = 0;
  for (int round = 0; round < 20000; ++round) {
    const CapsuleExact c{{normal(random), normal(random), 2 + normal(random)},
                         {normal(random), normal(random), 2 + normal(random)},
                         std::fabs(normal(random))};
    Vec3 v{normal(random), normal(random), normal(random)};
    v = (1 / norm(v)) * v;
    const double t = ray_capsule(v, c);
    const bool starts_inside = distance_to_surface({0, 0, 0}, c) < 0;
    hits += t > 0;
    inside += starts_inside;
    if (t > 0) {
      EXPECT_NEAR(distance_to_surface(t * v, c), 0, 1e-9);
    }
    // march: on the same side of the surface up to t, or all the way
    for (int step = 1; step < 50; ++step) {
      const double at = (t > 0 ? t : 20) * step / 50 * 0.999999;
      EXPECT_EQ(distance_to_surface(at * v, c) < 1e-12, starts_inside) << at;
    }
    if (starts_inside) {
      EXPECT_GT(t, 0);
    }
  }
  EXPECT_GT(hits, 3000);
  EXPECT_GT(inside, 500);
}

}  // namespace
}  // namespace kinema::body
