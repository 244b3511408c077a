#include "stereo/evidence_kernel.h"

#include "stereo/constants.h"
#include "stereo/constants_mechanisms.h"
#include "stereo/matcher_backends.h"

#ifdef KINEMA_HAVE_HIGHWAY
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stereo/evidence_kernel.cpp"
#include <hwy/foreach_target.h>
#endif
// after foreach_target
#include "core/simd_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace kinema::stereo {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, beyond_row>;
using Floats = hn::Vec<Tag>;

const double over_surface = 1 / (constants::same_surface * constants::same_surface);

HWY_INLINE Floats all(double value) { return hn::Set(Tag(), static_cast<float>(value)); }
HWY_INLINE Floats at(const float* p) { return hn::LoadU(Tag(), p); }

// Weights of the white pixels of a square, and what is summed over them.
template <bool odd, class Add>
HWY_INLINE void over_square(const EvidencePlanes& planes, std::size_t here, double flatness, const Add& add) {
  const Floats middle = at(planes.disparity + here), own = at(planes.smooth + here), grey = at(planes.left + here);
  const Floats surface = all(constants::same_surface), one = all(1), flat = all(flatness);
  const Floats slope = hn::Add(hn::Abs(at(planes.across + here)), hn::Abs(at(planes.down + here)));
  const Floats falloff = hn::Div(one, hn::MulAdd(all(constants::alike_on_edge), slope, all(constants::alike)));
  for (int dy = -square_reach; dy <= square_reach; ++dy) {
    const std::size_t row = here + static_cast<std::size_t>(dy) * planes.stride;  // wraps where dy is below 0
    for (int dx = -square_reach + (dy % 2 == 0 ? 1 : 0); dx <= square_reach; dx += 2) {
      const std::size_t i = row + static_cast<std::size_t>((dx + (odd ? 1 : 0)) >> 1);
      const Floats away = hn::Sub(at(planes.disparity + i), middle);
      const Floats differs = hn::Abs(hn::Sub(at(planes.smooth + i), own));
      const Floats weight = hn::IfThenElseZero(
          hn::Le(hn::Abs(away), surface),
          hn::Mul(at(planes.say + i), hn::Max(hn::Zero(Tag()), hn::NegMulAdd(differs, falloff, one))));
      // Greys and disparities relative to those of the centre, for precision. Those of pixels without a weight may be
      // anything finite.
      const Floats g = at(planes.slope + i);
      const Floats r = hn::MulAdd(hn::Mul(g, flat), away, hn::Sub(at(planes.right + i), grey));
      add(i, weight, hn::Sub(at(planes.left + i), grey), r, g, away);
    }
  }
}

// c - a b
HWY_INLINE Floats less(Floats c, Floats a, Floats b) { return hn::NegMulAdd(a, b, c); }

// Of the left picture's contrast over the right one's, from their sums of squares.
HWY_INLINE Floats gain_of(Floats ll, Floats rr) {
  if (!mechanisms::exposure_gain) return all(1);
  const Floats tiny = all(1e-6);
  return hn::Max(hn::Min(hn::Sqrt(hn::Div(hn::Max(ll, tiny), hn::Max(rr, tiny))), all(1.4)), all(0.7));
}

