#include "stereo/paths_kernel.h"

#include "stereo/constants_mechanisms.h"
#include "stereo/matcher_backends.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#ifdef KINEMA_HAVE_HIGHWAY
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
  std::vector<Word> bits(static_cast<std::size_t>(image.width));
  int bit = 0;
  // half of a square of seven by seven: the other half lies opposite
  for (int dy = 0; dy <= census_reach; ++dy) {
    for (int dx = dy == 0 ? 1 : -census_reach; dx <= census_reach; ++dx, ++bit) {
      const Word* __restrict ahead = image.smooth_row(y + dy) + dx;
      const Word* __restrict behind = image.smooth_row(y - dy) - dx;
      Word* __restrict out = bits.data();
      const auto value = static_cast<Word>(1 << bit % 8);
      if (bit % 8 == 0) {
        for (int x = 0; x < image.width; ++x) out[x] = ahead[x] > behind[x] ? value : Word{0};
      } else {
        for (int x = 0; x < image.width; ++x)
          out[x] = static_cast<Word>(out[x] | (ahead[x] > behind[x] ? value : Word{0}));
      }
      if (bit % 8 != 7) continue;
      Byte* __restrict plane = planes[bit / 8];
      for (int x = 0; x < image.width; ++x) plane[x] = static_cast<Byte>(out[x]);
    }
  }
}

namespace hn = hwy::HWY_NAMESPACE;
using Bytes = hn::CappedTag<Byte, disparity_step>;
using Words = hn::CappedTag<Word, disparity_step / 2>;
using ByteVector = hn::Vec<Bytes>;
using WordVector = hn::Vec<Words>;

HWY_INLINE ByteVector all(Byte value) { return hn::Set(Bytes(), value); }

// Bits that are set in each half of a byte.
HWY_INLINE ByteVector nibbles(ByteVector v) {
  // bytes have no shifts of their own on most CPUs, so the bits that come from a neighbour are masked
  v = hn::Sub(v, hn::And(hn::ShiftRight<1>(v), all(0x55)));
  return hn::Add(hn::And(v, all(0x33)), hn::And(hn::ShiftRight<2>(v), all(0x33)));
}

// Differing bits of the census of one left pixel and of right pixels, one for each disparity.
HWY_INLINE void match_costs(const Byte left[3], const Byte* right0, const Byte* right1, const Byte* right2, int count,
                            Byte* costs) {
  const ByteVector a0 = all(left[0]), a1 = all(left[1]), a2 = all(left[2]);
  for (int d = 0; d < count; d += static_cast<int>(hn::Lanes(Bytes()))) {
    const ByteVector sum = hn::Add(hn::Add(nibbles(hn::Xor(a0, hn::LoadU(Bytes(), right0 + d))),
                                           nibbles(hn::Xor(a1, hn::LoadU(Bytes(), right1 + d)))),
                                   nibbles(hn::Xor(a2, hn::LoadU(Bytes(), right2 + d))));
    hn::StoreU(hn::Add(hn::And(sum, all(0x0f)), hn::And(hn::ShiftRight<4>(sum), all(0x0f))), Bytes(), costs + d);
  }
}

// Words have a smallest lane, bytes have not: first the smaller of each two.
HWY_INLINE Byte smallest_byte(ByteVector v) {
#if defined(KINEMA_HAVE_HIGHWAY) && HWY_TARGET != HWY_SCALAR
  const auto pairs = hn::BitCast(Words(), v);
  return static_cast<Byte>(
      hn::GetLane(hn::MinOfLanes(Words(), hn::Min(hn::And(pairs, hn::Set(Words(), 0xff)), hn::ShiftRight<8>(pairs)))));
#else
  return hn::GetLane(v);
#endif
}

// The values of a path at one pixel: from its predecessor on the path, whose smallest value is `least`.
struct Step {
  const Byte* from;
  Byte* to;
  Byte least, large;
};

