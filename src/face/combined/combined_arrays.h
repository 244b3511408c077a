// The small arrays of a level's combined model. They exist three times, in the same order: as vectors of CombinedPack,
// in global memory (CombinedView) and in the shared memory of every block, which copies all of them at once. This is
// their only list.
#pragma once

#include "core/host_device.h"

namespace kinema::face {

/// `Array` is a vector, or a pointer to the first element.
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

}  // namespace kinema::face