// With r the right picture at the square's disparity and g its slope, the left one is a (r - g step) + b. The mean of the
// disparities around is a measurement too, which decides where the pictures say little.
struct Step {
  Floats step, residual;  // the latter of the middle itself
};
template <bool odd>
HWY_INLINE Step step_of(const EvidencePlanes& planes, std::size_t here) {
  const Floats zero = hn::Zero(Tag());
  Floats n = zero, sl = zero, sr = zero, sg = zero, ll = zero, rr = zero, gg = zero, gl = zero, gr = zero,
         around = zero, weights = zero;
  over_square<odd>(planes, here, constants::flatness,
                   [&](std::size_t, Floats w, Floats l, Floats r, Floats g, Floats away) {
                     const Floats wl = hn::Mul(w, l), wr = hn::Mul(w, r), wg = hn::Mul(w, g);
                     n = hn::Add(n, w), sl = hn::Add(sl, wl), sr = hn::Add(sr, wr), sg = hn::Add(sg, wg);
                     ll = hn::MulAdd(wl, l, ll), rr = hn::MulAdd(wr, r, rr);
                     gg = hn::MulAdd(wg, g, gg), gl = hn::MulAdd(wg, l, gl), gr = hn::MulAdd(wg, r, gr);
                     const Floats like = hn::Mul(w, less(all(1), hn::Mul(away, all(over_surface)), away));
                     around = hn::MulAdd(like, away, around), weights = hn::Add(weights, like);
                   });
  const Floats share = hn::Div(all(1), hn::Max(n, all(1e-6)));
  const Floats ml = hn::Mul(share, sl), mr = hn::Mul(share, sr), mg = hn::Mul(share, sg);
  rr = less(rr, mr, sr), gg = less(gg, mg, sg), gl = less(gl, mg, sl), gr = less(gr, mg, sr);
  const Floats gain = gain_of(hn::Max(less(ll, ml, sl), zero), rr);
  const Floats smoothness = all(constants::smoothness);
  const Floats mean = hn::Div(around, hn::Max(weights, all(1e-6)));
  const Floats step = hn::Div(hn::MulAdd(smoothness, mean, hn::Sub(gr, hn::Div(gl, gain))), hn::Add(gg, smoothness));
  const Floats most = all(constants::longest_step);
  const auto told = hn::And(hn::Ge(n, all(constants::fewest)), hn::Gt(at(planes.disparity + here), zero));
  const Floats own = hn::Sub(at(planes.right + here), at(planes.left + here));
  return {hn::IfThenElseZero(told, hn::Max(hn::Min(hn::Mul(step, all(constants::overstep)), most), hn::Neg(most))),
          hn::IfThenElseZero(told, hn::Sub(hn::Mul(gain, hn::Sub(mr, own)), ml))};
}

// The noise of both pictures over the texture of the left one, and what an error of the rows does where edges lie along
// them.
template <bool odd>
HWY_INLINE Floats deviation_of(const EvidencePlanes& planes, std::size_t here) {
  const Floats zero = hn::Zero(Tag());
  Floats n = zero, nn = zero, sl = zero, sr = zero, ll = zero, rr = zero, lr = zero, sx = zero, sy = zero, xx = zero,
         xy = zero;
  over_square<odd>(planes, here, 1, [&](std::size_t i, Floats w, Floats l, Floats r, Floats, Floats) {
    const Floats x = at(planes.across + i), y = at(planes.down + i);
    const Floats wl = hn::Mul(w, l), wr = hn::Mul(w, r), wx = hn::Mul(w, x);
    n = hn::Add(n, w), nn = hn::MulAdd(w, w, nn), sl = hn::Add(sl, wl), sr = hn::Add(sr, wr);
    ll = hn::MulAdd(wl, l, ll), rr = hn::MulAdd(wr, r, rr), lr = hn::MulAdd(wl, r, lr);
    sx = hn::Add(sx, wx), sy = hn::MulAdd(w, y, sy), xx = hn::MulAdd(wx, x, xx), xy = hn::MulAdd(wx, y, xy);
  });
  const Floats share = hn::Div(all(1), hn::Max(n, all(1e-6)));
  const Floats ml = hn::Mul(share, sl), mr = hn::Mul(share, sr), mx = hn::Mul(share, sx);
  ll = hn::Max(less(ll, ml, sl), zero), rr = hn::Max(less(rr, mr, sr), zero), lr = less(lr, ml, sr);
  xx = less(xx, mx, sx), xy = less(xy, mx, sy);
  const Floats gain = gain_of(ll, rr);
  const Floats noise = hn::Mul(share, hn::Max(hn::Add(ll, hn::Mul(gain, less(hn::Mul(gain, rr), all(2), lr))), zero));
  const Floats texture = hn::Max(less(hn::Mul(share, xx), all(constants::slope_noise), noise), all(1e-3));
  const Floats tilt = hn::Div(hn::Mul(share, xy), texture), rows = hn::Mul(all(constants::row_error), tilt);
  // with the black pixels
  const Floats independent = hn::Div(hn::Mul(hn::Add(n, n), n), hn::Max(nn, all(1e-6)));
  const Floats variance = hn::MulAdd(rows, rows, hn::Div(noise, hn::Mul(texture, independent)));
  const Floats seen = hn::Mul(all(constants::deviation_scale * constants::deviation_scale), variance);
  // see combined_deviation()
  const Floats own = all(constants::smooth_deviation * constants::smooth_deviation);
  const Floats deviation = hn::Sqrt(hn::Add(hn::Div(hn::Mul(seen, own), hn::Add(seen, own)),
                                            all(constants::least_deviation * constants::least_deviation)));
  const Floats limit = hn::Mul(all(constants::least_correlation), hn::Sqrt(hn::Mul(ll, rr)));
  const auto told = hn::And(hn::And(hn::Ge(n, all(constants::fewest)), hn::Gt(lr, limit)),
                            hn::And(hn::Gt(at(planes.disparity + here), zero),
                                    hn::Le(seen, all(constants::most_deviation * constants::most_deviation))));
  return hn::IfThenElse(told, deviation, all(no_deviation));
}

