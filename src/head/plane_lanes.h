// A plane over pixels of 3 or 4 bytes, in vectors. A part of the cpu backend's kernels, and like them compiled once for
// every SIMD level.
#if defined(KINEMA_HEAD_PLANE_LANES) == defined(HWY_TARGET_TOGGLE)
#ifdef KINEMA_HEAD_PLANE_LANES
#undef KINEMA_HEAD_PLANE_LANES
#else
#define KINEMA_HEAD_PLANE_LANES
#endif

#include "head/fixed_plane.h"

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kinema::head {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Bytes are shuffled within 16, so the vectors have 16 whatever the CPU.
using Bytes = hn::Full128<std::uint8_t>;
using Ints = hn::Full128<std::int32_t>;
using Counts = hn::Full128<std::uint32_t>;
using VBytes = hn::Vec<Bytes>;
using VInts = hn::Vec<Ints>;

constexpr std::size_t tile_columns = 16, tile_rows = 8;
constexpr std::size_t groups = 4;  // vectors of four pixels in a tile's row

template <std::size_t pixel_bytes>
class PlaneLanes {
public:
  explicit PlaneLanes(const PlaneOfBytes& plane) : d_(hn::Set(Ints(), plane.d)), one_(hn::Set(Ints(), plane.one)) {
    alignas(16) std::uint8_t bytes[16];
    for (std::size_t c = 0; c < 3; ++c) {
      q_[c] = hn::Set(Ints(), plane.q[c]);
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

  // The weights of group g of the 16 pixels at p. The last group is loaded by its end, so that nothing past the pixels is
  // touched.
  HWY_INLINE VInts weights(const std::uint8_t* p, std::size_t g) const {
    const bool last = g + 1 == groups;
    const VBytes bytes = hn::LoadU(Bytes(), p + (last ? 16 * pixel_bytes - 16 : 4 * pixel_bytes * g));
    return clamped(sums(bytes, last));
  }

  // The largest sums that the columns of a tile can have, by group. A column's colours lie in a box; the sum is largest
  // at one of its corners.
  template <std::size_t rows>
  HWY_INLINE void largest_sums(const std::uint8_t* p, std::size_t stride, VInts most[groups]) const {
    VBytes best[pixel_bytes];
    for (std::size_t v = 0; v < pixel_bytes; ++v) {
      VBytes low = hn::LoadU(Bytes(), p + 16 * v), high = low;
      for (std::size_t r = 1; r < rows; ++r) {
        const VBytes bytes = hn::LoadU(Bytes(), p + r * stride + 16 * v);
        low = hn::Min(low, bytes);
        high = hn::Max(high, bytes);
      }
      best[v] = hn::Or(hn::And(falling_[v], low), hn::AndNot(falling_[v], high));
    }
    if constexpr (pixel_bytes == 3) {
      most[0] = sums(best[0], false);
      most[1] = sums(hn::CombineShiftRightBytes<12>(Bytes(), best[1], best[0]), false);
      most[2] = sums(hn::CombineShiftRightBytes<8>(Bytes(), best[2], best[1]), false);
      most[3] = sums(best[2], true);
    } else {
      for (std::size_t g = 0; g < groups; ++g) most[g] = sums(best[g], false);
    }
  }

private:
  HWY_INLINE VInts sums(VBytes bytes, bool last) const {
    const VBytes* index = pixel_bytes == 3 && last ? last_ : first_;
    VInts sum = d_;
    for (std::size_t c = 0; c < 3; ++c)
      sum = hn::Add(sum, hn::Mul(hn::BitCast(Ints(), hn::TableLookupBytesOr0(bytes, index[c])), q_[c]));
    return sum;
  }
  HWY_INLINE VInts clamped(VInts sum) const { return hn::Min(hn::Max(sum, hn::Zero(Ints())), one_); }

  VBytes first_[3], last_[3];    // where a channel's bytes are
  VBytes falling_[pixel_bytes];  // ones where more of the channel makes less of the weight
  VInts q_[3], d_, one_;
};

HWY_INLINE bool any_above_zero(VInts a) { return !hn::AllFalse(Ints(), hn::Gt(a, hn::Zero(Ints()))); }

}  // namespace HWY_NAMESPACE
}  // namespace kinema::head
HWY_AFTER_NAMESPACE();

#endif
