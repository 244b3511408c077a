#include "stereo/paths_kernel.h"

#include "stereo/matcher_backends.h"

#include <algorithm>
#include <cstdlib>

#ifdef KINEMA_HAVE_HIGHWAY
#define HWY_WANT_AVX3_DL  // which counts bits
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stereo/paths_kernel.cpp"
#include <hwy/foreach_target.h>
#endif
// after foreach_target
#include "core/simd_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace kinema::stereo {
namespace HWY_NAMESPACE {

using Byte = std::uint8_t;
using Word = std::uint16_t;

void smooth_row_kernel(const Byte* above, const Byte* middle, const Byte* below, int width, Word* __restrict out) {
  const auto column = [&](int x) { return static_cast<Word>(above[x] + 2 * middle[x] + below[x]); };
  for (int x = 1; x + 1 < width; ++x) out[x] = static_cast<Word>(column(x - 1) + 2 * column(x) + column(x + 1));
  out[0] = static_cast<Word>(3 * column(0) + column(1));
  out[width - 1] = static_cast<Word>(column(width - 2) + 3 * column(width - 1));
}

void census_row_kernel(const CensusImage& image, int y, Byte* const planes[3]) {
  // words throughout: compilers do not vectorise a comparison of words that gives bytes
  const int columns = image.right - image.left;
  std::vector<Word> bits(static_cast<std::size_t>(columns));
  int bit = 0;
  // half of a square of seven by seven: the other half lies opposite
  for (int dy = 0; dy <= census_reach; ++dy) {
    for (int dx = dy == 0 ? 1 : -census_reach; dx <= census_reach; ++dx, ++bit) {
      const Word* __restrict ahead = image.smooth_row(y + dy) + image.left + dx;
      const Word* __restrict behind = image.smooth_row(y - dy) + image.left - dx;
      Word* __restrict out = bits.data();
      const auto value = static_cast<Word>(1 << bit % 8);
      if (bit % 8 == 0) {
        for (int x = 0; x < columns; ++x) out[x] = ahead[x] > behind[x] ? value : Word{0};
      } else {
        for (int x = 0; x < columns; ++x) out[x] = static_cast<Word>(out[x] | (ahead[x] > behind[x] ? value : Word{0}));
      }
      if (bit % 8 != 7) continue;
      Byte* __restrict plane = planes[bit / 8] + image.left;
      for (int x = 0; x < columns; ++x) plane[x] = static_cast<Byte>(out[x]);
    }
  }
}

namespace hn = hwy::HWY_NAMESPACE;

constexpr Byte never = 200;  // larger than any value, and no overflow with a penalty

// Bits that are set in each byte of three.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V bits_of(D d, V a, V b, V c) {
#if defined(KINEMA_HAVE_HIGHWAY) && HWY_TARGET != HWY_SCALAR
  // first added as bits: two of the three are then left to count
  const V either = hn::Xor(a, b), ones = hn::Xor(either, c), twos = hn::Or(hn::And(a, b), hn::And(either, c));
#if HWY_TARGET == HWY_AVX3_DL
  const V couples = hn::PopulationCount(twos);
  return hn::Add(hn::PopulationCount(ones), hn::Add(couples, couples));
#else
  alignas(16) static constexpr Byte once[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  alignas(16) static constexpr Byte twice[16] = {0, 2, 2, 4, 2, 4, 4, 6, 2, 4, 4, 6, 4, 6, 6, 8};
  const V single = hn::LoadDup128(d, once), couple = hn::LoadDup128(d, twice), half = hn::Set(d, 0x0f);
  return hn::Add(
      hn::Add(hn::TableLookupBytes(single, hn::And(ones, half)), hn::TableLookupBytes(single, hn::ShiftRight<4>(ones))),
      hn::Add(hn::TableLookupBytes(couple, hn::And(twos, half)),
              hn::TableLookupBytes(couple, hn::ShiftRight<4>(twos))));
#endif
#else
  int count = 0;
  for (int bits = hn::GetLane(a) | hn::GetLane(b) << 8 | hn::GetLane(c) << 16; bits != 0; bits &= bits - 1) ++count;
  return hn::Set(d, static_cast<Byte>(count));
#endif
}

// The smallest lane, in every lane.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V least_of([[maybe_unused]] D d, V v) {
#if defined(KINEMA_HAVE_HIGHWAY) && HWY_TARGET != HWY_SCALAR
  const hn::Repartition<std::uint32_t, D> words;
  if constexpr (hn::MaxLanes(D()) > 32) v = hn::Min(v, hn::ConcatLowerUpper(d, v, v));
  if constexpr (hn::MaxLanes(D()) > 16) v = hn::Min(v, hn::SwapAdjacentBlocks(v));
  v = hn::Min(v, hn::BitCast(d, hn::Shuffle1032(hn::BitCast(words, v))));
  v = hn::Min(v, hn::BitCast(d, hn::Shuffle2301(hn::BitCast(words, v))));
  v = hn::Min(v, hn::BitCast(d, hn::RotateRight<16>(hn::BitCast(words, v))));
  v = hn::Min(v, hn::BitCast(d, hn::RotateRight<8>(hn::BitCast(words, v))));
#endif
  return v;
}