template <bool odd>
HWY_INLINE void refine_row(const EvidencePlanes& planes, std::size_t first, std::size_t count, float* refined,
                           float* residual) {
  for (std::size_t x = 0; x < count; x += hn::Lanes(Tag())) {
    const Step own = step_of<odd>(planes, first + x);
    hn::StoreU(hn::Add(at(planes.disparity + first + x), own.step), Tag(), refined + x);
    hn::StoreU(own.residual, Tag(), residual + x);
  }
}
void refine_disparities_kernel(const EvidencePlanes& planes, const WhiteRow& row, float* refined, float* residual) {
  row.odd ? refine_row<true>(planes, row.first, row.count, refined, residual)
          : refine_row<false>(planes, row.first, row.count, refined, residual);
}

template <bool odd>
HWY_INLINE void judge_row(const EvidencePlanes& planes, std::size_t first, std::size_t count, float* deviation) {
  for (std::size_t x = 0; x < count; x += hn::Lanes(Tag()))
    hn::StoreU(deviation_of<odd>(planes, first + x), Tag(), deviation + x);
}
void match_deviations_kernel(const EvidencePlanes& planes, const WhiteRow& row, float* deviation) {
  row.odd ? judge_row<true>(planes, row.first, row.count, deviation)
          : judge_row<false>(planes, row.first, row.count, deviation);
}

void fill_black_kernel(const BlackRow& row, std::size_t count, float* disparity, float* sure, float* deviation) {
  const Tag d;
  const Floats zero = hn::Zero(d), one = all(1), none = hn::Set(d, no_disparity),
               surface = all(constants::same_surface);
  for (std::size_t x = 0; x < count; x += hn::Lanes(d)) {
    const Floats found = at(row.found + x);
    Floats all_sum = zero, sure_sum = zero, deviations = zero, all_count = zero, sure_count = zero;
    for (const std::ptrdiff_t way : row.neighbours) {
      const Floats other = at(row.disparity + way + static_cast<std::ptrdiff_t>(x)),
                   other_sure = at(row.sure + way + static_cast<std::ptrdiff_t>(x));
      const auto like = hn::Le(hn::Abs(hn::Sub(other, found)), surface),
                 known = hn::And(like, hn::Gt(other_sure, zero));
      all_sum = hn::Add(all_sum, hn::IfThenElseZero(like, other));
      all_count = hn::Add(all_count, hn::IfThenElseZero(like, one));
      sure_sum = hn::Add(sure_sum, hn::IfThenElseZero(known, other));
      deviations =
          hn::Add(deviations, hn::IfThenElseZero(known, at(row.deviation + way + static_cast<std::ptrdiff_t>(x))));
      sure_count = hn::Add(sure_count, hn::IfThenElseZero(known, one));
    }
    const auto open = hn::Gt(found, zero);
    const auto filled = hn::And(open, hn::Gt(all_count, zero)), two = hn::And(open, hn::Ge(sure_count, all(2)));
    const Floats share = hn::Div(one, hn::Max(sure_count, one));
    hn::StoreU(hn::IfThenElse(filled, hn::Div(all_sum, hn::Max(all_count, one)), none), d, disparity + x);
    hn::StoreU(hn::IfThenElse(two, hn::Mul(sure_sum, share), none), d, sure + x);
    hn::StoreU(hn::Mul(deviations, share), d, deviation + x);
  }
}

