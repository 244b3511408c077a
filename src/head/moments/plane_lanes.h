// A plane over pixels of 3 or 4 bytes, in vectors. Part of the cpu backend's kernels, and like them compiled once per
// SIMD level.
#if defined(KINEMA_HEAD_PLANE_LANES) == defined(HWY_TARGET_TOGGLE)
#ifdef KINEMA_HEAD_PLANE_LANES
#undef KINEMA_HEAD_PLANE_LANES
#else
#define KINEMA_HEAD_PLANE_LANES
#endif

#include "head/moments/fixed_plane.h"

#include <cstddef>
#include <cstdint>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#if HWY_TARGET != HWY_SCALAR  // which has no vectors of 16 bytes
HWY_BEFORE_NAMESPACE();
namespace kinema::head {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Bytes are shuffled within 16, so the vectors have 16 bytes on any CPU.
using Bytes = hn::Full128<std::uint8_t>;
using Ints = hn::Full128<std::int32_t>;
using Counts = hn::Full128<std::uint32_t>;
using VBytes = hn::Vec<Bytes>;
using VInts = hn::Vec<Ints>;
using VCounts = hn::Vec<Counts>;

constexpr std::size_t tile_columns = 16, tile_rows = 8;
constexpr std::size_t groups = 4;  // vectors of four pixels in a tile's row

// Prefetch distance in bytes of a row: rows of a tile are too many streams for the hardware prefetcher. Past the end of
// the frame this has no effect.
constexpr std::size_t ahead = 768;

template <std::size_t pixel_bytes>
class PlaneLanes {
public:
  explicit PlaneLanes(const PlaneOfBytes& plane)
      : zero_(hn::Set(Ints(), -plane.d)), one_(hn::Set(Ints(), plane.one - plane.d)) {
    alignas(16) std::uint8_t bytes[16];
    for (std::size_t c = 0; c < 3; ++c) {
      q_[c] = hn::Set(Counts(), static_cast<std::uint32_t>(plane.q[c]));
      for (std::size_t i = 0; i < 16; ++i)
        bytes[i] = static_cast<std::uint8_t>(i % 4 == 0 ? pixel_bytes * (i / 4) + c : 0x80);
      first_[c] = hn::Load(Bytes(), bytes);
      for (std::size_t i = 0; i < 16; i += 4) bytes[i] = static_cast<std::uint8_t>(bytes[i] + 16 - 4 * pixel_bytes);
      last_[c] = hn::Load(Bytes(), bytes);
    }
    for (std::size_t v = 0; v < pixel_bytes; ++v) {
      for (std::size_t i = 0; i < 16; ++i) {
        const std::size_t c = (16 * v + i) % pixel_bytes;
        bytes[i] = c < 3 && plane.q[c] < 0 ? 0xff : 0;
      }
      falling_[v] = hn::Load(Bytes(), bytes);
    }
  }

  // The weights of group g of the 16 pixels at p, each minus d, which is added to their sums: q.c is clamped between -d
  // and one - d. The last group is loaded by its end, so that nothing past the pixels is read.
  HWY_INLINE VCounts weights(const std::uint8_t* p, std::size_t g) const {
    const bool last = g + 1 == groups;
    const VBytes bytes = hn::LoadU(Bytes(), p + (last ? 16 * pixel_bytes - 16 : 4 * pixel_bytes * g));
    return hn::BitCast(Counts(), hn::Min(hn::Max(sums(bytes, last), zero_), one_));
  }

  // Prefetches for later tiles.
  template <std::size_t rows>
  static HWY_INLINE void fetch_ahead(const std::uint8_t* p, std::size_t stride) {
    for (std::size_t r = 0; r < rows; ++r) hwy::Prefetch(p + r * stride + ahead);
  }

  // The smallest and the largest byte of each column of a tile.
  template <std::size_t rows>
  static HWY_INLINE void extent(const std::uint8_t* p, std::size_t stride, VBytes low[pixel_bytes],
                                VBytes high[pixel_bytes]) {
    for (std::size_t v = 0; v < pixel_bytes; ++v) {
      low[v] = high[v] = hn::LoadU(Bytes(), p + 16 * v);
      for (std::size_t r = 1; r < rows; ++r) {
        const VBytes bytes = hn::LoadU(Bytes(), p + r * stride + 16 * v);
        low[v] = hn::Min(low[v], bytes);
        high[v] = hn::Max(high[v], bytes);
      }
    }
  }

  // A column's colours lie in a box: the largest and the smallest sums, by group, are those of two of its corners.
  HWY_INLINE void largest_sums(const VBytes low[pixel_bytes], const VBytes high[pixel_bytes],
                               VInts most[groups]) const {
    VBytes corner[pixel_bytes];
    for (std::size_t v = 0; v < pixel_bytes; ++v)
      corner[v] = hn::Or(hn::And(falling_[v], low[v]), hn::AndNot(falling_[v], high[v]));
    sums_of_row(corner, most);
  }
  HWY_INLINE void least_sums(const VBytes low[pixel_bytes], const VBytes high[pixel_bytes], VInts least[groups]) const {
    VBytes corner[pixel_bytes];
    for (std::size_t v = 0; v < pixel_bytes; ++v)
      corner[v] = hn::Or(hn::And(falling_[v], high[v]), hn::AndNot(falling_[v], low[v]));
    sums_of_row(corner, least);
  }

  HWY_INLINE bool any_weight(VInts most) const { return !hn::AllFalse(Ints(), hn::Gt(most, zero_)); }
  HWY_INLINE bool all_full(VInts least) const { return hn::AllFalse(Ints(), hn::Lt(least, one_)); }
  HWY_INLINE bool any_weight(const VInts most[groups]) const {
    return any_weight(hn::Max(hn::Max(most[0], most[1]), hn::Max(most[2], most[3])));
  }
  HWY_INLINE bool all_full(const VInts least[groups]) const {
    return all_full(hn::Min(hn::Min(least[0], least[1]), hn::Min(least[2], least[3])));
  }

private:
  // q.c of four pixels
  HWY_INLINE VInts sums(VBytes bytes, bool last) const {
    const VBytes* index = pixel_bytes == 3 && last ? last_ : first_;
    // unsigned, since terms of the sum may overflow where the sum does not
    const auto channel = [&](std::size_t c)
                             HWY_ATTR { return hn::BitCast(Counts(), hn::TableLookupBytesOr0(bytes, index[c])); };
    VCounts sum = hn::Mul(channel(0), q_[0]);
    sum = hn::Add(sum, hn::Mul(channel(1), q_[1]));
    sum = hn::Add(sum, hn::Mul(channel(2), q_[2]));
    return hn::BitCast(Ints(), sum);
  }
  HWY_INLINE void sums_of_row(const VBytes row[pixel_bytes], VInts out[groups]) const {
    if constexpr (pixel_bytes == 3) {
      out[0] = sums(row[0], false);
      out[1] = sums(hn::CombineShiftRightBytes<12>(Bytes(), row[1], row[0]), false);
      out[2] = sums(hn::CombineShiftRightBytes<8>(Bytes(), row[2], row[1]), false);
      out[3] = sums(row[2], true);
    } else {
      for (std::size_t g = 0; g < groups; ++g) out[g] = sums(row[g], false);
    }
  }

  VBytes first_[3], last_[3];    // the bytes of a channel
  VBytes falling_[pixel_bytes];  // ones where the weight decreases with the channel
  VCounts q_[3];
  VInts zero_, one_;  // the sums at which the weight is 0, and full
};

}  // namespace HWY_NAMESPACE
}  // namespace kinema::head
HWY_AFTER_NAMESPACE();
#endif

#endif
