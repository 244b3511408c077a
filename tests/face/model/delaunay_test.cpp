#include "face/model/raster.h"

#include "core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace kinema::face {
namespace {

std::vector<double> random_points(std::uint32_t number, std::size_t count) {
  const Random random{11, 0, number};
  std::vector<double> points;
  for (std::uint32_t i = 0; i < 2 * count; ++i) points.push_back(random.uniform(i));
  return points;
}

double area(const std::vector<double>& p, const std::array<std::uint16_t, 3>& t) {
  const auto x = [&](int i) { return p[2 * t[static_cast<std::size_t>(i)]]; };
  const auto y = [&](int i) { return p[2 * t[static_cast<std::size_t>(i)] + 1]; };
  return ((x(1) - x(0)) * (y(2) - y(0)) - (y(1) - y(0)) * (x(2) - x(0))) / 2;
}

// The area of the convex hull, by wrapping it.
double hull_area(const std::vector<double>& p) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < p.size(); i += 2) points.emplace_back(p[i], p[i + 1]);
  std::sort(points.begin(), points.end());
  std::vector<std::pair<double, double>> hull;
  for (int side = 0; side < 2; ++side) {
    const std::size_t start = hull.size();
    for (const auto& q : points) {
      while (hull.size() >= start + 2) {
        const auto &a = hull[hull.size() - 2], &b = hull.back();
        if ((b.first - a.first) * (q.second - a.second) - (b.second - a.second) * (q.first - a.first) > 0) break;
        hull.pop_back();
      }
      hull.push_back(q);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  double sum = 0;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const auto &a = hull[i], &b = hull[(i + 1) % hull.size()];
    sum += a.first * b.second - b.first * a.second;
  }
  return sum / 2;
}

TEST(Delaunay, CoversTheHullWithoutOverlap) {
  for (std::uint32_t number = 0; number < 20; ++number) {
    const std::vector<double> points = random_points(number, 4 + 3 * number);
    const auto triangles = delaunay(points);
    double sum = 0;
    for (const auto& t : triangles) {
      EXPECT_GT(area(points, t), 0);
      sum += area(points, t);
    }
    EXPECT_NEAR(sum, hull_area(points), 1e-12);
    std::set<std::uint16_t> used;
    for (const auto& t : triangles) used.insert(t.begin(), t.end());
    EXPECT_EQ(used.size(), points.size() / 2);
  }
}

TEST(Delaunay, LeavesEveryCircleEmpty) {
  const std::vector<double> points = random_points(99, 68);
  for (const auto& t : delaunay(points)) {
    const double ax = points[2 * t[0]], ay = points[2 * t[0] + 1];
    const double bx = points[2 * t[1]] - ax, by = points[2 * t[1] + 1] - ay;
    const double cx = points[2 * t[2]] - ax, cy = points[2 * t[2] + 1] - ay;
    const double d = 2 * (bx * cy - by * cx), b2 = bx * bx + by * by, c2 = cx * cx + cy * cy;
    const double ux = (cy * b2 - by * c2) / d, uy = (bx * c2 - cx * b2) / d;
    for (std::size_t i = 0; i < points.size(); i += 2)
      EXPECT_GT(std::hypot(points[i] - ax - ux, points[i + 1] - ay - uy), std::hypot(ux, uy) * (1 - 1e-9));
  }
}

TEST(Delaunay, TakesGridsDoublesAndLines) {
  std::vector<double> grid;
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 5; ++x) grid.insert(grid.end(), {double(x), double(y)});
  EXPECT_EQ(delaunay(grid).size(), 24u);
  // a second point at a place changes nothing
  grid.insert(grid.end(), {2, 2});
  EXPECT_EQ(delaunay(grid).size(), 24u);
  EXPECT_TRUE(delaunay(std::vector<double>{0, 0, 1, 1, 2, 2, 3, 3}).empty());
  EXPECT_TRUE(delaunay(std::vector<double>{1, 1, 1, 1}).empty());
  EXPECT_EQ(delaunay(std::vector<double>{0, 0, 1, 0, 2, 0, 1, 1}).size(), 2u);
}

}  // namespace
}  // namespace kinema::face
