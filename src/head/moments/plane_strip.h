// The plane over strips of four rows, on CPUs with an instruction that multiplies four bytes by four others and adds
// the products. It needs a plane whose coefficients fit 16 bits, see fix_plane_in_short().
#pragma once

#include "head/moments/fixed_plane.h"

#include <cstddef>
#include <cstdint>

namespace kinema::head {

inline constexpr std::size_t strip_height = 4;

/// False if the CPU or the compiler of this build lacks such an instruction.
bool plane_strips_work();

/// Adds the weights of pixels of 3 or 4 bytes; `width` is a multiple of 16 and `height` of strip_height. Only if
/// plane_strips_work() and fits_short().
void add_plane_strips(const PlaneOfBytes& plane, const std::uint8_t* data, std::size_t stride, std::size_t pixel_bytes,
                      std::size_t width, std::size_t height, std::uint32_t* columns, std::uint64_t* rows);

}  // namespace kinema::head
