// The inner loop of refine_disparities(): least squares over a square about each pixel, several pixels abreast.
#pragma once

#include <cstddef>

namespace kinema::io {

/// Pixels from the middle of a square to its sides.
inline constexpr int square_reach = 3;

/// The disparity of a pixel without one, so far from all others that it counts in no square.
inline constexpr float no_disparity = -1e6f;

/// A left picture, and at each of its pixels the right one as its disparity shifts it, and the slope of that along the row.
struct ShiftedView {
  const float *left, *right, *slope, *disparity;
  std::size_t stride;  ///< floats from row to row
};

/// Pixels beyond those that are asked for that refinement_steps() may look at and give a step.
inline constexpr std::size_t further = 3;

/// For `count` pixels in a row, the first at index `first`: by how much the disparity of the square about each lies above
/// the pixel's own, at most half a pixel; 0 where there is no telling. Looks square_reach rows and columns around them.
void refinement_steps(const ShiftedView& view, std::size_t first, std::size_t count, float* step);

}  // namespace kinema::io