// Vectors of 64 or 32 disparities, and what a path needs of them.
template <class D, class V = hn::Vec<D>>
struct DisparityLanes {
  D d;
  int count;  // in all
  V small, none;
  hn::Mask<D> first, last;  // lanes without a neighbour

  explicit HWY_INLINE DisparityLanes(const PathProblem& problem)
      : count(problem.disparities),
        small(hn::Set(d, static_cast<Byte>(problem.small_step))),
        none(hn::Set(d, never)),
        first(hn::Lt(hn::Iota(d, 0), hn::Set(d, 1))),
        last(hn::Lt(hn::Set(d, static_cast<Byte>(lanes() - 1)), hn::Iota(d, 1))) {}
  static int lanes() { return static_cast<int>(hn::Lanes(D())); }
};

// A path at one pixel: L(p, d) = C(p, d) + min(L(q, d), L(q, d - 1) + P1, L(q, d + 1) + P1, min L(q) + P2) - min L(q). The values
// of the predecessor q are replaced by those of p.
template <class D, class V = hn::Vec<D>>
struct Path {
  Byte* values;
  V from_least, large, least, below;

  HWY_INLINE void start(const DisparityLanes<D>& of, Byte* at, V smallest, Byte penalty) {
    values = at;
    from_least = smallest;
    large = hn::Add(smallest, hn::Set(of.d, penalty));
    least = hn::Set(of.d, 255);
    below = hn::IfThenElse(of.first, of.none, hn::LoadU(of.d, values - 1));
  }
  // With successive i.
  HWY_INLINE V step(const DisparityLanes<D>& of, int i, V cost) {
    const int next = i + of.lanes();
    V above = hn::LoadU(of.d, values + i + 1);
    if (next == of.count) above = hn::IfThenElse(of.last, of.none, above);
    const V here = hn::LoadU(of.d, values + i), beside = hn::Add(hn::Min(below, above), of.small);
    below = hn::LoadU(of.d, values + next - 1);
    const V value = hn::Add(hn::Sub(hn::Min(hn::Min(here, beside), large), from_least), cost);
    hn::StoreU(value, of.d, values + i);
    least = hn::Min(least, value);
    return value;
  }
};

template <class D>
HWY_INLINE void match_costs_by(D d, const PathProblem& problem, int row, RowMemory& memory) {
  using V = hn::Vec<D>;
  const int y = problem.y + row, columns = problem.columns, count = problem.disparities,
            lanes = static_cast<int>(hn::Lanes(d));
  // the right picture's pixels from the last one on, so that those of successive disparities follow each other
  const int end = problem.x + columns - 1 - problem.first, length = columns + count - 1;
  for (int plane = 0; plane < 3; ++plane) {
    const Byte* from = problem.right->census_row(plane, y) + end;
    Byte* __restrict to = memory.right[plane].data();
    for (int i = 0; i < std::min(length, end + 1); ++i) to[i] = from[-i];
  }
  const Byte *right[3] = {memory.right[0].data(), memory.right[1].data(), memory.right[2].data()}, *left[3];
  for (int plane = 0; plane < 3; ++plane) left[plane] = problem.left->census_row(plane, y) + problem.x;
  const V outside = hn::Set(d, Byte{outside_cost}), lane = hn::Iota(d, 0);
  Byte* out = memory.costs.data() + byte_margin;
  for (int x = 0; x < columns; ++x, out += count) {
    const V a = hn::Set(d, left[0][x]), b = hn::Set(d, left[1][x]), c = hn::Set(d, left[2][x]);
    const int inside = problem.x + x - problem.first + 1;  // beyond, every cost is that of a match outside the picture
    for (int i = 0, at = columns - 1 - x; i < count; i += lanes, at += lanes) {
      V cost = bits_of(d, hn::Xor(a, hn::LoadU(d, right[0] + at)), hn::Xor(b, hn::LoadU(d, right[1] + at)),
                       hn::Xor(c, hn::LoadU(d, right[2] + at)));
      if (inside < i + lanes)
        cost =
            hn::IfThenElse(hn::Lt(lane, hn::Set(d, static_cast<Byte>(std::clamp(inside - i, 0, 255)))), cost, outside);
      hn::StoreU(cost, d, out + i);
    }
  }
}