// L(p, d) = C(p, d) + min(L(q, d), L(q, d - 1) + P1, L(q, d + 1) + P1, min L(q) + P2) - min L(q)
HWY_INLINE ByteVector path_value(const Step& step, int d, ByteVector cost, ByteVector small, ByteVector large,
                                 ByteVector least) {
  const Byte* from = step.from + d;
  const ByteVector beside = hn::Add(hn::Min(hn::LoadU(Bytes(), from - 1), hn::LoadU(Bytes(), from + 1)), small);
  const ByteVector best = hn::Min(hn::Min(hn::LoadU(Bytes(), from), beside), large);
  const ByteVector value = hn::Add(hn::Sub(best, least), cost);
  hn::StoreU(value, Bytes(), step.to + d);
  return value;
}

// Four paths at one pixel.
HWY_INLINE void take_steps(const Byte* costs, const Step (&steps)[4], Byte small, int disparities, Byte* sums,
                           Byte (&least)[4]) {
  const ByteVector one = all(small);
  const ByteVector m0 = all(steps[0].least), m1 = all(steps[1].least), m2 = all(steps[2].least),
                   m3 = all(steps[3].least);
  const ByteVector p0 = hn::Add(m0, all(steps[0].large)), p1 = hn::Add(m1, all(steps[1].large)),
                   p2 = hn::Add(m2, all(steps[2].large)), p3 = hn::Add(m3, all(steps[3].large));
  ByteVector l0 = all(255), l1 = l0, l2 = l0, l3 = l0;
  for (int d = 0; d < disparities; d += static_cast<int>(hn::Lanes(Bytes()))) {
    const ByteVector cost = hn::LoadU(Bytes(), costs + d);
    const ByteVector v0 = path_value(steps[0], d, cost, one, p0, m0), v1 = path_value(steps[1], d, cost, one, p1, m1),
                     v2 = path_value(steps[2], d, cost, one, p2, m2), v3 = path_value(steps[3], d, cost, one, p3, m3);
    hn::StoreU(hn::Add(hn::Add(v0, v1), hn::Add(v2, v3)), Bytes(), sums + d);
    l0 = hn::Min(l0, v0), l1 = hn::Min(l1, v1), l2 = hn::Min(l2, v2), l3 = hn::Min(l3, v3);
  }
  const ByteVector all_least[4] = {l0, l1, l2, l3};
  for (int k = 0; k < 4; ++k) least[k] = smallest_byte(all_least[k]);
}

constexpr int guard = 32;    // bytes before the values of a pixel; the last one, and the first behind, are `never`
constexpr Byte never = 200;  // larger than any value, and no overflow with a penalty

// Values of one path in a row of pixels, with one pixel more on either side that has no predecessor: all 0.
struct PathRow {
  PathRow(int columns, int disparities)
      : pitch(static_cast<std::size_t>(disparities) + 2 * guard),
        values(static_cast<std::size_t>(columns + 2) * pitch, 0),
        least(static_cast<std::size_t>(columns) + 2, 0) {
    for (int x = -1; x <= columns; ++x) at(x)[-1] = at(x)[disparities] = never;
  }
  Byte* at(int x) { return values.data() + static_cast<std::size_t>(x + 1) * pitch + guard; }
  Byte& least_at(int x) { return least[static_cast<std::size_t>(x + 1)]; }

  std::size_t pitch;
  std::vector<Byte> values, least;
};

