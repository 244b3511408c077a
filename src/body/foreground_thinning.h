// Thins points so that those that stay are evenly spread in space: one a cell of a grid that is just fine enough.
#pragma once

#include "core/geometry.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kinema::body {

/// Indices of at most `most` of the places (0: of all), in ascending order, so that each stands for about as much of
/// the surface that the places lie on as any other. The same places give the same choice.
std::vector<std::uint32_t> thin_evenly(std::span<const Vec3f> places, std::size_t most);

}  // namespace kinema::body