template <class D>
HWY_INLINE void follow_columns_by(D, const PathProblem& problem, const PathPenalties& penalties,
                                  const RowMemory& memory, ColumnPaths& paths, Byte* sums) {
  using V = hn::Vec<D>;
  const DisparityLanes<D> of(problem);
  const auto count = static_cast<std::size_t>(of.count);
  const int row = paths.row;
  // upwards, a penalty is found at the lower one of two pixels
  using P = PathPenalties;
  const Byte* penalty[3] = {penalties.at(P::falling, row), penalties.at(P::down, row), penalties.at(P::rising, row)};
  if (!paths.forward) {
    penalty[0] = penalties.at(P::falling, row + 1) + 1;
    penalty[1] = penalties.at(P::down, row + 1);
    penalty[2] = penalties.at(P::rising, row + 1) - 1;
  }
  Byte *values[3], *least[3];
  for (int k = 0; k < 3; ++k) {
    values[k] = paths.values[k].data() + byte_margin + paths.place(k) * count;
    least[k] = paths.least[k].data() + paths.place(k);
  }
  const Byte* costs = memory.costs.data() + byte_margin;
  for (std::size_t x = 0; x < static_cast<std::size_t>(problem.columns); ++x, costs += count, sums += count) {
    Path<D> p0, p1, p2;
    p0.start(of, values[0] + x * count, hn::Set(of.d, least[0][x]), penalty[0][x]);
    p1.start(of, values[1] + x * count, hn::Set(of.d, least[1][x]), penalty[1][x]);
    p2.start(of, values[2] + x * count, hn::Set(of.d, least[2][x]), penalty[2][x]);
    for (int i = 0; i < of.count; i += of.lanes()) {
      const V cost = hn::LoadU(of.d, costs + i);
      const V v0 = p0.step(of, i, cost), v1 = p1.step(of, i, cost), v2 = p2.step(of, i, cost);
      hn::StoreU(hn::Add(hn::Add(v0, v1), v2), of.d, sums + i);
    }
    least[0][x] = hn::GetLane(least_of(of.d, p0.least));
    least[1][x] = hn::GetLane(least_of(of.d, p1.least));
    least[2][x] = hn::GetLane(least_of(of.d, p2.least));
  }
  paths.row += paths.forward ? 1 : -1;
  ++paths.done;
}

template <class D>
HWY_INLINE void follow_row_by(D d, const PathProblem& problem, const PathPenalties& penalties, int row,
                              RowMemory& memory, Byte* sums) {
  using V = hn::Vec<D>;
  const DisparityLanes<D> of(problem);
  const int columns = problem.columns;
  const Byte *penalty = penalties.at(PathPenalties::across, row), *costs = memory.costs.data() + byte_margin;
  for (auto& values : memory.values) std::fill(values.begin(), values.end(), Byte{0});
  // Both ways at the same time, since each step waits for the one before. Where one comes first, it leaves its values; the
  // other one adds its own.
  V least[2] = {hn::Set(d, 0), hn::Set(d, 0)};
  for (int n = 0; n < columns; ++n) {
    for (int way = 0; way < 2; ++way) {
      const int x = way == 0 ? n : columns - 1 - n;
      const bool first = way == 0 ? 2 * n < columns : 2 * n < columns - 1;
      const std::size_t at = static_cast<std::size_t>(x) * static_cast<std::size_t>(of.count);
      Path<D> path;
      // between a pixel and the one to its left; those at the sides have no predecessor, and no penalty
      path.start(of, memory.values[way].data() + byte_margin, least[way],
                 penalty[way == 0 ? x : std::min(x + 1, columns - 1)]);
      for (int i = 0; i < of.count; i += of.lanes()) {
        const V value = path.step(of, i, hn::LoadU(d, costs + at + i));
        Byte* out = sums + at + i;
        hn::StoreU(first ? value : hn::Add(value, hn::LoadU(d, out)), d, out);
      }
      least[way] = least_of(d, path.least);
    }
  }
}

