// The sides of what somebody sits on: small upright planes that stand on the floor. A person who is found on a box or a
// bench would otherwise have its legs in there.
#pragma once

#include "body/foreground/foreground_planes.h"

#include <span>
#include <vector>

namespace kinema::body {

/// Planes beside the large ones of find_surfaces(), one of which is the floor; none without a floor.
std::vector<Surface> find_seats(const DepthBlocks& all, std::span<const Surface> surfaces);

}  // namespace kinema::body