void sum_paths_kernel(const PathProblem& problem, bool forward, Byte* sums) {
  const int columns = problem.columns, rows = problem.rows, disparities = problem.disparities;
  const int step = forward ? 1 : -1;
  // the paths along the row, from the corner behind, from the row before, from the corner ahead
  std::vector<PathRow> now(4, PathRow(columns, disparities)), before(4, PathRow(columns, disparities));
  std::vector<Byte> costs(static_cast<std::size_t>(disparities));
  // the right picture's census of a row, from the right end of the window to the left: successive disparities of a pixel
  const auto length = static_cast<std::size_t>(columns + disparities);
  std::vector<Byte> right[3];
  for (auto& plane : right) plane.resize(length);
  for (int n = 0; n < rows; ++n) {
    const int row = forward ? n : rows - 1 - n, y = problem.y + row;
    const Byte* left[3];
    for (int plane = 0; plane < 3; ++plane) {
      left[plane] = problem.left->census_row(plane, y) + problem.x;
      const Byte* own = problem.right->census_row(plane, y);
      const int last = problem.x + columns - 1;
      for (int j = 0; j < columns + disparities; ++j)
        right[plane][static_cast<std::size_t>(j)] = own[std::max(0, last - j)];
    }
    const Word* grey = problem.left->smooth_row(y) + problem.x;
    const Word* grey_before = problem.left->smooth_row(n == 0 ? y : y - step) + problem.x;
    const auto penalty = [&](Word a, Word b) { return problem.large_step[std::abs(a - b) >> 4]; };
    for (int m = 0; m < columns; ++m) {
      const int x = forward ? m : columns - 1 - m;
      const auto from = static_cast<std::size_t>(columns - 1 - x);
      const Byte own[3] = {left[0][x], left[1][x], left[2][x]};
      const int inside = std::min(disparities, problem.x + x + 1);
      match_costs(own, right[0].data() + from, right[1].data() + from, right[2].data() + from, disparities,
                  costs.data());
      if (inside < disparities)
        std::memset(costs.data() + inside, outside_cost, static_cast<std::size_t>(disparities - inside));
      const int behind = std::clamp(x - step, 0, columns - 1), ahead = std::clamp(x + step, 0, columns - 1);
      const Step steps[4] = {
          {now[0].at(x - step), now[0].at(x), now[0].least_at(x - step), penalty(grey[x], grey[behind])},
          {before[1].at(x - step), now[1].at(x), before[1].least_at(x - step), penalty(grey[x], grey_before[behind])},
          {before[2].at(x), now[2].at(x), before[2].least_at(x), penalty(grey[x], grey_before[x])},
          {before[3].at(x + step), now[3].at(x), before[3].least_at(x + step), penalty(grey[x], grey_before[ahead])}};
      Byte least[4];
      take_steps(
          costs.data(), steps, static_cast<Byte>(problem.small_step), disparities,
          sums + (static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(x)) *
                     static_cast<std::size_t>(disparities),
          least);
      for (std::size_t k = 0; k < 4; ++k) now[k].least_at(x) = least[k];
    }
    for (std::size_t k = 1; k < 4; ++k) std::swap(now[k], before[k]);
  }
}

// A sum of eight paths and its disparity in one word: the smallest of them is the best, of equal ones the farthest.
constexpr int key_bits = 7, key_block = 1 << key_bits;
constexpr Word no_key = std::numeric_limits<Word>::max();

