// The loops over a frame's rows that orientation bins take most of their time in.
#pragma once

#include <cstddef>
#include <vector>

namespace kinema::face {

/// What the rows of a frame are computed from and written to, by bands of rows.
struct BinRows {
  const float* grey = nullptr;
  std::size_t width = 0, height = 0, bins = 0;
  const float *cosines = nullptr, *sines = nullptr;  // of the bins, and 0 up to a multiple of four
  float* values = nullptr;                           // as in OrientationBins
  float* energies = nullptr;                         // of each pixel: the mean over its row of the window
  double* tiles = nullptr;                           // the sum of energies of each tile of frame_pixels.h
};

/// Smoothed bins and energies of the rows of a band, which starts and ends between tiles or at the border.
void bin_rows(const BinRows& rows, std::size_t first, std::size_t last);

/// The factors of pixels of these rows, from the energies of all.
void bin_factors(const BinRows& rows, float floor, std::size_t first, std::size_t last, float* factors);

}  // namespace kinema::face
