// When a texture is flat: photometric normalisation has nothing to hold on to.
#pragma once

namespace kinema::face {

/// A deviation that is less than this share of the mean of a centred texture, or than the least, is rounding.
inline constexpr double flat_share = 1e-3, flat_least = 1e-6;

}  // namespace kinema::face
