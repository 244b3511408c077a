// A level's combined model as the GPU takes it: tiles of [R; Qg; g0; 1], each number in two halves, and the small
// matrices that follow from them.
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
  std::size_t row_tiles = 0, value_tiles = 0;
  std::size_t small_width = 0;

  /// value tiles x 2 x row tiles x 32 lanes x 8 halves: lane l has rows l/4 and l/4 + 8, values 2 (l%4) + {0, 1, 8, 9}.
  /// First all rows rounded to 16 bits, then what that left of them.
  std::vector<std::uint16_t> fragments;
  std::vector<std::array<float, 4>> pixels;  ///< weights, and as bits three corners of 10 each; the highest: none
  std::vector<float> small;                  ///< modes, rounded up to 4, x small_width: [Qs, Qg R^T, Qg Qg^T]
  std::vector<float> by_mean, by_one;        ///< rows: products with g0 and 1, see pack_combined()
  std::vector<float> unscale;                ///< 2 x rows: what a row of halves is to be multiplied with
  std::vector<float> most;                   ///< modes: c is kept within
  double mean_square = 0;                    ///< g0.g0
};

/// One half of a number has 11 bits, and the two 22: with 11 alone, E is that of a slightly other model, and where two
/// values of E are nearly the same another factor would be taken than the reference takes, which shows in the landmarks.
CombinedPack pack_combined(const Model& model, const Level& level, double limit);

}  // namespace kinema::face
