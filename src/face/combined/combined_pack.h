// A level's combined model in the GPU's format: tiles of [R; Qg; g0; 1] and of the small matrices derived from them,
// each number in two halves.
#pragma once

#include "core/host_device.h"
#include "kinema/face.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kinema::face {

/// The small arrays of a level's combined model. They exist three times, in the same order: as vectors of CombinedPack,
/// in global memory (CombinedView) and in the shared memory of every block, which copies all of them at once. This is
/// their only list. `Array` is a vector, or a pointer to the first element.
template <class Array>
struct CombinedArrays {
  Array small_unscale{};  ///< 16 per tile of rows of the small matrices: factors of their first halves
  Array mode_scale{};     ///< modes: factors of c before the product with the small matrices
  Array mean_shape{};     ///< 2 landmarks
  Array by_mean{};        ///< rows: products with g0
  Array by_one{};         ///< rows: products with 1
  Array most{};           ///< modes: bounds of c
};

/// Calls `visit` with each array of all `arrays`, in their order in memory.
#pragma nv_exec_check_disable
template <class Visit, class... Arrays>
KINEMA_HD void visit_arrays(Visit&& visit, Arrays&... arrays) {
  visit(arrays.small_unscale...);
  visit(arrays.mode_scale...);
  visit(arrays.mean_shape...);
  visit(arrays.by_mean...);
  visit(arrays.by_one...);
  visit(arrays.most...);
}

inline constexpr std::size_t pack_tile = 16;

/// The factor of the second half of a number.
inline constexpr float pack_finer = 2048;

/// Tiles are of 16 x 16 numbers, as a warp's matrix product takes them: 32 lanes x 8 halves, lane l with rows l/4 and
/// l/4 + 8, columns 2 (l%4) + {0, 1, 8, 9}. First all numbers rounded to 16 bits, then the remainders.
struct CombinedPack : CombinedArrays<std::vector<float>> {
  std::size_t modes = 0, rows = 0, values = 0;  ///< rows = 2 modes + 6
  std::size_t row_tiles = 0, value_tiles = 0;
  std::size_t mode_tiles = 0, shape_tiles = 0, step_tiles = 0;

  std::vector<std::uint16_t> fragments;      ///< value tiles x 2 halves x row tiles
  std::vector<float> unscale;                ///< rows: the factor of a row of first halves
  std::vector<std::array<float, 4>> pixels;  ///< weights, and as bits three corners of 10 each; the highest: none

  /// (shape tiles + step tiles) x mode tiles x 2 halves: x of 8 landmarks and then y of Qs^T, and [R; Qg] Qg^T.
  std::vector<std::uint16_t> small;
  double mean_square = 0;  ///< g0.g0
};

/// One half has 11 bits, and the two 22: with 11 alone, E would be that of a slightly different model, and where two
/// values of E are nearly equal another factor would be taken than by the reference, which shows in the landmarks.
CombinedPack pack_combined(const Model& model, const Level& level, double limit);

}  // namespace kinema::face
