// What every user of a colour image asks of it.
#pragma once

#include "kinema/image.h"

namespace kinema {

/// The bytes of a row; of nv12, of a row of luma.
std::size_t row_bytes(const ColourView& frame);

/// Throws an Error unless there are pixels, and rows that lie apart.
void check_pixels(const ColourView& frame);

}  // namespace kinema
