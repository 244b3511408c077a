// People who touch are one cluster: it is divided below the heads that stand out of it.
#pragma once

#include "body/foreground/foreground_clusters.h"

#include <cstddef>
#include <span>
#include <vector>

namespace kinema::body {

/// The cells of a cluster below each of its heads: what stands out from its surroundings and a step away from anything higher.
/// All of them together where there is one head.
std::vector<std::vector<std::size_t>> below_heads(const CellGrid& grid, std::span<const std::size_t> cells,
                                                  const Vec3& up);

}  // namespace kinema::body
