// The integer part of matching on the CPU, from brightness to whole disparities: plain loops over bytes, compiled for
// every SIMD level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kinema::stereo {

/// Pixels around a picture, repeated from its border, that the census reads.
inline constexpr int picture_margin = 5;

/// Rows of a picture smoothed by (1 2 1) both ways, in sixteenths of grey levels, and its census in three planes of
/// eight bits.
struct CensusImage {
  int width = 0, top = 0, bottom = 0;   ///< rows top to below bottom
  std::vector<std::uint16_t> smooth;    ///< with margins: see smooth_row()
  std::vector<std::uint8_t> census[3];  ///< without

  std::size_t stride() const { return static_cast<std::size_t>(width) + 2 * picture_margin; }
  std::uint16_t* smooth_row(int y) {
    return smooth.data() + static_cast<std::size_t>(y - top + picture_margin) * stride() + picture_margin;
  }
  const std::uint16_t* smooth_row(int y) const { return const_cast<CensusImage*>(this)->smooth_row(y); }
  std::uint8_t* census_row(int plane, int y) {
    return census[plane].data() + static_cast<std::size_t>(y - top) * static_cast<std::size_t>(width);
  }
  const std::uint8_t* census_row(int plane, int y) const {
    return const_cast<CensusImage*>(this)->census_row(plane, y);
  }
};

/// out = (1 2 1) both ways of the middle one of three rows; `width` pixels, borders repeated.
void smooth_row(const std::uint8_t* above, const std::uint8_t* middle, const std::uint8_t* below, int width,
                std::uint16_t* out);

/// The census of a row whose smoothed neighbours are complete, margins included.
void census_row(const CensusImage& image, int y, std::uint8_t* const planes[3]);

/// A window of a pair.
struct PathProblem {
  const CensusImage *left, *right;
  int x = 0, y = 0, columns = 0, rows = 0, disparities = 0;  ///< of the window
  const std::uint8_t* large_step;                            ///< see Plan
  int small_step = 0;
  double uniqueness = 0;
};

/// Sums the paths from above and the left (or, not `forward`, from below and the right), four of the eight, at each pixel and
/// disparity: rows x columns x disparities.
void sum_paths(const PathProblem& problem, bool forward, std::uint8_t* sums);

/// The disparities of a row of the window, 0 where unknown, from the sums of both directions at that row.
void choose_disparities(const PathProblem& problem, const std::uint8_t* forward, const std::uint8_t* backward,
                        float* disparity);

}  // namespace kinema::stereo
