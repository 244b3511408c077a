// glTF 2.0 in one binary file (.glb): the skeleton, its skin of capsules, and the tracked motion as an animation.
#pragma once

#include "io/tracked_motion.h"

#include <string>

namespace kinema::io {

/// Metres, y up, as glTF has it. Where nobody was found the last pose stands still; before the first one there is no key.
std::string to_glb(const body::Skeleton& skeleton, const TrackedMotion& motion);

}  // namespace kinema::io
