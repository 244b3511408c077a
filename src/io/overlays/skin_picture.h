// The skin of a pose as a camera sees it: which limb each pixel shows, and how it is lit.
#pragma once

#include "kinema/camera.h"
#include "kinema/skeleton.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kinema::io {

enum class Limb { trunk, head, left_arm, right_arm, left_leg, right_leg };

/// Per joint of the skeleton, from the common names in it and the joints attached to them.
std::vector<Limb> limbs(const body::Skeleton& skeleton);

struct SkinPicture {
  static constexpr std::uint8_t nothing = 255;

  int width = 0, height = 0;
  std::vector<std::uint8_t> limb;  ///< height x width: a Limb, or `nothing`
  std::vector<float> light;        ///< height x width: 1 where the skin faces the camera, approaching 0 at its outline
};

/// `capsules` is K x 7 as returned by pose_capsules(), `limb` the K limbs. Capsules that reach behind the camera are
/// left out.
SkinPicture skin_picture(std::span<const float> capsules, std::span<const Limb> limb, const Camera& camera);

}  // namespace kinema::io
