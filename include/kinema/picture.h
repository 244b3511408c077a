// A colour picture that owns its pixels: 8 bits per channel, blue green red, rows without gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kinema::io {

struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> bgr;  // height x width x 3

  bool empty() const { return bgr.empty(); }
};

}  // namespace kinema::io
