// The table of all colours (eq. 7) in an order that caches like: blocks of 8 x 8 x 4 colours, so that colours that are
// alike lie together, and all blocks of one degree are one. What is left of a classifier of skin is often a tenth of
// 16 MB.
#pragma once

#include "head/fixed_plane.h"
#include "kinema/head.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kinema::head {

struct ColourBlocks {
  /// Which block a colour is in, at c0/8 + 32 (c1/8) + 1024 (c2/4); c0 is the first byte of a pixel.
  std::vector<std::uint16_t> block;

  /// Of 256 degrees a block: a colour is at c0%8 + 8 (c1%8) + 64 (c2%4).
  std::vector<std::uint8_t> degrees;

  /// q.c + d is above 0 for every colour that has a degree, and not for as many of the others as one plane can tell.
  PlaneOfBytes support;
};

/// Of pixels whose first byte is blue, or red.
ColourBlocks make_colour_blocks(const Table& table, bool blue_first);

}  // namespace kinema::head