void confirm_row_kernel(const ConfirmRow& row, std::size_t first, std::size_t count, float* kept, float* deviation) {
  const Tag d;
  const hn::RebindToSigned<Tag> whole_numbers;
  const hn::Rebind<std::uint8_t, Tag> bytes;
  const Floats zero = hn::Zero(d), one = all(1), surface = all(constants::same_surface),
               as_bright = all(constants::as_bright), stated = hn::Set(d, confirmed_deviation());
  const Floats nearest = hn::Set(d, row.nearest), farthest = hn::Set(d, row.farthest), lane = hn::Iota(d, 0.0f);
  for (std::size_t x = 0; x < count; x += hn::Lanes(d)) {
    const std::size_t here = first + x;
    const Floats own = at(row.disparity + here), sure = at(row.sure + here), bright = at(row.smooth + here);
    const auto open = hn::And(hn::Le(sure, zero), hn::And(hn::Le(own, nearest), hn::Ge(own, farthest)));
    hn::StoreU(sure, d, kept + here);
    if (hn::AllFalse(d, open)) continue;
    Floats lines = zero, contradicting = zero, between = zero, weights = zero;  // the latter two by nearness
    auto side = open;
    for (int way = 0; way < 8; ++way) {
      const Floats steps = hn::ConvertTo(d, hn::PromoteTo(whole_numbers, hn::LoadU(bytes, row.steps[way] + x)));
      const auto index = hn::ConvertTo(whole_numbers, hn::Add(lane, hn::Mul(steps, all(row.ways[way]))));
      const auto seen = hn::Gt(steps, zero);
      const Floats other = hn::GatherIndex(d, row.sure + here, index),
                   grey = hn::GatherIndex(d, row.smooth + here, index);
      const auto differs = hn::Gt(hn::Abs(hn::Sub(other, own)), surface);
      contradicting = hn::Add(contradicting, hn::IfThenElseZero(hn::And(seen, differs), one));
      const auto confirms = hn::And(hn::And(seen, hn::Le(hn::Abs(hn::Sub(other, own)), surface)),
                                    hn::Le(hn::Abs(hn::Sub(grey, bright)), as_bright));
      const Floats distance = hn::Max(steps, one);
      between = hn::Add(between, hn::IfThenElseZero(confirms, hn::Div(other, distance)));
      weights = hn::Add(weights, hn::IfThenElseZero(confirms, hn::Div(one, distance)));
      if (way % 2 == 0)
        side = confirms;
      else
        lines = hn::Add(lines, hn::IfThenElseZero(hn::And(side, confirms), one));
    }
    const auto confirmed = hn::And(
        open, hn::And(hn::Ge(lines, all(constants::confirming)), hn::Le(contradicting, all(constants::contradicting))));
    // of the confirmed disparity, the paths' own part is the less precise
    const Floats mean = hn::Div(hn::Add(own, hn::Mul(all(2), hn::Div(between, weights))), all(3));
    hn::StoreU(hn::IfThenElse(confirmed, mean, sure), d, kept + here);
    hn::StoreU(hn::IfThenElse(confirmed, stated, at(deviation + here)), d, deviation + here);
  }
}

