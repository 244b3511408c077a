// The triangles of the mean shape and its raster: the pixels of a texture, and their positions in the triangles (section 2.1).
#pragma once

#include "kinema/face_model.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace kinema::face {

/// Sets scale, width, height, places, pixel_triangles, barycentric and neighbours of a level to a raster of the mean
/// shape with exactly `pixels` pixels. Throws Error if the triangles have no area.
void rasterise(Level& level, std::span<const float> mean_shape, std::span<const std::array<std::uint16_t, 3>> triangles,
               std::size_t pixels);

/// Triangles that cover the convex hull of x0 y0 x1 y1 ..., with consistent orientation and in a fixed order.
/// Duplicates of an earlier point are in no triangle. Empty if all points are collinear.
std::vector<std::array<std::uint16_t, 3>> delaunay(std::span<const double> points);

}  // namespace kinema::face
