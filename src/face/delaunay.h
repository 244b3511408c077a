// Delaunay triangulation of a few points.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace kinema::face {

/// Triangles that cover the convex hull of x0 y0 x1 y1 ..., each with its corners in the same sense, in a fixed order.
/// Points at the place of an earlier one are in no triangle. Empty where all lie on a line.
std::vector<std::array<std::uint16_t, 3>> delaunay(std::span<const double> points);

}  // namespace kinema::face
