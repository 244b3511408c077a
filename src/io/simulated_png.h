// PNG files in memory, for the recordings that are simulated.
#pragma once

#include "io/picture.h"
#include "kinema/image.h"

#include <cstdint>
#include <string>

namespace kinema::io {

std::string png_of_depth(ImageView<const std::uint16_t> depth);
std::string png_of_picture(const Picture& picture);

}  // namespace kinema::io
