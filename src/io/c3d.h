// C3D, the exchange format of gait laboratories: joint centres as points. See docs/files.md and www.c3d.org.
#pragma once

#include "io/tracked_motion.h"

#include <string>

namespace kinema::io {

/// Points in millimetres, y up, as little-endian floats; a point of a frame in which nobody was found is marked invalid
/// by the residual -1.
std::string to_c3d(const body::Skeleton& skeleton, const TrackedMotion& motion);

}  // namespace kinema::io
