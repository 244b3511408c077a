// When a texture is flat, so that photometric normalisation is impossible.
#pragma once

namespace kinema::face {

/// A deviation below this share of the mean of a centred texture, or below the minimum, is rounding error.
inline constexpr double flat_share = 1e-3, flat_least = 1e-6;

}  // namespace kinema::face
