// The table: the indices of 16 pixels are computed at a time, then each is looked up on its own. Tiles in which no
// colour can have a degree, according to a plane and the box of their colours, are not looked up at all. Colours
// scattered over the table are looked up in its blocks.
#include "head/moments/moments_cpu_plain.h"

#include <bit>
#include <cstring>

// vectors are stored in arrays, which sizeless vectors do not allow
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "head/moments/moments_cpu_table.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include "head/moments/plane_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace kinema::head {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
// What Highway falls back to on x86-64 without SSSE3 if g++ is older than 12.3: it has no vectors of 16 bytes.

void add_table(const ColourBlocks& table, const Piece& piece, const Margins& margins) {
  plain::add_columns(table, piece, 0, margins);
}

void table_weights(const ColourBlocks& table, const std::uint8_t* row, std::size_t pixel_bytes, std::size_t width,
                   std::uint32_t* out) {
  plain::weights(table, row, pixel_bytes, 0, width, out);
}

#else

using Shorts = hn::Full128<std::uint16_t>;
using HalfBytes = hn::Half<Bytes>;

// If hardly any tile is skipped, the next rows are not tested.
constexpr std::size_t rows_unlooked = 7;

// The degrees of a tile, row by row.
struct alignas(16) TileDegrees {
  std::uint8_t at[tile_rows * tile_columns];
};

template <std::size_t pixel_bytes>
HWY_INLINE void load_channels(const std::uint8_t* p, VBytes& c0, VBytes& c1, VBytes& c2) {
  if constexpr (pixel_bytes == 3) {
    hn::LoadInterleaved3(Bytes(), p, c0, c1, c2);
  } else {
    VBytes c3;
    hn::LoadInterleaved4(Bytes(), p, c0, c1, c2, c3);
  }
}

// The addresses of 16 pixels: the low and the high byte of a block's index, and the offset within.
struct Found {
  VBytes low, high, place;
};
template <std::size_t pixel_bytes>
HWY_INLINE Found find_pixels(const std::uint8_t* p) {
  const Bytes d;
  VBytes c0, c1, c2;
  load_channels<pixel_bytes>(p, c0, c1, c2);
  // c0/8 + 32 (c1/8) + 1024 (c2/4)
  const VBytes low = hn::Or(hn::ShiftRight<3>(c0), hn::And(hn::ShiftLeft<2>(c1), hn::Set(d, 0xe0)));
  const VBytes high = hn::Or(hn::ShiftRight<6>(c1), hn::And(c2, hn::Set(d, 0xfc)));
  // c0%8 + 8 (c1%8) + 64 (c2%4)
  const VBytes two = hn::Or(hn::And(c0, hn::Set(d, 7)), hn::And(hn::ShiftLeft<3>(c1), hn::Set(d, 0x38)));
  return {low, high, hn::Or(two, hn::ShiftLeft<6>(c2))};
}

// Colours scattered over the table: hardly a pixel is like the one above it. That is noise, not an image.
template <std::size_t pixel_bytes>
HWY_INLINE bool scattered(const std::uint8_t* p, std::size_t stride) {
  const Bytes d;
  VBytes a0, a1, a2, b0, b1, b2;
  load_channels<pixel_bytes>(p, a0, a1, a2);
  load_channels<pixel_bytes>(p + stride, b0, b1, b2);
  const VBytes other = hn::Or(hn::Or(hn::Xor(a0, b0), hn::Xor(a1, b1)), hn::Xor(a2, b2));
  return hn::CountTrue(d, hn::Eq(hn::And(other, hn::Set(d, 0xf0)), hn::Zero(d))) < 4;
}

// 8 degrees in a word, in memory order: one store instead of eight.
template <class At>
HWY_INLINE void store_degrees(std::uint8_t* out, const At& at) {
  std::uint64_t word = 0;
  for (std::size_t k = 0; k < 8; ++k)
    word |= std::uint64_t{*at(k)} << (std::endian::native == std::endian::little ? 8 * k : 56 - 8 * k);
  std::memcpy(out, &word, sizeof word);
}

// Similar colours: one access each.
template <std::size_t pixel_bytes, std::size_t rows>
HWY_INLINE void look_up_alike(const ColourBlocks& table, const std::uint8_t* p, std::size_t stride, TileDegrees& tile) {
  const Bytes d;
  const Shorts shorts;
  constexpr std::size_t count = rows * tile_columns;
  alignas(16) std::uint32_t at[count];
  const auto store = [&](VBytes low, VBytes high, std::uint32_t* to) {
    const auto l = hn::BitCast(shorts, low), h = hn::BitCast(shorts, high);
    hn::Store(hn::BitCast(Counts(), hn::InterleaveLower(shorts, l, h)), Counts(), to);
    hn::Store(hn::BitCast(Counts(), hn::InterleaveUpper(shorts, l, h)), Counts(), to + 4);
  };
  for (std::size_t r = 0; r < rows; ++r) {
    // 256 times the index, plus the offset
    const Found found = find_pixels<pixel_bytes>(p + r * stride);
    const VBytes zero = hn::Zero(d);
    std::uint32_t* row = at + r * tile_columns;
    store(hn::InterleaveLower(d, found.place, found.low), hn::InterleaveLower(d, found.high, zero), row);
    store(hn::InterleaveUpper(d, found.place, found.low), hn::InterleaveUpper(d, found.high, zero), row + 8);
  }
  const std::uint8_t* degrees = table.all.data();
  for (std::size_t i = 0; i < count; i += 8)
    store_degrees(tile.at + i, [&](std::size_t k) { return degrees + at[i + k]; });
}

// Any others: in the distinct blocks, which are fewer.
template <std::size_t pixel_bytes, std::size_t rows>
HWY_INLINE void look_up_scattered(const ColourBlocks& table, const std::uint8_t* p, std::size_t stride,
                                  TileDegrees& tile) {
  constexpr std::size_t count = rows * tile_columns;
  alignas(16) std::uint16_t block[count];
  alignas(16) std::uint8_t place[count];
  for (std::size_t r = 0; r < rows; ++r) {
    const Bytes d;
    const Found found = find_pixels<pixel_bytes>(p + r * stride);
    std::uint16_t* row = block + r * tile_columns;
    hn::Store(hn::BitCast(Shorts(), hn::InterleaveLower(d, found.low, found.high)), Shorts(), row);
    hn::Store(hn::BitCast(Shorts(), hn::InterleaveUpper(d, found.low, found.high)), Shorts(), row + 8);
    hn::Store(found.place, d, place + r * tile_columns);
  }
  const std::uint16_t* blocks = table.block.data();
  const std::uint8_t* degrees = table.degrees.data();
  const auto at = [&](std::size_t i) { return degrees + 256 * std::size_t{blocks[block[i]]} + place[i]; };
  for (std::size_t i = 0; i < count; ++i) hwy::Prefetch(at(i));  // prefetched well ahead
  for (std::size_t i = 0; i < count; i += 8) store_degrees(tile.at + i, [&](std::size_t k) { return at(i + k); });
}

template <std::size_t pixel_bytes, std::size_t rows>
HWY_INLINE void look_up_tile(const ColourBlocks& table, const std::uint8_t* p, std::size_t stride, TileDegrees& tile) {
  if (rows > 1 && scattered<pixel_bytes>(p, stride))
    look_up_scattered<pixel_bytes, rows>(table, p, stride, tile);
  else
    look_up_alike<pixel_bytes, rows>(table, p, stride, tile);
}

HWY_INLINE std::uint8_t least_byte(VBytes v) {
  const Bytes d;
  v = hn::Min(v, hn::ShiftRightBytes<8>(d, v));
  v = hn::Min(v, hn::ShiftRightBytes<4>(d, v));
  v = hn::Min(v, hn::ShiftRightBytes<2>(d, v));
  return hn::GetLane(hn::Min(v, hn::ShiftRightBytes<1>(d, v)));
}

// Whether the box of all the tile's colours touches any with a degree.
template <std::size_t pixel_bytes>
HWY_INLINE bool any_degree(const ColourBlocks& table, const VBytes low[pixel_bytes], const VBytes high[pixel_bytes]) {
  const Bytes d;
  const auto ones = hn::Set(d, 0xff);
  alignas(16) std::uint8_t bytes[2][16 * pixel_bytes];
  for (std::size_t v = 0; v < pixel_bytes; ++v) {
    hn::Store(low[v], d, bytes[0] + 16 * v);
    hn::Store(hn::Xor(high[v], ones), d, bytes[1] + 16 * v);
  }
  std::array<std::uint8_t, 3> ends[2];
  for (std::size_t end = 0; end < 2; ++end) {
    VBytes c0, c1, c2;
    load_channels<pixel_bytes>(bytes[end], c0, c1, c2);
    ends[end] = {least_byte(c0), least_byte(c1), least_byte(c2)};
  }
  for (std::uint8_t& byte : ends[1]) byte = static_cast<std::uint8_t>(~byte);
  return table.any_degree(ends[0], ends[1]);
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

// A row of tiles. Returns how many were tested in vain.
template <std::size_t pixel_bytes, std::size_t rows>
std::size_t add_tiles(const ColourBlocks& table, const PlaneLanes<pixel_bytes>* support, const std::uint8_t* data,
                      std::size_t stride, std::size_t width, std::uint32_t* columns, std::uint64_t* row_sums) {
  std::size_t in_vain = 0;
  TileDegrees tile;
  for (std::size_t x = 0; x + tile_columns <= width; x += tile_columns) {
    const std::uint8_t* p = data + pixel_bytes * x;
    PlaneLanes<pixel_bytes>::template fetch_ahead<rows>(p, stride);
    if (support != nullptr) {
      VBytes low[pixel_bytes], high[pixel_bytes];
      VInts most[groups];
      support->template extent<rows>(p, stride, low, high);
      support->largest_sums(low, high, most);
      if (!support->any_weight(most) || !any_degree<pixel_bytes>(table, low, high)) continue;
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

#endif
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
