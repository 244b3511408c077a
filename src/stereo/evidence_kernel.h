// The floating-point part of matching on the CPU: least squares over a square around each pixel, several pixels at a
// time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kinema::stereo {

/// The disparity of a pixel without one: so far from all others that it counts in no square.
inline constexpr float no_disparity = -1e6f;

/// Floats that are read and written beyond the pixels of a row.
inline constexpr std::size_t beyond_row = 16;

/// Planes of a window with margins of square_reach around it, in which no pixel has a disparity.
struct EvidencePlanes {
  const float* left;           ///< brightness, as it is or smoothed
  const float* smooth;         ///< smoothed
  const float *across, *down;  ///< its slopes, per pixel
  const float* say;            ///< weight that follows from them
  const float *right, *slope;  ///< the right picture at the pixel's own disparity, and its slope there
  const float* disparity;
  std::size_t stride = 0;  ///< floats from row to row
};

/// A row of the right picture, and what a pixel's disparity makes of it.
struct MovedRow {
  const float* right;  ///< the row, `width` pixels
  int width = 0;
  int column = 0;  ///< of the first pixel in the left picture
};

/// For `count` pixels of a row, the first at index `first`: the right picture at their disparities, and its slope there. Those
/// that leave the picture are dropped.
void move_right(const MovedRow& row, float* disparity, float* moved, float* slope, std::size_t first,
                std::size_t count);

/// For `count` pixels of a row, the first at index `first`. Step: how far the disparity of the square around a pixel exceeds
/// the pixel's own, in which the right picture, up to a gain and an offset, equals the left one, and which is near those of its
/// pixels; 0 where it cannot be told. `refined`: the disparities with these steps; `residual`: by how much a
/// pixel itself differs from what its square says, grey levels.
void refine_disparities(const EvidencePlanes& planes, std::size_t first, std::size_t count, float* refined,
                        float* residual);

/// Likewise the deviation of such a disparity, in pixels, `no_deviation` where the pictures do not determine it.
inline constexpr float no_deviation = 1e6f;
void match_deviations(const EvidencePlanes& planes, std::size_t first, std::size_t count, float* deviation);

/// A row of disparities, and where the first sure ones around each lie.
struct ConfirmRow {
  const float *disparity, *sure, *smooth;  ///< planes
  float nearest = 0, farthest = 0;         ///< disparities that count
  const std::uint8_t* steps[8];            ///< of the row, pixels to the first sure one in each direction; 0: none
  std::ptrdiff_t ways[8];                  ///< floats of a step of each; opposite ones follow each other
};

/// For `count` pixels of a row, the first at index `first`: the sure disparities, and those that the sure ones around confirm.
/// Of the latter, the deviation too.
void confirm_row(const ConfirmRow& row, std::size_t first, std::size_t count, float* kept, float* deviation);

}  // namespace kinema::stereo
