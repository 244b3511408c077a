// Faults of a pair that its pictures show before they are matched.
#pragma once

#include "kinema/image.h"

#include <cstdint>
#include <string>

namespace kinema::stereo {

/// One line that says what is wrong, or nothing: a lens that is covered, or one that is out of focus.
std::string lens_fault(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right);

}  // namespace kinema::stereo
