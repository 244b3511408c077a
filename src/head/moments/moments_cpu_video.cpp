// Video to RGB as defined in colour_conversion.h, 16 pixels at a time, and the application of other weights.
#include "head/moments/moments_cpu_plain.h"

// vectors are stored in arrays, which sizeless vectors do not allow
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "head/moments/moments_cpu_video.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kinema::head {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
// What Highway falls back to on x86-64 without SSSE3 if g++ is older than 12.3: it has no vectors of 16 bytes.

void convert_nv12(const std::uint8_t* luma, const std::uint8_t* chroma, std::size_t width, std::uint8_t* rgba) {
  plain::convert_nv12(luma, chroma, 0, width, rgba);
}

void convert_yuyv(const std::uint8_t* row, std::size_t width, std::uint8_t* rgba) {
  plain::convert_yuyv(row, 0, width, rgba);
}

void add_weighed(const std::uint32_t* weights, std::size_t width, const RowWeighing& weighing, std::uint32_t* columns,
                 std::uint64_t& row) {
  plain::add_weighed(weights, 0, width, weighing, columns, row);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::Full128<std::uint8_t>;
using HalfBytes = hn::Half<Bytes>;
using Shorts = hn::Full128<std::int16_t>;
using Twos = hn::Full128<std::uint16_t>;  // pairs of bytes
using Ints = hn::Full128<std::int32_t>;
using Counts = hn::Full128<std::uint32_t>;
using Floats = hn::Full128<float>;
using VShorts = hn::Vec<Shorts>;
using VTwos = hn::Vec<Twos>;
using VHalf = hn::Vec<HalfBytes>;

constexpr std::size_t pixels = 16;

HWY_INLINE VShorts product(VShorts a, std::int32_t b) {
  return hn::MulFixedPoint15(a, hn::Set(Shorts(), static_cast<std::int16_t>(b)));
}

// The low bytes of 8 pairs, and the high ones times 256.
HWY_INLINE VTwos low_bytes(VTwos pairs) { return hn::And(pairs, hn::Set(Twos(), 0x00ff)); }
HWY_INLINE VTwos high_bytes_256(VTwos pairs) { return hn::And(pairs, hn::Set(Twos(), 0xff00)); }

// The luma of 8 pixels, given times 128, in 1/64 of a level.
HWY_INLINE VShorts luma_of(VTwos y) {
  const Shorts d;
  return product(hn::Sub(hn::BitCast(d, y), hn::Set(d, 128 * 16)), video_range::luma);
}

// The contribution of the chroma of 8 pairs of pixels, given times 256, to their luma, in 1/64 of a level.
struct Tint {
  VShorts r, g, b;
};
HWY_INLINE Tint tint_of(VTwos cb, VTwos cr) {
  const Shorts d;
  const VTwos middle = hn::Set(Twos(), 256 * 128);
  const VShorts blue = hn::BitCast(d, hn::Xor(cb, middle)), red = hn::BitCast(d, hn::Xor(cr, middle));  // less middle
  const VShorts half_blue = hn::ShiftRight<1>(blue), half_red = hn::ShiftRight<1>(red);
  return {product(half_red, video_range::cr_to_r),
          hn::Sub(hn::Neg(product(half_blue, video_range::cb_to_g)), product(half_red, video_range::cr_to_g)),
          product(blue, video_range::cb_to_b)};
}

// 8 pixels of a channel. Saturation affects only clamped values, and the product is (sum + 32) / 64, rounded down.
HWY_INLINE VHalf channel(VShorts luma, VShorts tint) {
  return hn::DemoteTo(HalfBytes(), product(hn::SaturatedAdd(luma, tint), 32768 / 64));
}

// 16 pixels, even and odd ones, with the chroma of each pair. Channels are merged two by two, which costs less than a
// store that interleaves four.
HWY_INLINE void store_pixels(VShorts even, VShorts odd, const Tint& tint, std::uint8_t* rgba) {
  const Bytes bytes;
  const Twos twos;
  const Counts fours;
  // the even pixels below, the odd ones above
  const auto both = [&](VShorts of) HWY_ATTR { return hn::Combine(bytes, channel(odd, of), channel(even, of)); };
  const auto r = both(tint.r), g = both(tint.g), b = both(tint.b), none = hn::Zero(bytes);
  const VTwos rg_even = hn::BitCast(twos, hn::InterleaveLower(bytes, r, g));
  const VTwos rg_odd = hn::BitCast(twos, hn::InterleaveUpper(bytes, r, g));
  const VTwos b_even = hn::BitCast(twos, hn::InterleaveLower(bytes, b, none));
  const VTwos b_odd = hn::BitCast(twos, hn::InterleaveUpper(bytes, b, none));
  const auto store = [&](VTwos of_even, VTwos of_odd, std::uint8_t* to) HWY_ATTR {
    const auto p = hn::BitCast(fours, of_even), q = hn::BitCast(fours, of_odd);
    hn::StoreU(hn::BitCast(bytes, hn::InterleaveLower(fours, p, q)), bytes, to);
    hn::StoreU(hn::BitCast(bytes, hn::InterleaveUpper(fours, p, q)), bytes, to + 16);
  };
  store(hn::InterleaveLower(twos, rg_even, b_even), hn::InterleaveLower(twos, rg_odd, b_odd), rgba);
  store(hn::InterleaveUpper(twos, rg_even, b_even), hn::InterleaveUpper(twos, rg_odd, b_odd), rgba + 32);
}

HWY_INLINE VTwos load_pairs(const std::uint8_t* from) { return hn::BitCast(Twos(), hn::LoadU(Bytes(), from)); }

void convert_nv12(const std::uint8_t* HWY_RESTRICT luma, const std::uint8_t* HWY_RESTRICT chroma, std::size_t width,
                  std::uint8_t* HWY_RESTRICT rgba) {
  std::size_t x = 0;
  for (; x + pixels <= width; x += pixels) {
    const VTwos y = load_pairs(luma + x), pairs = load_pairs(chroma + x);
    const VShorts even = luma_of(hn::ShiftLeft<7>(low_bytes(y))), odd = luma_of(hn::ShiftRight<1>(high_bytes_256(y)));
    store_pixels(even, odd, tint_of(hn::ShiftLeft<8>(pairs), high_bytes_256(pairs)), rgba + 4 * x);
  }
  plain::convert_nv12(luma, chroma, x, width, rgba);
}

void convert_yuyv(const std::uint8_t* HWY_RESTRICT row, std::size_t width, std::uint8_t* HWY_RESTRICT rgba) {
  std::size_t x = 0;
  for (; x + pixels <= width; x += pixels) {
    const VTwos lower = load_pairs(row + 2 * x), upper = load_pairs(row + 2 * x + 16);
    const VTwos y_cb = hn::ConcatEven(Twos(), upper, lower), y_cr = hn::ConcatOdd(Twos(), upper, lower);
    const VShorts even = luma_of(hn::ShiftLeft<7>(low_bytes(y_cb))), odd = luma_of(hn::ShiftLeft<7>(low_bytes(y_cr)));
    store_pixels(even, odd, tint_of(high_bytes_256(y_cb), high_bytes_256(y_cr)), rgba + 4 * x);
  }
  plain::convert_yuyv(row, x, width, rgba);
}

void add_weighed(const std::uint32_t* weights, std::size_t width, const RowWeighing& weighing, std::uint32_t* columns,
                 std::uint64_t& row) {
  const Floats d;
  const Ints ints;
  const Counts counts;
  const auto zero = hn::Zero(d), down = hn::Set(d, weighing.down), scale = hn::Set(d, weighing.scale);
  auto sum = hn::Zero(counts);
  static_assert(most_columns / 4 < 128, "as many weights of 2^25 as a lane can hold");
  std::size_t x = 0;
  for (; x + 4 <= width; x += 4) {
    auto factor = hn::Mul(scale, hn::Max(zero, hn::Sub(down, hn::LoadU(d, weighing.across + x))));
    if (weighing.mask != nullptr) {
      const auto mask = hn::LoadU(hn::CappedTag<std::uint8_t, 4>(), weighing.mask + x);
      factor = hn::Mul(factor, hn::ConvertTo(d, hn::PromoteTo(ints, mask)));
    }
    const auto of = hn::ConvertTo(d, hn::BitCast(ints, hn::LoadU(counts, weights + x)));
    const auto w = hn::BitCast(counts, hn::NearestInt(hn::Mul(of, factor)));
    hn::StoreU(hn::Add(hn::LoadU(counts, columns + x), w), counts, columns + x);
    sum = hn::Add(sum, w);
  }
  alignas(16) std::uint32_t lanes[4];
  hn::Store(sum, counts, lanes);
  for (const std::uint32_t lane : lanes) row += lane;
  plain::add_weighed(weights, x, width, weighing, columns, row);
}

#endif
}  // namespace HWY_NAMESPACE
}  // namespace kinema::head
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kinema::head {

HWY_EXPORT(convert_nv12);
HWY_EXPORT(convert_yuyv);
HWY_EXPORT(add_weighed);
void convert_nv12(const std::uint8_t* luma, const std::uint8_t* chroma, std::size_t width, std::uint8_t* rgba) {
  HWY_DYNAMIC_DISPATCH(convert_nv12)(luma, chroma, width, rgba);
}
void convert_yuyv(const std::uint8_t* row, std::size_t width, std::uint8_t* rgba) {
  HWY_DYNAMIC_DISPATCH(convert_yuyv)(row, width, rgba);
}
void add_weighed(const std::uint32_t* weights, std::size_t width, const RowWeighing& weighing, std::uint32_t* columns,
                 std::uint64_t& row) {
  HWY_DYNAMIC_DISPATCH(add_weighed)(weights, width, weighing, columns, row);
}

}  // namespace kinema::head
#endif
