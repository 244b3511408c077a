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

// Totals of all paths; the smallest of each pixel, of equal ones the farthest.
void add_paths_kernel(const PathProblem& problem, const std::uint8_t* along, const std::uint8_t* down,
                      const std::uint8_t* up, Choice& choice) {
  const Totals d;
  const hn::Rebind<std::uint8_t, Totals> bytes;
  using V = hn::Vec<Totals>;
  const V none = hn::Set(d, Choice::none), lane = hn::Iota(d, 0);
  const int lanes = static_cast<int>(hn::Lanes(d));
  const std::size_t pitch = problem.pitch();
  for (int x = 0; x < problem.columns; x += lanes) {
    V least = none, chosen = hn::Set(d, 0);
    const bool cut = x + lanes > problem.columns;
    const V beyond = hn::IfThenElse(hn::Lt(lane, hn::Set(d, static_cast<Total>(std::min(problem.columns - x, 99)))),
                                    hn::Set(d, 0), none);
    Total* out = choice.totals.data() + choice.lead + x;
    for (int i = 0; i < problem.disparities; ++i, out += choice.pitch) {
      const std::size_t at = static_cast<std::size_t>(i) * pitch + static_cast<std::size_t>(x);
      V total = hn::Add(
          hn::Add(hn::PromoteTo(d, hn::LoadU(bytes, along + at)), hn::PromoteTo(d, hn::LoadU(bytes, down + at))),
          hn::PromoteTo(d, hn::LoadU(bytes, up + at)));
      if (cut) total = hn::Or(total, beyond);
      hn::StoreU(total, d, out);
      chosen = hn::IfThenElse(hn::Lt(total, least), hn::Set(d, static_cast<Total>(i)), chosen);
      least = hn::Min(least, total);
    }
    hn::StoreU(least, d, choice.least.data() + x);
    hn::StoreU(chosen, d, choice.chosen.data() + x);
  }
}

// How many totals lie below the limit of each pixel.
void count_below_kernel(const PathProblem& problem, Choice& choice) {
  const Totals d;
  using V = hn::Vec<Totals>;
  const V zero = hn::Set(d, 0), one = hn::Set(d, 1);
  for (int x = 0; x < problem.columns; x += static_cast<int>(hn::Lanes(d))) {
    const V limit = hn::LoadU(d, choice.limit.data() + x);
    V count = zero;
    const Total* from = choice.totals.data() + choice.lead + x;
    for (int i = 0; i < problem.disparities; ++i, from += choice.pitch)
      count = hn::Add(count, hn::IfThenElse(hn::Lt(hn::LoadU(d, from), limit), one, zero));
    hn::StoreU(count, d, choice.below.data() + x);
  }
}

// What the pixels of the right picture choose: those that are `q` columns to the right of the window's first at its first
// disparity.
void choose_right_kernel(const PathProblem& problem, Choice& choice) {
  const Totals d;
  using V = hn::Vec<Totals>;
  const int lanes = static_cast<int>(hn::Lanes(d)), count = problem.disparities;
  for (int q = -(count - 1 + lanes - 1) / lanes * lanes; q < problem.columns; q += lanes) {
    V least = hn::Set(d, Choice::none), chosen = hn::Set(d, 0);
    const int first = std::max(0, -q - lanes + 1), last = std::min(count, problem.columns - q);
    for (int i = first; i < last; ++i) {
      const V total =
          hn::LoadU(d, choice.totals.data() + static_cast<std::size_t>(i) * choice.pitch + choice.lead + q + i);
      chosen = hn::IfThenElse(hn::Lt(total, least), hn::Set(d, static_cast<Total>(i)), chosen);
      least = hn::Min(least, total);
    }
    hn::StoreU(chosen, d, choice.seen.data() + choice.lead + q);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kinema::stereo
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kinema::stereo {

HWY_EXPORT(add_paths_kernel);
HWY_EXPORT(count_below_kernel);
HWY_EXPORT(choose_right_kernel);

void Choice::start(const PathProblem& problem) {
  constexpr std::size_t widest = 32;  // lanes
  const auto up = [](std::size_t n) { return (n + widest - 1) / widest * widest; };
  const std::size_t columns = up(static_cast<std::size_t>(problem.columns)),
                    disparities = static_cast<std::size_t>(problem.disparities);
  lead = up(disparities) + widest;
  pitch = lead + columns + lead;
  totals.assign(pitch * disparities, none);
  for (auto* row : {&least, &chosen, &limit, &below}) row->resize(columns);
  seen.resize(pitch);
  // no other total may be less than this much above the smallest
  limits_.resize(static_cast<std::size_t>(none) + 1);
  for (std::size_t i = 0; i < limits_.size(); ++i)
    limits_[i] = static_cast<std::int16_t>(
        std::min<double>(none, std::ceil(static_cast<double>(i) + problem.uniqueness * static_cast<double>(i))));
}

void Choice::choose(const PathProblem& problem, const std::uint8_t* along, const std::uint8_t* down,
                    const std::uint8_t* up, float* disparity) {
  HWY_DYNAMIC_DISPATCH(add_paths_kernel)(problem, along, down, up, *this);
  for (std::size_t x = 0; x < least.size(); ++x) limit[x] = limits_[static_cast<std::size_t>(least[x])];
  HWY_DYNAMIC_DISPATCH(count_below_kernel)(problem, *this);
  HWY_DYNAMIC_DISPATCH(choose_right_kernel)(problem, *this);
  for (int x = 0; x < problem.columns; ++x) {
    const auto column = static_cast<std::size_t>(x);
    const int best = chosen[column], sum = least[column], most = limit[column];
    float& result = disparity[x];
    result = 0;
    if (best < 1 || best + 1 >= problem.disparities || problem.first + best > problem.x + x) continue;
    const std::int16_t* total = totals.data() + static_cast<std::size_t>(best) * pitch + lead + column;
    const int before = *(total - pitch), after = total[pitch];
    const int near = (before < most ? 1 : 0) + (sum < most ? 1 : 0) + (after < most ? 1 : 0);
    if (below[column] > near) continue;
    // the right pixel must choose the left one too
    const int other = seen[lead + column - static_cast<std::size_t>(best)];
    if (mechanisms::right_agrees && std::abs(other - best) > 1) continue;
    // the vertex of a parabola through the sums of three disparities
    const int bend = before + after - 2 * sum;
    result = static_cast<float>(problem.first + best) +
             (mechanisms::disparity_fractions && bend > 0
                  ? 0.5f * static_cast<float>(before - after) / static_cast<float>(bend)
                  : 0.0f);
  }
}

}  // namespace kinema::stereo
#endif
