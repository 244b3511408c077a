#include "stereo/outline_kernel.h"

#include "stereo/constants.h"
#include "stereo/evidence_kernel.h"
#include "stereo/matcher_backends.h"

#ifdef KINEMA_HAVE_HIGHWAY
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stereo/outline_kernel.cpp"
#include <hwy/foreach_target.h>
#endif
// after foreach_target
#include "core/simd_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace kinema::stereo {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, beyond_row>;

void trim_outlines_kernel(const float* disparity, const float* steepness, std::size_t stride, std::size_t first,
                          std::size_t count, float* out) {
  const Tag tag;
  const auto nearer = hn::Set(tag, static_cast<float>(1 - constants::behind));
  const auto outline = hn::Set(tag, static_cast<float>(constants::outline_slope * constants::outline_slope));
  const auto zero = hn::Zero(tag), one = hn::Set(tag, 1), none = hn::Set(tag, no_disparity);
  for (std::size_t x = 0; x < count; x += hn::Lanes(tag)) {
    const std::size_t at = first + x;
    const auto own = hn::LoadU(tag, disparity + at);
    const auto open = hn::Mul(nearer, own), limit = hn::Max(hn::LoadU(tag, steepness + at), outline);
    auto beside = zero;
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        if (dx == 0 && dy == 0) continue;
        const std::size_t way = static_cast<std::size_t>(dy) * stride + static_cast<std::size_t>(dx);  // wraps
        // an outline at most `in` pixels behind, and the open side at most what is left of the reach ahead
        auto steep = zero;
        for (int in = 1; in <= outline_reach; ++in) {
          const auto slope = hn::LoadU(tag, steepness + at - static_cast<std::size_t>(in) * way);
          const auto ahead = hn::LoadU(tag, disparity + at + static_cast<std::size_t>(outline_reach + 1 - in) * way);
          steep = hn::IfThenElse(hn::Gt(slope, limit), one, steep);
          beside = hn::IfThenElse(hn::Lt(ahead, open), hn::Max(beside, steep), beside);
        }
      }
    }
    hn::StoreU(hn::IfThenElse(hn::Gt(beside, zero), none, own), tag, out + x);
  }
}

void keep_supported_kernel(const float* disparity, std::size_t stride, std::size_t first, std::size_t count,
                           float* out) {
  const Tag tag;
  const auto surface = hn::Set(tag, static_cast<float>(constants::same_surface));
  const auto needed = hn::Set(tag, static_cast<float>(constants::support));
  const auto zero = hn::Zero(tag), one = hn::Set(tag, 1);
  for (std::size_t x = 0; x < count; x += hn::Lanes(tag)) {
    const std::size_t at = first + x;
    const auto own = hn::LoadU(tag, disparity + at);
    auto like = zero;
    for (int dy = -support_reach; dy <= support_reach; ++dy) {
      const float* row = disparity + at + static_cast<std::size_t>(dy) * stride - support_reach;  // wraps
      for (int i = 0; i <= 2 * support_reach; ++i)
        like = hn::Add(like, hn::IfThenElseZero(hn::Le(hn::Abs(hn::Sub(hn::LoadU(tag, row + i), own)), surface), one));
    }
    hn::StoreU(hn::IfThenElse(hn::Gt(like, needed), hn::Max(own, zero), zero), tag, out + x);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kinema::stereo
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kinema::stereo {

HWY_EXPORT(trim_outlines_kernel);
HWY_EXPORT(keep_supported_kernel);

void trim_outlines(const float* disparity, const float* steepness, std::size_t stride, std::size_t first,
                   std::size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(trim_outlines_kernel)(disparity, steepness, stride, first, count, out);
}

void keep_supported(const float* disparity, std::size_t stride, std::size_t first, std::size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(keep_supported_kernel)(disparity, stride, first, count, out);
}

}  // namespace kinema::stereo
#endif
