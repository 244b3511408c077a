// The raster of the mean shape: the pixels of a texture, and their positions in the triangles (section 2.1).
#pragma once

#include "kinema/face_model.h"

#include <span>

namespace kinema::face {

/// Sets scale, width, height, places, pixel_triangles, barycentric and neighbours of a level to a raster of the mean
/// shape with exactly `pixels` pixels. Throws Error if the triangles have no area.
void rasterise(Level& level, std::span<const float> mean_shape, std::span<const std::array<std::uint16_t, 3>> triangles,
               std::size_t pixels);

}  // namespace kinema::face
