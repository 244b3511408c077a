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

/// Planes of the white pixels of a window with margins (see on_white()), a row's one after the other; those of the margins have no
/// disparity. Pixel x of a row, counted from its margin on, is number x / 2.
struct EvidencePlanes {
  const float* left;           ///< brightness, as it is or smoothed
  const float* smooth;         ///< smoothed
  const float *across, *down;  ///< its slopes, per pixel
  const float* say;            ///< weight that follows from them
  const float *right, *slope;  ///< the right picture at the pixel's own disparity, and its slope there
  const float* disparity;
  std::size_t stride = 0;  ///< floats from row to row
};

/// `count` white pixels of a row, the first at index `first` of the planes; `odd`: the white ones of its margin begin with the second.
struct WhiteRow {
  std::size_t first, count;
  bool odd;
};

/// A row of the right picture, and what a pixel's disparity makes of it.
struct MovedRow {
  const float* right;  ///< the row, `width` pixels
  int width = 0;
  int column = 0;  ///< of the first pixel in the left picture
};

/// For `count` white pixels of a row, the first at index `first`: the right picture at their disparities, and its slope there. Those
/// that leave the picture are dropped.
void move_right(const MovedRow& row, float* disparity, float* moved, float* slope, std::size_t first,
                std::size_t count);

/// Step: how far the disparity of the square around a pixel exceeds the pixel's own, in which the right picture, up to a gain and
/// an offset, equals the left one, and which is near those of its pixels; 0 where it cannot be told. `refined`: the disparities
/// with these steps; `residual`: by how much a pixel itself differs from what its square says, grey levels.
void refine_disparities(const EvidencePlanes& planes, const WhiteRow& row, float* refined, float* residual);

/// Likewise the deviation of such a disparity, in pixels, `no_deviation` where the pictures do not determine it.
inline constexpr float no_deviation = 1e6f;
void match_deviations(const EvidencePlanes& planes, const WhiteRow& row, float* deviation);

/// Black pixels of a row, and their white neighbours, of which those without a disparity have no_disparity.
struct BlackRow {
  const float* found;                         ///< of the black ones
  const float *disparity, *sure, *deviation;  ///< of the white one above
  std::ptrdiff_t neighbours[4];               ///< from there: those above, below, and on both sides
};

/// The disparities of `count` black pixels, the sure ones of them, and deviations.
void fill_black(const BlackRow& row, std::size_t count, float* disparity, float* sure, float* deviation);

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
