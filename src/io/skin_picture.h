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

/// Of each joint of the skeleton, by the common names in it and the joints that hang on them.
std::vector<Limb> limbs(const body::Skeleton& skeleton);

struct SkinPicture {
  static constexpr std::uint8_t nothing = 255;

  int width = 0, height = 0;
  std::vector<std::uint8_t> limb;  ///< height x width: a Limb, or `nothing`
  std::vector<float> light;        ///< height x width: 1 where the skin faces the camera, towards 0 at its rim
};

/// `capsules` is K x 7 as pose_capsules() gives it, `limb` the K limbs. A capsule that reaches behind the camera is left out.
SkinPicture skin_picture(std::span<const float> capsules, std::span<const Limb> limb, const Camera& camera);

}  // namespace kinema::io
