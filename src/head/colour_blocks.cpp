#include "head/colour_blocks.h"

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

// How much a colour is worth not having to look up: most of what a camera sees is nearly grey.
int commonness(const Colour& c) {
  const int spread = std::max({c[0], c[1], c[2]}) - std::min({c[0], c[1], c[2]});
  return spread < 24 ? 16 : spread < 64 ? 4 : 1;
}

// The plane with all that has a degree on one side: of a few hundred directions the one that has most of the common colours
// on the other. A direction is judged by blocks, at the corner that is worst; the one that is chosen is then moved up to
// the colours themselves.
PlaneOfBytes find_support(const ColourBlocks& blocks, const std::vector<bool>& has_degree) {
  std::vector<std::size_t> full;
  for (std::size_t i = 0; i < block_count; ++i)
    if (has_degree[i]) full.push_back(i);
  if (full.empty()) return {{0, 0, 0}, 0, 1};

  constexpr int steps = 3;
  constexpr Colour middle = {3, 3, 1};
  std::vector<std::pair<Colour, int>> common;  // middles of some of the blocks without a degree, and their worth
  for (std::size_t i = 0; i < block_count; i += 5) {
    if (has_degree[i]) continue;
    Colour c = first_colour(i);
    for (std::size_t k = 0; k < 3; ++k) c[k] += middle[k];
    common.emplace_back(c, commonness(c));
  }
  Colour best{0, 0, 0};
  int best_worth = 0;
  for (int n0 = -steps; n0 <= steps; ++n0)
    for (int n1 = -steps; n1 <= steps; ++n1)
      for (int n2 = -steps; n2 <= steps; ++n2) {
        const Colour n = {n0, n1, n2};
        if (std::max({std::abs(n0), std::abs(n1), std::abs(n2)}) < steps) continue;  // the others are these, or nearly
        int least = std::numeric_limits<int>::max();
        const int corner = std::min(0, 7 * n0) + std::min(0, 7 * n1) + std::min(0, 3 * n2);
        for (const std::size_t i : full) least = std::min(least, dot(n, first_colour(i)) + corner);
        int worth = 0;
        for (const auto& [colour, value] : common) worth += dot(n, colour) < least ? value : 0;
        if (worth > best_worth) {
          best_worth = worth;
          best = n;
        }
      }
  if (best_worth == 0) return {{0, 0, 0}, 1, 1};

  int least = std::numeric_limits<int>::max();
  for (const std::size_t i : full) {
    const Colour first = first_colour(i);
    const std::uint8_t* degrees = blocks.degrees.data() + block_size * blocks.block[i];
    for (int k = 0; k < static_cast<int>(block_size); ++k)
      if (degrees[k] != 0)
        least = std::min(least, dot(best, {first[0] + k % 8, first[1] + k / 8 % 8, first[2] + k / 64}));
  }
  return {{best[0], best[1], best[2]}, 1 - least, 1};
}

}  // namespace

ColourBlocks make_colour_blocks(const Table& table, bool blue_first) {
  ColourBlocks blocks;
  blocks.block.resize(block_count);
  std::array<int, 256> uniform;  // the block in which all is this degree
  uniform.fill(-1);
  std::vector<bool> has_degree(block_count);
  std::array<std::uint8_t, block_size> own;
  for (std::size_t i = 0; i < block_count; ++i) {
    const Colour first = first_colour(i);
    for (std::size_t k = 0; k < block_size; ++k) {
      const std::size_t c0 = static_cast<std::size_t>(first[0]) + k % 8,
                        c1 = static_cast<std::size_t>(first[1]) + k / 8 % 8,
                        c2 = static_cast<std::size_t>(first[2]) + k / 64;
      own[k] = table.degrees[blue_first ? 65536 * c2 + 256 * c1 + c0 : 65536 * c0 + 256 * c1 + c2];
    }
    const bool even = std::memcmp(own.data(), own.data() + 1, block_size - 1) == 0;
    has_degree[i] = !even || own[0] != 0;
    if (even && uniform[own[0]] >= 0) {
      blocks.block[i] = static_cast<std::uint16_t>(uniform[own[0]]);
      continue;
    }
    const std::size_t next = blocks.degrees.size() / block_size;
    if (even) uniform[own[0]] = static_cast<int>(next);
    blocks.block[i] = static_cast<std::uint16_t>(next);
    blocks.degrees.insert(blocks.degrees.end(), own.begin(), own.end());
  }
  blocks.support = find_support(blocks, has_degree);
  return blocks;
}

}  // namespace kinema::head
