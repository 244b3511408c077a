// The table of all colours (eq. 7) in a cache-friendly order: blocks of 8 x 8 x 4 colours, so that similar colours lie
// together; and a second table that stores all blocks of uniform degree once per degree, which often reduces the 16 MB
// of a skin classifier to a tenth.
#pragma once

#include "core/threads.h"
#include "head/moments/fixed_plane.h"
#include "kinema/head.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kinema::head {

struct ColourBlocks {
  /// All blocks, of 256 degrees each, by their index c0/8 + 32 (c1/8) + 1024 (c2/4), where c0 is the first byte of a
  /// pixel; a colour is at c0%8 + 8 (c1%8) + 64 (c2%4). One access per pixel: faster while the colours are few enough
  /// for the cache.
  std::vector<std::uint8_t> all;

  /// Where a block is in `degrees`, by its index.
  std::vector<std::uint16_t> block;

  /// The distinct blocks.
  std::vector<std::uint8_t> degrees;

  /// q.c + d is above 0 for every colour with a degree, and at or below 0 for as many others as one plane can separate.
  PlaneOfBytes support;

  /// At a0 + 33 (a1 + 33 a2): the number of cells of 8 x 8 x 8 colours with a degree below a0, a1, a2.
  std::vector<std::uint16_t> cells_below;

  /// True if any cell touched by the colours low...high has a degree.
  bool any_degree(const std::array<std::uint8_t, 3>& low, const std::array<std::uint8_t, 3>& high) const {
    const std::size_t a0 = low[0] / 8u, a1 = 33 * (low[1] / 8u), a2 = 33 * 33 * (low[2] / 8u);
    const std::size_t b0 = high[0] / 8u + 1, b1 = 33 * (high[1] / 8u + 1), b2 = 33 * 33 * (high[2] / 8u + 1);
    const std::uint16_t* n = cells_below.data();
    const int upper = n[b0 + b1 + b2] - n[a0 + b1 + b2] - n[b0 + a1 + b2] + n[a0 + a1 + b2];
    const int lower = n[b0 + b1 + a2] - n[a0 + b1 + a2] - n[b0 + a1 + a2] + n[a0 + a1 + a2];
    return upper != lower;
  }
};

/// For pixels whose first byte is blue, or red.
ColourBlocks make_colour_blocks(const Table& table, bool blue_first, const Threads& threads);

}  // namespace kinema::head
