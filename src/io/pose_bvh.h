// Tracked poses as a BVH file, for animation programs: metres, y up, z towards the camera.
#pragma once

#include "io/bvh.h"
#include "kinema/skeleton.h"

#include <span>

namespace kinema::io {

/// The skeleton with one frame per pose. The camera frame (x right, y down, z forward) is rotated by 180 degrees about
/// x so that y points up. The root has a position and a ZYX rotation, every other joint a ZYX rotation. Throws Error if
/// a pose does not fit the skeleton.
Bvh poses_to_bvh(const body::Skeleton& skeleton, std::span<const body::Pose> poses, double frame_time);

}  // namespace kinema::io
