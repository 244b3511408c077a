// The skin of a skeleton in its rest pose as triangles, each vertex attached to one joint.
#pragma once

#include "kinema/skeleton.h"

#include <cstdint>
#include <vector>

namespace kinema::io {

struct SkinMesh {
  std::vector<Vec3> positions;  ///< in the frame of the skeleton
  std::vector<Vec3> normals;    ///< outwards, of length 1
  std::vector<std::uint8_t> joints;
  std::vector<std::uint16_t> indices;  ///< three per triangle, counter-clockwise as seen from outside
};

SkinMesh capsule_mesh(const body::Skeleton& skeleton);

/// Where each joint is in the rest pose.
std::vector<Vec3> rest_places(const body::Skeleton& skeleton);

}  // namespace kinema::io
