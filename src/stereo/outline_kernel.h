// The last two judgements of disparities on the CPU, by their neighbourhood, several pixels at a time. Planes are those of
// evidence_kernel.h, with margins of at least the reach in which no pixel has a disparity.
#pragma once

#include <cstddef>

namespace kinema::stereo {

/// For `count` pixels of a row, the first at index `first`: their disparities, or no_disparity beside an outline. A square that
/// reaches over an outline matches beside it as well as on it, so whatever lies between the outline and the open side has no
/// disparity of its own. `steepness`: the squared slope of the picture.
void trim_outlines(const float* disparity, const float* steepness, std::size_t stride, std::size_t first,
                   std::size_t count, float* out);

/// Likewise, but 0 where fewer around it than a surface has are like it.
void keep_supported(const float* disparity, std::size_t stride, std::size_t first, std::size_t count, float* out);

}  // namespace kinema::stereo
