// Culling of the cpu backend: which capsules may matter to which bundles of rays. A part of likelihood_cpu_kernel.cpp,
// and like it compiled once for every SIMD level.
#if defined(KINEMA_BODY_LIKELIHOOD_CPU_CULL) == defined(HWY_TARGET_TOGGLE)
#ifdef KINEMA_BODY_LIKELIHOOD_CPU_CULL
#undef KINEMA_BODY_LIKELIHOOD_CPU_CULL
#else
#define KINEMA_BODY_LIKELIHOOD_CPU_CULL
#endif

#include "body/likelihood/likelihood_cpu_kernel.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/simd_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace kinema::body {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Whether a hit on the capsule may matter to any ray of the bundle. A hit at depth t of a ray v is r from the axis, and
// t v is within t spread of t V: so the piece [nearest, furthest] of the line t V must come within r + furthest spread
// of the axis. The distance of two segments: the axis' point nearest to the line, the line's nearest to that within its
// piece, the axis' nearest to that. Its square is the sum of three terms that may cancel; `slack` covers that loss.
template <class D, class Capsule, class Bundle>
HWY_INLINE hn::Mask<D> may_matter(D d, Capsule capsule, Bundle bundle) {
  using V = hn::Vec<D>;
  const V zero = hn::Zero(d), minus_2 = hn::Set(d, -2.0f);
  const V cx = capsule(CullNumbers::cx), cy = capsule(CullNumbers::cy), cz = capsule(CullNumbers::cz);
  const V ax = capsule(CullNumbers::ax), ay = capsule(CullNumbers::ay), az = capsule(CullNumbers::az);
  const V ac = capsule(CullNumbers::ac), length = capsule(CullNumbers::length);
  const V vx = bundle(&BundleBounds::vx), vy = bundle(&BundleBounds::vy), vz = bundle(&BundleBounds::vz);
  const V furthest = bundle(&BundleBounds::furthest);
  const V b = hn::MulAdd(vx, cx, hn::MulAdd(vy, cy, hn::Mul(vz, cz)));
  const V va = hn::MulAdd(vx, ax, hn::MulAdd(vy, ay, hn::Mul(vz, az)));
  const V A = hn::Max(hn::NegMulAdd(b, b, hn::Set(d, 1.0f)), hn::Set(d, 1e-6f));
  const V s0 = hn::Min(hn::Max(hn::Div(hn::MulSub(b, va, ac), A), zero), length);
  const V t = hn::Min(hn::Max(hn::MulAdd(s0, b, va), bundle(&BundleBounds::nearest)), furthest);
  const V foot = hn::MulSub(t, b, ac);
  const V s = hn::Min(hn::Max(foot, zero), length);
  const V along_line = hn::MulAdd(t, hn::MulAdd(minus_2, va, t), capsule(CullNumbers::aa));
  const V distance2 = hn::MulAdd(s, hn::MulAdd(minus_2, foot, s), along_line);
  const V reach = hn::MulAdd(furthest, bundle(&BundleBounds::spread), capsule(CullNumbers::r));
  const V slack = hn::MulAdd(furthest, hn::Set(d, CullNumbers::rounding), capsule(CullNumbers::rounding_size));
  return hn::Le(distance2, hn::MulAdd(slack, slack, hn::Mul(reach, reach)));
}

template <class D>
inline std::uint32_t mask_bits(D d, hn::Mask<D> mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  return bytes[0] | std::uint32_t{bytes[1]} << 8;
}

// The capsules that may matter to bundle `i`. Does not branch until the bits of 64 are known.
inline std::size_t cull_capsules(const CullNumbers& capsules, const BundleBounds& bounds, std::size_t i,
                                 std::uint32_t* found) {
  const hn::CappedTag<float, CullNumbers::widest> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t count = 0;
  for (std::size_t block = 0; block < capsules.count; block += 64) {
    std::uint64_t bits = 0;
    for (std::size_t k = block; k < std::min(block + 64, capsules.count); k += lanes) {
      const auto near = may_matter(
          d, [&](std::size_t n) HWY_ATTR { return hn::LoadU(d, capsules.of(n) + k); },
          [&](auto number) HWY_ATTR { return hn::Set(d, (bounds.*number)[i]); });
      bits |= std::uint64_t{mask_bits(d, near)} << (k - block);
    }
    for (; bits != 0; bits &= bits - 1)
      found[count++] = static_cast<std::uint32_t>(block + static_cast<std::size_t>(std::countr_zero(bits)));
  }
  return count;
}

// The bundles that capsule `k` may matter to, one bit each.
inline std::uint32_t cull_bundles(const CullNumbers& capsules, std::size_t k, const BundleBounds& bounds) {
  const hn::CappedTag<float, bundles> d;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < bundles; i += hn::Lanes(d)) {
    const auto near = may_matter(
        d, [&](std::size_t n) HWY_ATTR { return hn::Set(d, capsules.of(n)[k]); },
        [&](auto number) HWY_ATTR { return hn::LoadU(d, bounds.*number + i); });
    bits |= mask_bits(d, near) << i;
  }
  return bits;
}

}  // namespace HWY_NAMESPACE
}  // namespace kinema::body
HWY_AFTER_NAMESPACE();

#endif
