// The expression of a face by the names that avatars know: ARKit's, as they are, or the presets of VRM 0 and of VRM 1, which
// are made of them.
#pragma once

#include "kinema/head_pose.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace kinema::io {

enum class BlendShapes : std::uint8_t { arkit, vrm0, vrm1 };

struct BlendShape {
  std::string_view name;
  double weight = 0;  ///< 0 to 1
};

/// Always the same names in the same order. The weights of the vowels add up to 1 at most, since avatars add their shapes.
std::vector<BlendShape> blend_shapes(const face::Expression& expression, BlendShapes names);

}  // namespace kinema::io