void move_right_kernel(const MovedRow& row, float* disparity, float* moved, float* slope, std::size_t first,
                       std::size_t count) {
  const Tag d;
  const hn::RebindToSigned<Tag> whole_numbers;
  const Floats none = hn::Set(d, no_disparity), one = all(1), last = all(row.width - 3), half = all(0.5);
  const Floats two = all(2), lanes = all(static_cast<double>(2 * hn::Lanes(d)));
  Floats column = hn::MulAdd(two, hn::Iota(d, 0.0f), all(row.column));
  for (std::size_t x = 0; x < count; x += hn::Lanes(d), column = hn::Add(column, lanes)) {
    const Floats own = at(disparity + first + x), place = hn::Sub(column, own);
    const auto inside =
        hn::And(hn::Gt(own, hn::Zero(d)), hn::And(hn::Ge(place, one), hn::Lt(place, hn::Add(last, one))));
    const Floats safe = hn::IfThenElse(inside, place, one);
    const auto index = hn::ConvertTo(whole_numbers, safe);
    const Floats t = hn::Sub(safe, hn::ConvertTo(d, index));
    // Catmull-Rom between four pixels: linear interpolation would blur half-way positions
    const Floats p0 = hn::GatherIndex(d, row.right - 1, index), p1 = hn::GatherIndex(d, row.right, index),
                 p2 = hn::GatherIndex(d, row.right + 1, index), p3 = hn::GatherIndex(d, row.right + 2, index);
    const Floats c1 = hn::Mul(half, hn::Sub(p2, p0)),
                 c2 = hn::Sub(hn::MulAdd(two, p2, hn::NegMulAdd(all(2.5), p1, p0)), hn::Mul(half, p3)),
                 c3 = hn::MulAdd(all(1.5), hn::Sub(p1, p2), hn::Mul(half, hn::Sub(p3, p0)));
    hn::StoreU(hn::IfThenElse(inside, own, none), d, disparity + first + x);
    hn::StoreU(hn::MulAdd(hn::MulAdd(hn::MulAdd(c3, t, c2), t, c1), t, p1), d, moved + first + x);
    hn::StoreU(hn::MulAdd(hn::MulAdd(hn::Mul(all(3), c3), t, hn::Mul(two, c2)), t, c1), d, slope + first + x);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kinema::stereo
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kinema::stereo {

HWY_EXPORT(confirm_row_kernel);
HWY_EXPORT(move_right_kernel);
HWY_EXPORT(refine_disparities_kernel);
HWY_EXPORT(match_deviations_kernel);
HWY_EXPORT(fill_black_kernel);

void confirm_row(const ConfirmRow& row, std::size_t first, std::size_t count, float* kept, float* deviation) {
  HWY_DYNAMIC_DISPATCH(confirm_row_kernel)(row, first, count, kept, deviation);
}

void move_right(const MovedRow& row, float* disparity, float* moved, float* slope, std::size_t first,
                std::size_t count) {
  HWY_DYNAMIC_DISPATCH(move_right_kernel)(row, disparity, moved, slope, first, count);
}

void refine_disparities(const EvidencePlanes& planes, const WhiteRow& row, float* refined, float* residual) {
  HWY_DYNAMIC_DISPATCH(refine_disparities_kernel)(planes, row, refined, residual);
}

void match_deviations(const EvidencePlanes& planes, const WhiteRow& row, float* deviation) {
  HWY_DYNAMIC_DISPATCH(match_deviations_kernel)(planes, row, deviation);
}

void fill_black(const BlackRow& row, std::size_t count, float* disparity, float* sure, float* deviation) {
  HWY_DYNAMIC_DISPATCH(fill_black_kernel)(row, count, disparity, sure, deviation);
}

}  // namespace kinema::stereo
#endif
