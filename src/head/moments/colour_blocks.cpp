#include "head/moments/colour_blocks.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace kinema::head {
namespace {

constexpr std::size_t block_count = std::size_t{32} * 32 * 64, block_size = 256;
using Colour = std::array<int, 3>;  // in the order of a pixel's bytes

Colour first_colour(std::size_t block) {
  return {static_cast<int>(block % 32 * 8), static_cast<int>(block / 32 % 32 * 8), static_cast<int>(block / 1024 * 4)};
}

int dot(const Colour& a, const Colour& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// The value of skipping the look-up of a colour: most camera pixels are nearly grey.
int commonness(const Colour& c) {
  const int spread = std::max({c[0], c[1], c[2]}) - std::min({c[0], c[1], c[2]});
  return spread < 24 ? 16 : spread < 64 ? 4 : 1;
}

// Blocks that are first or last of their kind in a line: only these can be outermost.
std::vector<std::size_t> outermost(const std::vector<std::uint8_t>& has_degree) {
  std::vector<std::size_t> ends;
  for (std::size_t line = 0; line < block_count; line += 32) {
    std::size_t first = 32, last = 0;
    for (std::size_t i = 0; i < 32; ++i)
      if (has_degree[line + i] != 0) {
        first = std::min(first, i);
        last = i;
      }
    if (first <= last) ends.push_back(line + first);
    if (first < last) ends.push_back(line + last);
  }
  return ends;
}

// The smallest n.c of a block's corners.
int corner(const Colour& n, std::size_t block) {
  return dot(n, first_colour(block)) + std::min(0, 7 * n[0]) + std::min(0, 7 * n[1]) + std::min(0, 3 * n[2]);
}

// The smallest n.c of all colours with a degree. Blocks are ordered by their corners, so the first ones decide.
int least_of_colours(const Colour& n, const ColourBlocks& blocks, const std::vector<std::uint8_t>& has_degree) {
  std::vector<std::pair<int, std::size_t>> order;
  for (std::size_t i = 0; i < block_count; ++i)
    if (has_degree[i] != 0) order.emplace_back(corner(n, i), i);
  std::sort(order.begin(), order.end());
  int least = std::numeric_limits<int>::max();
  for (const auto& [bound, i] : order) {
    if (bound >= least) break;
    const Colour first = first_colour(i);
    const std::uint8_t* degrees = blocks.degrees.data() + block_size * blocks.block[i];
    for (int k = 0; k < static_cast<int>(block_size); ++k)
      if (degrees[k] != 0) least = std::min(least, dot(n, {first[0] + k % 8, first[1] + k / 8 % 8, first[2] + k / 64}));
  }
  return least;
}

// The plane with all colours that have a degree on one side: of about a hundred directions, the one with most of the
// common colours on the other. Directions are scored by blocks; the chosen plane is then moved up to the colours
// themselves.
PlaneOfBytes find_support(const ColourBlocks& blocks, const std::vector<std::uint8_t>& has_degree) {
  const std::vector<std::size_t> ends = outermost(has_degree);
  if (ends.empty()) return {{0, 0, 0}, 0, 1};

  std::vector<std::pair<Colour, int>> common;  // centres of some of the blocks without a degree, and their value
  for (std::size_t i = 0; i < block_count; i += 13) {
    if (has_degree[i] != 0) continue;
    const Colour first = first_colour(i), middle = {first[0] + 3, first[1] + 3, first[2] + 1};
    common.emplace_back(middle, commonness(middle));
  }
  constexpr int steps = 3;
  Colour best{0, 0, 0};
  int best_worth = 0;
  for (int n0 = -steps; n0 <= steps; ++n0)
    for (int n1 = -steps; n1 <= steps; ++n1)
      for (int n2 = -steps; n2 <= steps; ++n2) {
        const Colour n = {n0, n1, n2};
        if (std::max({std::abs(n0), std::abs(n1), std::abs(n2)}) < steps) continue;  // the others are these, or nearly
        int least = std::numeric_limits<int>::max();
        for (const std::size_t i : ends) least = std::min(least, corner(n, i));
        int worth = 0;
        for (const auto& [colour, value] : common) worth += dot(n, colour) < least ? value : 0;
        if (worth > best_worth) {
          best_worth = worth;
          best = n;
        }
      }
  if (best_worth == 0) return {{0, 0, 0}, 1, 1};
  return {{best[0], best[1], best[2]}, 1 - least_of_colours(best, blocks, has_degree), 1};
}

std::vector<std::uint16_t> count_cells(const std::vector<std::uint8_t>& has_degree) {
  constexpr std::size_t side = 33;
  std::vector<std::uint16_t> below(side * side * side);
  for (std::size_t a2 = 1; a2 < side; ++a2)
    for (std::size_t a1 = 1; a1 < side; ++a1) {
      int line = 0;  // of this row of cells
      for (std::size_t a0 = 1; a0 < side; ++a0) {
        const std::size_t block = (a0 - 1) + 32 * (a1 - 1) + 2048 * (a2 - 1);
        line += has_degree[block] != 0 || has_degree[block + 1024] != 0;
        const std::size_t at = a0 + side * (a1 + side * a2);
        below[at] = static_cast<std::uint16_t>(line + below[at - side] + below[at - side * side] -
                                               below[at - side - side * side]);
      }
    }
  return below;
}

// The degrees of a block in order.
void gather(const Table& table, bool blue_first, std::size_t block, std::uint8_t* out) {
  const Colour first = first_colour(block);
  const auto c0 = static_cast<std::size_t>(first[0]), c1 = static_cast<std::size_t>(first[1]),
             c2 = static_cast<std::size_t>(first[2]);
  const std::uint8_t* degrees = table.degrees.data();
  if (blue_first) {
    for (std::size_t i = 0; i < 32; ++i)
      std::memcpy(out + 8 * i, degrees + 65536 * (c2 + i / 8) + 256 * (c1 + i % 8) + c0, 8);
  } else {
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint8_t* from = degrees + 65536 * (c0 + i % 8) + 256 * (c1 + i / 8) + c2;
      for (std::size_t k = 0; k < 4; ++k) out[i + 64 * k] = from[k];
    }
  }
}

}  // namespace

