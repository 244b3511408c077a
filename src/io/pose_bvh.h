// Tracked poses as a BVH file, for the programs that animate: metres, y up, z towards the camera that saw them.
#pragma once

#include "io/bvh.h"
#include "kinema/skeleton.h"

#include <span>

namespace kinema::io {

/// The skeleton with a frame for each pose. The camera frame (x right, y down, z forward) becomes one with y up by half
/// a turn about x. The root has a position and a ZYX rotation, every other joint a ZYX rotation. Throws Error where a
/// pose does not fit the skeleton.
Bvh poses_to_bvh(const body::Skeleton& skeleton, std::span<const body::Pose> poses, double frame_time);

}  // namespace kinema::io
