// The plane, four pixels per vector: bytes become 32-bit lanes by one shuffle each, then three products, two clamps,
// and one addition to a column and to a row.
#include "head/moments/moments_cpu_plain.h"
#include "head/moments/plane_strip.h"

// vectors are stored in arrays, which sizeless vectors do not allow
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "head/moments/moments_cpu_plane.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include "head/moments/plane_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace kinema::head {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
// What Highway falls back to on x86-64 without SSSE3 if g++ is older than 12.3: it has no vectors of 16 bytes.

void add_plane(const PlaneOfBytes& plane, const Piece& piece, const Margins& margins) {
  plain::add_columns(plane, piece, 0, margins);
}

void plane_weights(const PlaneOfBytes& plane, const std::uint8_t* row, std::size_t pixel_bytes, std::size_t width,
                   std::uint32_t* out) {
  plain::weights(plane, row, pixel_bytes, 0, width, out);
}

#else

constexpr std::size_t chunk_tiles = most_rows / groups;  // as many weights per lane as 32 bits can hold
constexpr std::size_t chunk_columns = chunk_tiles * tile_columns;

// Groups of columns of a tile in which no colour can have a weight are skipped, and those in which all must have the
// full one are counted. If there are few (a frame of noise), testing is a waste, so some tiles are probed first: one in
// several of a row of tiles, and of every fourth such row, since tiles that are not yet in the cache take long to
// probe.
constexpr std::size_t asked_columns = 16 * tile_columns, asked_rows = 4 * tile_rows;

HWY_INLINE std::uint64_t sum_of(VCounts lanes) {
  alignas(16) std::uint32_t counts[4];
  hn::Store(lanes, Counts(), counts);
  std::uint64_t sum = 0;
  for (const std::uint32_t count : counts) sum += count;
  return sum;
}

// Whether at least half of the probed tiles can be skipped.
template <std::size_t pixel_bytes>
bool look_pays(const PlaneLanes<pixel_bytes>& lanes, const std::uint8_t* data, std::size_t stride, std::size_t width) {
  std::size_t passed = 0, tiles = 0;
  for (std::size_t x = 0; x + tile_columns <= width; x += asked_columns) {
    VBytes low[pixel_bytes], high[pixel_bytes];
    VInts sums[groups];
    lanes.template extent<tile_rows>(data + pixel_bytes * x, stride, low, high);
    lanes.largest_sums(low, high, sums);
    bool pass = !lanes.any_weight(sums);
    if (!pass) {
      lanes.least_sums(low, high, sums);
      pass = lanes.all_full(sums);
    }
    passed += pass ? 1 : 0;
    ++tiles;
  }
  return 2 * passed > tiles;
}

// A row of tiles.
template <std::size_t pixel_bytes, std::size_t rows, bool look>
void add_tiles(const PlaneLanes<pixel_bytes>& shared, const PlaneOfBytes& plane, const std::uint8_t* data,
               std::size_t stride, std::size_t width, std::uint32_t* columns, std::uint64_t* row_sums) {
  const PlaneLanes<pixel_bytes> lanes = shared;  // a local copy, which stores to the sums cannot alias
  const auto one = static_cast<std::uint32_t>(plane.one), d = static_cast<std::uint32_t>(plane.d);
  const VCounts full_column = hn::Set(Counts(), static_cast<std::uint32_t>(rows) * one);
  const VCounts empty_column = hn::Set(Counts(), static_cast<std::uint32_t>(rows) * d);  // weights are reduced by d
  for (std::size_t begin = 0; begin + tile_columns <= width; begin += chunk_columns) {
    const std::size_t end = std::min(begin + chunk_columns, width);
    VCounts row[rows];
    for (std::size_t r = 0; r < rows; ++r) row[r] = hn::Zero(Counts());
    std::uint32_t full = 0, other = 0;  // groups
    for (std::size_t x = begin; x + tile_columns <= end; x += tile_columns) {
      const std::uint8_t* p = data + pixel_bytes * x;
      lanes.template fetch_ahead<rows>(p, stride);
      VInts most[groups], least[groups];
      if (look) {
        VBytes low[pixel_bytes], high[pixel_bytes];
        lanes.template extent<rows>(p, stride, low, high);
        lanes.largest_sums(low, high, most);
        if (!lanes.any_weight(most)) continue;
        lanes.least_sums(low, high, least);
      }
      for (std::size_t g = 0; g < groups; ++g) {
        if (look && !lanes.any_weight(most[g])) continue;
        VCounts column = full_column;
        if (look && lanes.all_full(least[g])) {
          ++full;
        } else {
          ++other;
          column = empty_column;
          for (std::size_t r = 0; r < rows; ++r) {
            const VCounts w = lanes.weights(p + r * stride, g);
            column = hn::Add(column, w);
            row[r] = hn::Add(row[r], w);
          }
        }
        std::uint32_t* at = columns + x + 4 * g;
        hn::StoreU(hn::Add(hn::LoadU(Counts(), at), column), Counts(), at);
      }
    }
    const VCounts rest = hn::Set(Counts(), other * d + full * one);
    for (std::size_t r = 0; r < rows; ++r) row_sums[r] += sum_of(hn::Add(row[r], rest));
  }
}

// Adds whole rows of tiles, and returns the number of pixel rows in them.
template <std::size_t pixel_bytes>
std::size_t add_rows_of_tiles(const PlaneLanes<pixel_bytes>& lanes, const PlaneOfBytes& plane, const Piece& piece,
                              const Margins& margins) {
  bool look = false;
  std::size_t y = 0;
  for (; y + tile_rows <= piece.height; y += tile_rows) {
    const std::uint8_t* data = piece.data + y * piece.stride;
    std::uint64_t* rows = margins.rows + y;
    if (y % asked_rows == 0) look = look_pays(lanes, data, piece.stride, piece.width);
    if (look)
      add_tiles<pixel_bytes, tile_rows, true>(lanes, plane, data, piece.stride, piece.width, margins.columns, rows);
    else
      add_tiles<pixel_bytes, tile_rows, false>(lanes, plane, data, piece.stride, piece.width, margins.columns, rows);
  }
  return y;
}

template <std::size_t pixel_bytes>
void add_rows(const PlaneOfBytes& plane, const Piece& piece, const Margins& margins) {
  const PlaneLanes<pixel_bytes> lanes(plane);
  std::size_t y = 0;
  if (plane_strips_work() && fits_short(plane)) {
    y = piece.height / strip_height * strip_height;
    add_plane_strips(plane, piece.data, piece.stride, pixel_bytes, piece.width / tile_columns * tile_columns, y,
                     margins.columns, margins.rows);
  } else {
    y = add_rows_of_tiles(lanes, plane, piece, margins);
  }
  for (; y < piece.height; ++y)
    add_tiles<pixel_bytes, 1, false>(lanes, plane, piece.data + y * piece.stride, piece.stride, piece.width,
                                     margins.columns, margins.rows + y);
}

void add_plane(const PlaneOfBytes& plane, const Piece& piece, const Margins& margins) {
  if (piece.pixel_bytes == 3)
    add_rows<3>(plane, piece, margins);
  else
    add_rows<4>(plane, piece, margins);
  plain::add_columns(plane, piece, piece.width / tile_columns * tile_columns, margins);
}

template <std::size_t pixel_bytes>
void store_weights(const PlaneOfBytes& plane, const std::uint8_t* row, std::size_t width, std::uint32_t* out) {
  const PlaneLanes<pixel_bytes> lanes(plane);
  const VCounts d = hn::Set(Counts(), static_cast<std::uint32_t>(plane.d));
  for (std::size_t x = 0; x + tile_columns <= width; x += tile_columns)
    for (std::size_t g = 0; g < groups; ++g)
      hn::StoreU(hn::Add(lanes.weights(row + pixel_bytes * x, g), d), Counts(), out + x + 4 * g);
}

void plane_weights(const PlaneOfBytes& plane, const std::uint8_t* row, std::size_t pixel_bytes, std::size_t width,
                   std::uint32_t* out) {
  if (pixel_bytes == 3)
    store_weights<3>(plane, row, width, out);
  else
    store_weights<4>(plane, row, width, out);
  plain::weights(plane, row, pixel_bytes, width / tile_columns * tile_columns, width, out);
}

#endif
}  // namespace HWY_NAMESPACE
}  // namespace kinema::head
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kinema::head {

HWY_EXPORT(add_plane);
HWY_EXPORT(plane_weights);
void add_plane(const PlaneOfBytes& plane, const Piece& piece, const Margins& margins) {
  HWY_DYNAMIC_DISPATCH(add_plane)(plane, piece, margins);
}
void plane_weights(const PlaneOfBytes& plane, const std::uint8_t* row, std::size_t pixel_bytes, std::size_t width,
                   std::uint32_t* out) {
  HWY_DYNAMIC_DISPATCH(plane_weights)(plane, row, pixel_bytes, width, out);
}

}  // namespace kinema::head
#endif