ColourBlocks make_colour_blocks(const Table& table, bool blue_first, const Threads& threads) {
  ColourBlocks blocks;
  blocks.all.resize(block_count * block_size);
  std::vector<std::uint8_t> even(block_count), has_degree(block_count);
  threads.for_each(64, [&](std::size_t slab) {
    for (std::size_t i = 1024 * slab; i < 1024 * (slab + 1); ++i) {
      std::uint8_t* own = blocks.all.data() + block_size * i;
      gather(table, blue_first, i, own);
      even[i] = std::memcmp(own, own + 1, block_size - 1) == 0;
      has_degree[i] = even[i] == 0 || own[0] != 0;
    }
  });

  blocks.block.resize(block_count);
  std::array<int, 256> uniform;  // the uniform block of this degree
  uniform.fill(-1);
  std::size_t next = 0;
  for (std::size_t i = 0; i < block_count; ++i) {
    const std::uint8_t* own = blocks.all.data() + block_size * i;
    const std::uint8_t degree = own[0];
    if (even[i] != 0 && uniform[degree] >= 0) {
      blocks.block[i] = static_cast<std::uint16_t>(uniform[degree]);
      continue;
    }
    if (even[i] != 0) uniform[degree] = static_cast<int>(next);
    blocks.degrees.insert(blocks.degrees.end(), own, own + block_size);
    blocks.block[i] = static_cast<std::uint16_t>(next++);
  }
  blocks.support = find_support(blocks, has_degree);
  blocks.cells_below = count_cells(has_degree);
  return blocks;
}

}  // namespace kinema::head
