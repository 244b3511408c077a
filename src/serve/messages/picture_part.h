// Pictures for pages: red, green, blue, scaled down where they are large.
#pragma once

#include "kinema/picture.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kinema::serve {

struct RgbPicture {
  std::size_t width = 0, height = 0;
  std::size_t shrunk = 1;         ///< by this whole number
  std::vector<std::uint8_t> rgb;  ///< height x width x 3
};

/// At most `widest` pixels wide; blocks of pixels become their mean. Columns and rows that fill no block are left out.
RgbPicture rgb_picture(const io::Picture& picture, std::size_t widest);

}  // namespace kinema::serve
