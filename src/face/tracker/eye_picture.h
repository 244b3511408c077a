// The patches about both eyes of a face, from grey or colour pictures.
#pragma once

#include "face/tracker/eyelid.h"
#include "kinema/image.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace kinema::face {

/// Of the person's left and right eye; nothing for an eye that is too small or lies outside the picture. `landmarks`: 68 in
/// iBUG's order, pixels from 0.
std::array<std::optional<EyePatch>, 2> eye_patches(const ImageView<const std::uint8_t>& image,
                                                   std::span<const float> landmarks);
std::array<std::optional<EyePatch>, 2> eye_patches(const ColourView& image, std::span<const float> landmarks);

}  // namespace kinema::face
