#include "face/model/raster.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace kinema::face {
namespace {

struct Point {
  double x, y;
};

// Twice the signed area.
double area(Point a, Point b, Point c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

// Above 0 if d lies within the circle through a, b and c, which are in positive orientation.
double within_circle(Point a, Point b, Point c, Point d) {
  const double ax = a.x - d.x, ay = a.y - d.y, bx = b.x - d.x, by = b.y - d.y, cx = c.x - d.x, cy = c.y - d.y;
  const double a2 = ax * ax + ay * ay, b2 = bx * bx + by * by, c2 = cx * cx + cy * cy;
  return ax * (by * c2 - b2 * cy) - ay * (bx * c2 - b2 * cx) + a2 * (bx * cy - by * cx);
}

using Triangle = std::array<int, 3>;
using Edge = std::pair<int, int>;

// The convex hull and all triangles inside, by adding points in the order of x: each is joined to the edges of the hull
// that it sees. Flips then make the result Delaunay.
std::vector<Triangle> sweep(const std::vector<Point>& points, const std::vector<int>& order) {
  const auto at = [&](int i) { return points[static_cast<std::size_t>(i)]; };
  // the first points may be collinear: the first that is not makes a fan over them
  std::size_t first = 2;
  while (first < order.size() && area(at(order[0]), at(order[first - 1]), at(order[first])) == 0) ++first;
  std::vector<Triangle> triangles;
  if (first >= order.size()) return triangles;
  std::vector<int> hull;  // positive sense
  const bool left = area(at(order[0]), at(order[first - 1]), at(order[first])) > 0;
  for (std::size_t i = 0; i + 1 < first; ++i)
    triangles.push_back(left ? Triangle{order[i], order[i + 1], order[first]}
                             : Triangle{order[i + 1], order[i], order[first]});
  hull.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(first));
  if (!left) std::reverse(hull.begin(), hull.end());
  hull.push_back(order[first]);

  for (std::size_t k = first + 1; k < order.size(); ++k) {
    const int p = order[k];
    const auto sees = [&](std::size_t i) { return area(at(hull[i]), at(hull[(i + 1) % hull.size()]), at(p)) < 0; };
    // rotate the hull so that the edges visible from p come first
    std::size_t start = 0;
    const std::size_t size = hull.size();
    for (std::size_t i = 0; i < size; ++i)
      if (sees(i) && !sees((i + size - 1) % size)) start = i;
    std::rotate(hull.begin(), hull.begin() + static_cast<std::ptrdiff_t>(start), hull.end());
    std::size_t seen = 0;
    while (seen < size && sees(seen)) {
      triangles.push_back({hull[seen + 1 < size ? seen + 1 : 0], hull[seen], p});
      ++seen;
    }
    if (seen == 0) continue;
    hull.erase(hull.begin() + 1, hull.begin() + static_cast<std::ptrdiff_t>(seen));
    hull.insert(hull.begin() + 1, p);
  }
  return triangles;
}

// Flips edges until the circumcircle of no triangle contains the opposite corner of its neighbour.
void flip_edges(std::vector<Triangle>& triangles, const std::vector<Point>& points) {
  const auto at = [&](int i) { return points[static_cast<std::size_t>(i)]; };
  const std::size_t most = 4 * triangles.size() * triangles.size() + 16;
  for (std::size_t round = 0; round < most; ++round) {
    std::map<Edge, std::size_t> owner;  // directed edge -> triangle
    for (std::size_t t = 0; t < triangles.size(); ++t)
      for (std::size_t i = 0; i < 3; ++i) owner[{triangles[t][i], triangles[t][(i + 1) % 3]}] = t;
    bool flipped = false;
    for (const auto& owned : owner) {
      const Edge edge = owned.first;
      const std::size_t t = owned.second;
      const auto other = owner.find({edge.second, edge.first});
      if (edge.first > edge.second || other == owner.end()) continue;
      const auto far_corner = [&](const Triangle& triangle) {
        for (const int corner : triangle)
          if (corner != edge.first && corner != edge.second) return corner;
        return triangle[0];
      };
      const int c = far_corner(triangles[t]), d = far_corner(triangles[other->second]);
      const Point pa = at(edge.first), pb = at(edge.second), pc = at(c), pd = at(d);
      const double size = std::abs(area(pa, pb, pc)) + std::abs(area(pa, pb, pd));
      if (within_circle(pa, pb, pc, pd) <= 1e-12 * size * size) continue;
      if (area(pc, pd, pb) <= 0 || area(pd, pc, pa) <= 0) continue;  // the quadrilateral is not convex
      triangles[t] = {c, d, edge.second};
      triangles[other->second] = {d, c, edge.first};
      flipped = true;
      break;
    }
    if (!flipped) return;
  }
}

}  // namespace

std::vector<std::array<std::uint16_t, 3>> delaunay(std::span<const double> points) {
  std::vector<Point> at(points.size() / 2);
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = {points[2 * i], points[2 * i + 1]};
  std::vector<int> order(at.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int i) {
    const Point p = at[static_cast<std::size_t>(i)];
    return std::pair{p.x, p.y};
  };
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return key(i) < key(j); });
  order.erase(std::unique(order.begin(), order.end(), [&](int i, int j) { return key(i) == key(j); }), order.end());
  if (order.size() < 3) return {};

  std::vector<Triangle> triangles = sweep(at, order);
  flip_edges(triangles, at);
  std::vector<std::array<std::uint16_t, 3>> result;
  for (Triangle t : triangles) {
    std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
    result.push_back(
        {static_cast<std::uint16_t>(t[0]), static_cast<std::uint16_t>(t[1]), static_cast<std::uint16_t>(t[2])});
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace kinema::face
