// Video to RGB as colour_conversion.h defines it, 16 pixels at a time, and weights that something else weighs.
#include "head/moments_cpu_plain.h"

// vectors stand in arrays, which those of unknown length cannot
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SCALAR)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "head/moments_cpu_video.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kinema::head {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::Full128<std::uint8_t>;
using HalfBytes = hn::Half<Bytes>;
using Shorts = hn::Full128<std::int16_t>;
using Ints = hn::Full128<std::int32_t>;
using Counts = hn::Full128<std::uint32_t>;
using Floats = hn::Full128<float>;
using VShorts = hn::Vec<Shorts>;
using VHalf = hn::Vec<HalfBytes>;

constexpr std::size_t pixels = 16;

// What the chroma of 8 pairs of pixels adds to their luma, in 1/64 of a level.
struct Tint {
  VShorts r, g, b;
};

HWY_INLINE VShorts product(VShorts a, std::int32_t b) {
  return hn::MulFixedPoint15(a, hn::Set(Shorts(), static_cast<std::int16_t>(b)));
}

HWY_INLINE Tint tint_of(VHalf cb, VHalf cr) {
  const Shorts d;
  const VShorts middle = hn::Set(d, 128);
  const VShorts blue = hn::ShiftLeft<7>(hn::Sub(hn::PromoteTo(d, cb), middle));
  const VShorts red = hn::ShiftLeft<7>(hn::Sub(hn::PromoteTo(d, cr), middle));
  return {product(red, video_range::cr_to_r),
          hn::Sub(hn::Neg(product(blue, video_range::cb_to_g)), product(red, video_range::cr_to_g)),
          product(hn::Add(blue, blue), video_range::cb_to_b)};
}

// 8 pixels of a channel; saturation only meets what is clamped anyway.
HWY_INLINE VHalf channel(VShorts luma, VShorts tint) {
  const VShorts sum = hn::SaturatedAdd(hn::SaturatedAdd(luma, tint), hn::Set(Shorts(), 32));
  return hn::DemoteTo(HalfBytes(), hn::ShiftRight<6>(sum));
}

// 16 pixels, even and odd ones, with the tint of each pair.
HWY_INLINE void store_pixels(VHalf even, VHalf odd, const Tint& tint, std::uint8_t* rgba) {
  const Shorts d;
  const Bytes bytes;
  const auto luma_of = [&](VHalf y) {
    return product(hn::ShiftLeft<7>(hn::Sub(hn::PromoteTo(d, y), hn::Set(d, 16))), video_range::luma);
  };
  const VShorts first = luma_of(even), second = luma_of(odd);
  const auto both = [&](VShorts of) {
    const VHalf a = channel(first, of), b = channel(second, of);
    return hn::Combine(bytes, hn::InterleaveUpper(HalfBytes(), a, b), hn::InterleaveLower(a, b));
  };
  hn::StoreInterleaved4(both(tint.r), both(tint.g), both(tint.b), hn::Zero(bytes), bytes, rgba);
}

void convert_nv12(const std::uint8_t* luma, const std::uint8_t* chroma, std::size_t width, std::uint8_t* rgba) {
  std::size_t x = 0;
  for (; x + pixels <= width; x += pixels) {
    VHalf even, odd, cb, cr;
    hn::LoadInterleaved2(HalfBytes(), luma + x, even, odd);
    hn::LoadInterleaved2(HalfBytes(), chroma + x, cb, cr);
    store_pixels(even, odd, tint_of(cb, cr), rgba + 4 * x);
  }
  plain::convert_nv12(luma, chroma, x, width, rgba);
}

void convert_yuyv(const std::uint8_t* row, std::size_t width, std::uint8_t* rgba) {
  std::size_t x = 0;
  for (; x + pixels <= width; x += pixels) {
    VHalf even, cb, odd, cr;
    hn::LoadInterleaved4(HalfBytes(), row + 2 * x, even, cb, odd, cr);
    store_pixels(even, odd, tint_of(cb, cr), rgba + 4 * x);
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
