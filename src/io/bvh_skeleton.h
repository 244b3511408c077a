// A body with the proportions of the person in a BVH file.
#pragma once

#include "io/bvh.h"
#include "kinema/skeleton.h"

namespace kinema::io {

/// body::default_human() with the bones of the file: lengths of thighs, shins, arms, neck and trunk, width of hips and
/// shoulders. The skin is scaled along each bone with the bone, and across it with the whole person. If the rest pose
/// of the file is not an upright person facing along z, only lengths are taken from it, not directions; shoulders and
/// hips then take their mean directions over the clip. Throws Error if one of body::common_joints is missing.
body::Skeleton bvh_skeleton(const Bvh& bvh, double metres_per_unit);

/// Whether the OFFSETs form an upright person facing along z: as in the CMU database, but not where every bone lies
/// along an axis of its own.
bool bvh_rest_is_upright(const Bvh& bvh);

}  // namespace kinema::io
