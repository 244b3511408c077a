// Thins points so that the rest are evenly spread in space: one per cell of a grid that is just fine enough.
#pragma once

#include "core/geometry.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kinema::body {

/// Indices of at most `most` of the places (0: of all), in ascending order, such that each represents about the same
/// area of the surface on which the places lie. Deterministic: the same places give the same choice.
std::vector<std::uint32_t> thin_evenly(std::span<const Vec3f> places, std::size_t most);

}  // namespace kinema::body
