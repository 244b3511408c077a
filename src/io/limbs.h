// Which limb a joint belongs to, for colours.
#pragma once

#include "kinema/skeleton.h"

#include <vector>

namespace kinema::io {

enum class Limb { trunk, head, left_arm, right_arm, left_leg, right_leg };

/// Of each joint of the skeleton, by the common names in it and the joints that hang on them.
std::vector<Limb> limbs(const body::Skeleton& skeleton);

}  // namespace kinema::io
