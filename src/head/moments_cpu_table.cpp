// The table: where in it the degree of a pixel is follows 16 pixels at a time, then each is looked up on its own. Tiles in
// which no colour can have a degree are known by one plane (see ColourBlocks::support) and not looked up at all.
#include "head/moments_cpu_plain.h"

#include <bit>
#include <cstring>

// vectors stand in arrays, which those of unknown length cannot
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SCALAR)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "head/moments_cpu_table.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include "head/plane_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace kinema::head {
namespace HWY_NAMESPACE {

using Shorts = hn::Full128<std::uint16_t>;
using HalfBytes = hn::Half<Bytes>;

// As for the plane: where hardly a tile is passed over, the next rows are not looked at.
constexpr std::size_t rows_unlooked = 4;

// The degrees of a tile, row by row.
struct alignas(16) TileDegrees {
  std::uint8_t at[tile_rows * tile_columns];
};

// Where 16 pixels are found: blocks and places within.
template <std::size_t pixel_bytes>
HWY_INLINE void find_pixels(const std::uint8_t* p, std::uint16_t* block, std::uint8_t* place) {
  const Bytes d;
  VBytes c0, c1, c2;
  if constexpr (pixel_bytes == 3) {
    hn::LoadInterleaved3(d, p, c0, c1, c2);
  } else {
    VBytes c3;
    hn::LoadInterleaved4(d, p, c0, c1, c2, c3);
  }
  // c0/8 + 32 (c1/8) + 1024 (c2/4), its low and its high byte
  const VBytes low = hn::Or(hn::ShiftRight<3>(c0), hn::And(hn::ShiftLeft<2>(c1), hn::Set(d, 0xe0)));
  const VBytes high = hn::Or(hn::ShiftRight<6>(c1), hn::And(c2, hn::Set(d, 0xfc)));
  hn::Store(hn::BitCast(Shorts(), hn::InterleaveLower(d, low, high)), Shorts(), block);
  hn::Store(hn::BitCast(Shorts(), hn::InterleaveUpper(d, low, high)), Shorts(), block + 8);
  // c0%8 + 8 (c1%8) + 64 (c2%4)
  const VBytes two = hn::Or(hn::And(c0, hn::Set(d, 7)), hn::And(hn::ShiftLeft<3>(c1), hn::Set(d, 0x38)));
  hn::Store(hn::Or(two, hn::ShiftLeft<6>(c2)), d, place);
}

// The degrees of 8 pixels in a word, as they would lie in memory: one store instead of eight.
HWY_INLINE void look_up(const ColourBlocks& table, const std::uint16_t* block, const std::uint8_t* place,
                        std::uint8_t* out) {
  const std::uint16_t* blocks = table.block.data();
  const std::uint8_t* degrees = table.degrees.data();
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    const std::uint64_t degree = degrees[256 * std::size_t{blocks[block[i]]} + place[i]];
    word |= degree << (std::endian::native == std::endian::little ? 8 * i : 56 - 8 * i);
  }
  std::memcpy(out, &word, sizeof word);
}

template <std::size_t pixel_bytes, std::size_t rows>
HWY_INLINE void look_up_tile(const ColourBlocks& table, const std::uint8_t* p, std::size_t stride, TileDegrees& tile) {
  alignas(16) std::uint16_t block[rows * tile_columns];
  alignas(16) std::uint8_t place[rows * tile_columns];
  for (std::size_t r = 0; r < rows; ++r)
    find_pixels<pixel_bytes>(p + r * stride, block + r * tile_columns, place + r * tile_columns);
  for (std::size_t i = 0; i < rows * tile_columns; i += 8) look_up(table, block + i, place + i, tile.at + i);
}

// Adds the degrees of a tile to its columns and rows.
template <std::size_t rows>
HWY_INLINE void add_tile(const TileDegrees& tile, std::uint32_t* columns, std::uint64_t* row_sums) {
  const Bytes d;
  auto low = hn::Zero(Shorts()), high = low;  // columns; 8 rows of bytes fit
  for (std::size_t r = 0; r < rows; ++r) {
    const VBytes degrees = hn::Load(d, tile.at + r * tile_columns);
    low = hn::Add(low, hn::PromoteTo(Shorts(), hn::LowerHalf(HalfBytes(), degrees)));
    high = hn::Add(high, hn::PromoteTo(Shorts(), hn::UpperHalf(HalfBytes(), degrees)));
    alignas(16) std::uint64_t sums[2];
    hn::Store(hn::SumsOf8(degrees), hn::Full128<std::uint64_t>(), sums);
    row_sums[r] += sums[0] + sums[1];
  }
  const Counts counts;
  const hn::Half<Shorts> half;
  const auto add = [&](std::uint32_t* at, auto shorts) {
    hn::StoreU(hn::Add(hn::LoadU(counts, at), hn::PromoteTo(counts, shorts)), counts, at);
  };
  add(columns, hn::LowerHalf(half, low));
  add(columns + 4, hn::UpperHalf(half, low));
  add(columns + 8, hn::LowerHalf(half, high));
  add(columns + 12, hn::UpperHalf(half, high));
}

// A row of tiles. Returns how many were looked at in vain.
template <std::size_t pixel_bytes, std::size_t rows>
std::size_t add_tiles(const ColourBlocks& table, const PlaneLanes<pixel_bytes>* support, const std::uint8_t* data,
                      std::size_t stride, std::size_t width, std::uint32_t* columns, std::uint64_t* row_sums) {
  std::size_t in_vain = 0;
  TileDegrees tile;
  for (std::size_t x = 0; x + tile_columns <= width; x += tile_columns) {
    const std::uint8_t* p = data + pixel_bytes * x;
    if (support != nullptr) {
      VInts most[groups];
      support->template largest_sums<rows>(p, stride, most);
      if (!any_above_zero(hn::Max(hn::Max(most[0], most[1]), hn::Max(most[2], most[3])))) continue;
      ++in_vain;
    }
    look_up_tile<pixel_bytes, rows>(table, p, stride, tile);
    add_tile<rows>(tile, columns + x, row_sums);
  }
  return in_vain;
}

template <std::size_t pixel_bytes>
void add_rows(const ColourBlocks& table, const Piece& piece, const Margins& margins) {
  const PlaneLanes<pixel_bytes> support(table.support);
  const std::size_t tiles = piece.width / tile_columns;
  std::size_t y = 0, unlooked = 0;
  for (; y + tile_rows <= piece.height; y += tile_rows) {
    const std::size_t in_vain =
        add_tiles<pixel_bytes, tile_rows>(table, unlooked == 0 ? &support : nullptr, piece.data + y * piece.stride,
                                          piece.stride, piece.width, margins.columns, margins.rows + y);
    if (unlooked > 0)
      --unlooked;
    else if (8 * in_vain > 7 * tiles)
      unlooked = rows_unlooked;
  }
  for (; y < piece.height; ++y)
    add_tiles<pixel_bytes, 1>(table, nullptr, piece.data + y * piece.stride, piece.stride, piece.width, margins.columns,
                              margins.rows + y);
}

void add_table(const ColourBlocks& table, const Piece& piece, const Margins& margins) {
  if (piece.pixel_bytes == 3)
    add_rows<3>(table, piece, margins);
  else
    add_rows<4>(table, piece, margins);
  plain::add_columns(table, piece, piece.width / tile_columns * tile_columns, margins);
}

void table_weights(const ColourBlocks& table, const std::uint8_t* row, std::size_t pixel_bytes, std::size_t width,
                   std::uint32_t* out) {
  TileDegrees tile;
  std::size_t x = 0;
  for (; x + tile_columns <= width; x += tile_columns) {
    if (pixel_bytes == 3)
      look_up_tile<3, 1>(table, row + 3 * x, 0, tile);
    else
      look_up_tile<4, 1>(table, row + 4 * x, 0, tile);
    for (std::size_t i = 0; i < tile_columns; ++i) out[x + i] = tile.at[i];
  }
  plain::weights(table, row, pixel_bytes, x, width, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace kinema::head
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kinema::head {

HWY_EXPORT(add_table);
HWY_EXPORT(table_weights);
void add_table(const ColourBlocks& table, const Piece& piece, const Margins& margins) {
  HWY_DYNAMIC_DISPATCH(add_table)(table, piece, margins);
}
void table_weights(const ColourBlocks& table, const std::uint8_t* row, std::size_t pixel_bytes, std::size_t width,
                   std::uint32_t* out) {
  HWY_DYNAMIC_DISPATCH(table_weights)(table, row, pixel_bytes, width, out);
}

}  // namespace kinema::head
#endif