void choose_disparities_kernel(const PathProblem& problem, const Byte* forward, const Byte* backward,
                               float* __restrict disparity) {
  const int columns = problem.columns, disparities = problem.disparities;
  const int blocks = (disparities + key_block - 1) / key_block;
  const auto length = static_cast<std::size_t>(columns + disparities);
  std::vector<Word> keys(static_cast<std::size_t>(disparities)),
      seen(length * static_cast<std::size_t>(blocks), no_key);
  std::vector<int> best(static_cast<std::size_t>(columns), 0);
  for (int x = 0; x < columns; ++x) {
    const std::size_t at = static_cast<std::size_t>(x) * static_cast<std::size_t>(disparities);
    const Byte* __restrict one = forward + at, * __restrict other = backward + at;
    int least = no_key, chosen = 0;
    for (int block = 0; block < blocks; ++block) {
      const int first = block * key_block, count = std::min(key_block, disparities - first);
      Word* own = keys.data() + first;
      Word* right =
          seen.data() + static_cast<std::size_t>(block) * length + static_cast<std::size_t>(columns - 1 - x + first);
      WordVector smallest_key = hn::Set(Words(), no_key);
      for (int i = 0; i < count; i += static_cast<int>(hn::Lanes(Words()))) {
        const hn::Rebind<Byte, Words> half;
        const WordVector sum = hn::Add(hn::PromoteTo(Words(), hn::LoadU(half, one + first + i)),
                                       hn::PromoteTo(Words(), hn::LoadU(half, other + first + i)));
        const WordVector key = hn::Or(hn::ShiftLeft<key_bits>(sum), hn::Iota(Words(), static_cast<Word>(i)));
        hn::StoreU(key, Words(), own + i);
        hn::StoreU(hn::Min(hn::LoadU(Words(), right + i), key), Words(), right + i);
        smallest_key = hn::Min(smallest_key, key);
      }
      const Word smallest = hn::GetLane(hn::MinOfLanes(Words(), smallest_key));
      if (smallest >> key_bits < least) least = smallest >> key_bits, chosen = first + (smallest & (key_block - 1));
    }
    float& result = disparity[x];
    result = 0;
    if (chosen < 1 || chosen + 1 >= disparities || chosen > problem.x + x) continue;
    const int before = keys[static_cast<std::size_t>(chosen) - 1] >> key_bits,
              after = keys[static_cast<std::size_t>(chosen) + 1] >> key_bits;
    for (int d = chosen - 1; d <= chosen + 1; ++d) keys[static_cast<std::size_t>(d)] = no_key;
    WordVector second_key = hn::Set(Words(), no_key);
    for (int d = 0; d < disparities; d += static_cast<int>(hn::Lanes(Words())))
      second_key = hn::Min(second_key, hn::LoadU(Words(), keys.data() + d));
    const Word second = hn::GetLane(hn::MinOfLanes(Words(), second_key));
    if ((second >> key_bits) - least < problem.uniqueness * least) continue;
    // the vertex of a parabola through the sums of three disparities
    const int bend = before + after - 2 * least;
    best[static_cast<std::size_t>(x)] = chosen;
    result = static_cast<float>(chosen) + (mechanisms::disparity_fractions && bend > 0
                                               ? 0.5f * static_cast<float>(before - after) / static_cast<float>(bend)
                                               : 0.0f);
  }
  // the right pixel must choose the left one too
  for (int x = 0; x < columns; ++x) {
    const int own = best[static_cast<std::size_t>(x)];
    if (own == 0) continue;
    int least = no_key, chosen = 0;
    for (int block = 0; block < blocks; ++block) {
      const Word key = seen[static_cast<std::size_t>(block) * length + static_cast<std::size_t>(columns - 1 - x + own)];
      if (key != no_key && key >> key_bits < least)
        least = key >> key_bits, chosen = block * key_block + (key & (key_block - 1));
    }
    if (mechanisms::right_agrees && std::abs(chosen - own) > 1) disparity[x] = 0;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kinema::stereo
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kinema::stereo {

HWY_EXPORT(smooth_row_kernel);
HWY_EXPORT(census_row_kernel);
HWY_EXPORT(sum_paths_kernel);
HWY_EXPORT(choose_disparities_kernel);

void smooth_row(const std::uint8_t* above, const std::uint8_t* middle, const std::uint8_t* below, int width,
                std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(smooth_row_kernel)(above, middle, below, width, out);
}

void census_row(const CensusImage& image, int y, std::uint8_t* const planes[3]) {
  HWY_DYNAMIC_DISPATCH(census_row_kernel)(image, y, planes);
}

void sum_paths(const PathProblem& problem, bool forward, std::uint8_t* sums) {
  HWY_DYNAMIC_DISPATCH(sum_paths_kernel)(problem, forward, sums);
}

void choose_disparities(const PathProblem& problem, const std::uint8_t* forward, const std::uint8_t* backward,
                        float* disparity) {
  HWY_DYNAMIC_DISPATCH(choose_disparities_kernel)(problem, forward, backward, disparity);
}

}  // namespace kinema::stereo
#endif
