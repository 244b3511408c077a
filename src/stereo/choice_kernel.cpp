#include "stereo/choice_kernel.h"

#include "stereo/constants_mechanisms.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#ifdef KINEMA_HAVE_HIGHWAY
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stereo/choice_kernel.cpp"
#include <hwy/foreach_target.h>
#endif
// after foreach_target
#include "core/simd_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace kinema::stereo {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Total = std::int16_t;
using Totals = hn::CappedTag<Total, 32>;

// What each pixel chooses, by the smallest total of all paths, of equal ones the farthest; 0 where others are nearly as small.
// And what the pixels of the right picture choose.
void choose_kernel(const PathProblem& problem, const std::uint8_t* along, const std::uint8_t* down,
                   const std::uint8_t* up, Choice& choice, float* disparity) {
  const Totals d;
  const hn::Rebind<std::uint8_t, Totals> bytes;
  using V = hn::Vec<Totals>;
  const int lanes = static_cast<int>(hn::Lanes(d)), count = problem.disparities;
  const V none = hn::Set(d, Choice::none), each = hn::Iota(d, 0);
  Total* totals = choice.totals.data();
  for (int x = 0; x < problem.columns; ++x, along += count, down += count, up += count) {
    V smallest = none;
    for (int i = 0; i < count; i += lanes) {
      const V total =
          hn::Add(hn::Add(hn::PromoteTo(d, hn::LoadU(bytes, along + i)), hn::PromoteTo(d, hn::LoadU(bytes, down + i))),
                  hn::PromoteTo(d, hn::LoadU(bytes, up + i)));
      hn::StoreU(total, d, totals + i);
      smallest = hn::Min(smallest, total);
    }
    const V least = hn::MinOfLanes(d, smallest);
    const int sum = hn::GetLane(least), most = choice.limits[static_cast<std::size_t>(sum)];
    const V limit = hn::Set(d, static_cast<Total>(most));
    // of the right picture, pixels at successive disparities follow each other
    Total *seen_least = choice.seen_least.data() + problem.columns - 1 - x,
          *seen = choice.seen.data() + problem.columns - 1 - x;
    int best = -1, below = 0;
    for (int i = 0; i < count; i += lanes) {
      const V total = hn::LoadU(d, totals + i), former = hn::LoadU(d, seen_least + i);
      below += static_cast<int>(hn::CountTrue(d, hn::Lt(total, limit)));
      if (best < 0)
        if (const auto lane = hn::FindFirstTrue(d, hn::Eq(total, least)); lane >= 0) best = i + static_cast<int>(lane);
      const V index = hn::Add(each, hn::Set(d, static_cast<Total>(i)));
      hn::StoreU(hn::IfThenElse(hn::Lt(total, former), index, hn::LoadU(d, seen + i)), d, seen + i);
      hn::StoreU(hn::Min(total, former), d, seen_least + i);
    }
    choice.chosen[static_cast<std::size_t>(x)] = 0;
    disparity[x] = 0;
    if (best < 1 || best + 1 >= count || problem.first + best > problem.x + x) continue;
    const int before = totals[best - 1], after = totals[best + 1];
    if (below > (before < most ? 1 : 0) + (sum < most ? 1 : 0) + (after < most ? 1 : 0)) continue;
    choice.chosen[static_cast<std::size_t>(x)] = static_cast<Total>(best);
    // the vertex of a parabola through the sums of three disparities
    const int bend = before + after - 2 * sum;
    disparity[x] = static_cast<float>(problem.first + best) +
                   (mechanisms::disparity_fractions && bend > 0
                        ? 0.5f * static_cast<float>(before - after) / static_cast<float>(bend)
                        : 0.0f);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kinema::stereo
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kinema::stereo {

HWY_EXPORT(choose_kernel);

void Choice::start(const PathProblem& problem) {
  const auto columns = static_cast<std::size_t>(problem.columns),
             disparities = static_cast<std::size_t>(problem.disparities);
  totals.resize(disparities);
  chosen.resize(columns);
  seen_least.resize(columns + disparities);
  seen.resize(columns + disparities);
  if (!limits.empty()) return;  // they are those of every pair
  limits.resize(static_cast<std::size_t>(none) + 1);
  for (std::size_t i = 0; i < limits.size(); ++i)
    limits[i] = static_cast<std::int16_t>(
        std::min<double>(none, std::ceil(static_cast<double>(i) + problem.uniqueness * static_cast<double>(i))));
}

void Choice::choose(const PathProblem& problem, const std::uint8_t* along, const std::uint8_t* down,
                    const std::uint8_t* up, float* disparity) {
  std::fill(seen_least.begin(), seen_least.end(), none);
  HWY_DYNAMIC_DISPATCH(choose_kernel)(problem, along, down, up, *this, disparity);
  if (!mechanisms::right_agrees) return;
  for (std::size_t x = 0, columns = chosen.size(); x < columns; ++x) {
    const int own = chosen[x];
    if (own > 0 && std::abs(seen[columns - 1 - x + static_cast<std::size_t>(own)] - own) > 1) disparity[x] = 0;
  }
}

}  // namespace kinema::stereo
#endif
