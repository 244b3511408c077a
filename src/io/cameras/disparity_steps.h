// The inner loop of refine_disparities(): least squares over a square around each pixel, several pixels at a time.
#pragma once

#include <cstddef>

namespace kinema::io {

/// Pixels from the centre of a square to its sides.
inline constexpr int square_reach = 3;

/// The disparity of a pixel without one: so far from all others that it counts in no square.
inline constexpr float no_disparity = -1e6f;

/// A left image and, at each of its pixels, the right image shifted by the disparity and its derivative along the row.
struct ShiftedView {
  const float *left, *right, *slope, *disparity;
  std::size_t stride;  ///< floats from row to row
};

/// Pixels beyond those requested that refinement_steps() may read and write.
inline constexpr std::size_t further = 3;

/// For `count` pixels in a row, the first at index `first`: how far the disparity of the square around each pixel
/// exceeds the pixel's own, at most half a pixel; 0 where it cannot be determined. Reads square_reach rows and columns
/// around them.
void refinement_steps(const ShiftedView& view, std::size_t first, std::size_t count, float* step);

}  // namespace kinema::io
