// Delaunay triangulation of a few points.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace kinema::face {

/// Triangles that cover the convex hull of x0 y0 x1 y1 ..., with consistent orientation and in a fixed order.
/// Duplicates of an earlier point are in no triangle. Empty if all points are collinear.
std::vector<std::array<std::uint16_t, 3>> delaunay(std::span<const double> points);

}  // namespace kinema::face
