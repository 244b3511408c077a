// A level's combined model as the GPU takes it: 16-bit tiles of [R; Qg; g0; 1], and the small matrices that follow from
// them.
#pragma once

#include "kinema/face.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kinema::face {

inline constexpr std::size_t pack_tile = 16;

struct CombinedPack {
  std::size_t modes = 0, rows = 0, values = 0;  ///< rows = 2 modes + 6
  std::size_t row_tiles = 0, value_tiles = 0;   ///< the row tiles have room for one row more
  std::size_t small_width = 0;

  /// value tiles x row tiles x 32 lanes x 8 halves: lane l has rows l/4 and l/4 + 8, values 2 (l%4) + {0, 1, 8, 9}.
  std::vector<std::uint16_t> fragments;
  std::vector<std::array<float, 4>> pixels;  ///< weights, and as bits three corners of 10 each; the highest: none
  std::vector<float> small;                  ///< modes x small_width: [Qs, Qg Qg^T, Qg R^T]
  std::vector<float> by_mean, by_one;        ///< rows: products with g0 and 1, see pack_combined()
  std::vector<float> unscale;                ///< rows: what a row of halves is to be multiplied with
  std::vector<float> most;                   ///< modes: c is kept within
  double mean_square = 0;                    ///< g0.g0
};

/// The matrices are rounded to 16 bits first, and everything else follows from what they are then. A step is that of an R
/// which differs in the fourth digit, applied to the exact residual: its products are with g0 and Qg as they were. E is
/// that of a model texture which differs in the fourth digit, everywhere the same.
CombinedPack pack_combined(const Model& model, const Level& level, double limit);

}  // namespace kinema::face