// Disparities come in multiples of 32.
template <class Work>
HWY_INLINE void by_lanes(const PathProblem& problem, const Work& work) {
  if (problem.disparities % 64 == 0)
    work(hn::CappedTag<Byte, 64>());
  else
    work(hn::CappedTag<Byte, 32>());
}

void match_costs_kernel(const PathProblem& problem, int row, RowMemory& memory) {
  by_lanes(problem, [&](auto d) HWY_ATTR { match_costs_by(d, problem, row, memory); });
}

void follow_columns_kernel(const PathProblem& problem, const PathPenalties& penalties, const RowMemory& memory,
                           ColumnPaths& paths, Byte* sums) {
  by_lanes(problem, [&](auto d) HWY_ATTR { follow_columns_by(d, problem, penalties, memory, paths, sums); });
}

void follow_row_kernel(const PathProblem& problem, const PathPenalties& penalties, int row, RowMemory& memory,
                       Byte* sums) {
  by_lanes(problem, [&](auto d) HWY_ATTR { follow_row_by(d, problem, penalties, row, memory, sums); });
}

}  // namespace HWY_NAMESPACE
}  // namespace kinema::stereo
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kinema::stereo {

HWY_EXPORT(smooth_row_kernel);
HWY_EXPORT(census_row_kernel);
HWY_EXPORT(match_costs_kernel);
HWY_EXPORT(follow_row_kernel);
HWY_EXPORT(follow_columns_kernel);

void smooth_row(const std::uint8_t* above, const std::uint8_t* middle, const std::uint8_t* below, int width,
                std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(smooth_row_kernel)(above, middle, below, width, out);
}

void census_row(const CensusImage& image, int y, std::uint8_t* const planes[3]) {
  HWY_DYNAMIC_DISPATCH(census_row_kernel)(image, y, planes);
}

void RowMemory::match_costs(const PathProblem& problem, int row) {
  costs.resize(problem.row_bytes() + 2 * byte_margin);
  for (auto& plane : right)
    plane.resize(static_cast<std::size_t>(problem.columns) + static_cast<std::size_t>(problem.disparities) +
                 byte_margin);
  HWY_DYNAMIC_DISPATCH(match_costs_kernel)(problem, row, *this);
}

void RowMemory::follow_row(const PathProblem& problem, const PathPenalties& penalties, int row, std::uint8_t* sums) {
  for (auto& plane : values) plane.resize(static_cast<std::size_t>(problem.disparities) + 2 * byte_margin);
  HWY_DYNAMIC_DISPATCH(follow_row_kernel)(problem, penalties, row, *this, sums);
}

void ColumnPaths::start(const PathProblem& problem, bool downward) {
  rows = problem.rows;
  forward = downward;
  row = forward ? 0 : rows - 1;
  done = 0;
  const auto slots = static_cast<std::size_t>(problem.columns + rows);
  for (auto& plane : values) plane.assign(slots * static_cast<std::size_t>(problem.disparities) + 2 * byte_margin, 0);
  for (auto& plane : least) plane.assign(slots, 0);
}

void ColumnPaths::follow(const PathProblem& problem, const PathPenalties& penalties, const RowMemory& memory,
                         std::uint8_t* sums) {
  HWY_DYNAMIC_DISPATCH(follow_columns_kernel)(problem, penalties, memory, *this, sums);
}

void PathPenalties::resize(const PathProblem& problem) {
  pitch_ = static_cast<std::size_t>(problem.columns) + 2 * byte_margin;
  for (auto& plane : planes_) plane.resize(pitch_ * (static_cast<std::size_t>(problem.rows) + 1));
}

void PathPenalties::compute_row(const PathProblem& problem, int row) {
  const std::uint16_t *here = problem.left->smooth_row(problem.y + row) + problem.x,
                      *above = problem.left->smooth_row(problem.y + row - 1) + problem.x;
  const auto fill = [&](Way way, const std::uint16_t* other) {
    std::uint8_t* out = planes_[way].data() + static_cast<std::size_t>(row) * pitch_ + byte_margin;
    for (int x = 0; x < problem.columns; ++x) out[x] = problem.large_step[std::abs(here[x] - other[x]) >> 4];
  };
  fill(across, here - 1);
  fill(falling, above - 1);
  fill(down, above);
  fill(rising, above + 1);
}

}  // namespace kinema::stereo
#endif
