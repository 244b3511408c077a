#include "stereo/paths_kernel.h"

#include "stereo/matcher_backends.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

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
using RowBytes = hn::CappedTag<Byte, byte_margin>;       // pixels of a row
using ColumnBytes = hn::CappedTag<Byte, rows_together>;  // pixels of a column

constexpr Byte never = 200;  // larger than any value, and no overflow with a penalty

// Bits that are set in each byte of three.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V bits_of(D d, V a, V b, V c) {
#if defined(KINEMA_HAVE_HIGHWAY) && HWY_TARGET != HWY_SCALAR
  // first added as bits: two of the three are then left to count
  const V either = hn::Xor(a, b), ones = hn::Xor(either, c), twos = hn::Or(hn::And(a, b), hn::And(either, c));
  alignas(16) static constexpr Byte once[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  alignas(16) static constexpr Byte twice[16] = {0, 2, 2, 4, 2, 4, 4, 6, 2, 4, 4, 6, 4, 6, 6, 8};
  const V single = hn::LoadDup128(d, once), couple = hn::LoadDup128(d, twice), half = hn::Set(d, 0x0f);
  return hn::Add(
      hn::Add(hn::TableLookupBytes(single, hn::And(ones, half)), hn::TableLookupBytes(single, hn::ShiftRight<4>(ones))),
      hn::Add(hn::TableLookupBytes(couple, hn::And(twos, half)),
              hn::TableLookupBytes(couple, hn::ShiftRight<4>(twos))));
#else
  int count = 0;
  for (int bits = hn::GetLane(a) | hn::GetLane(b) << 8 | hn::GetLane(c) << 16; bits != 0; bits &= bits - 1) ++count;
  return hn::Set(d, static_cast<Byte>(count));
#endif
}

// A path at one pixel of each lane: L(p, d) = C(p, d) + min(L(q, d), L(q, d - 1) + P1, L(q, d + 1) + P1, min L(q) + P2) - min L(q),
// with successive d.
template <class D, class V = hn::Vec<D>>
struct Path {
  V below, here, above;        // of its predecessor q, at d - 1, d, d + 1
  V from_least, large, least;  // min L(q), min L(q) + P2, min L(p)

  HWY_INLINE V step(V cost, V small) {
    const V beside = hn::Add(hn::Min(below, above), small);
    const V best = hn::Min(hn::Min(here, beside), large);
    const V value = hn::Add(hn::Sub(best, from_least), cost);
    least = hn::Min(least, value);
    below = here;
    here = above;
    return value;
  }
};

// A path before its first step here, from its predecessor's values at the first disparity.
template <class D, class V = hn::Vec<D>>
HWY_INLINE Path<D> path_from(D d, const Byte* from, V least, V penalty) {
  return {hn::Set(d, never), hn::LoadU(d, from), hn::Set(d, never), least, hn::Add(least, penalty), hn::Set(d, 255)};
}

void follow_columns_kernel(const PathProblem& problem, const PathPenalties& penalties, ColumnPaths& paths, Byte* sums) {
  using D = RowBytes;
  const D d;
  using V = hn::Vec<D>;
  const int row = paths.row, y = problem.y + row, step = paths.forward ? 1 : -1, count = problem.disparities;
  const Byte *left[3], *right[3];
  for (int plane = 0; plane < 3; ++plane) {
    left[plane] = problem.left->census_row(plane, y) + problem.x;
    right[plane] = problem.right->census_row(plane, y) + problem.x - problem.first;
  }
  // upwards, a penalty is found at the lower one of two pixels
  using P = PathPenalties;
  const Byte* penalty[3] = {penalties.at(P::falling, row), penalties.at(P::down, row), penalties.at(P::rising, row)};
  if (!paths.forward) {
    penalty[0] = penalties.at(P::falling, row + 1) + 1;
    penalty[1] = penalties.at(P::down, row + 1);
    penalty[2] = penalties.at(P::rising, row + 1) - 1;
  }
  const std::size_t pitch = paths.pitch, out_pitch = problem.pitch();
  const V small = hn::Set(d, static_cast<Byte>(problem.small_step)), none = hn::Set(d, never),
          outside = hn::Set(d, Byte{outside_cost}), lane = hn::Iota(d, 0);
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < problem.columns; x += lanes) {
    const V a = hn::LoadU(d, left[0] + x), b = hn::LoadU(d, left[1] + x), c = hn::LoadU(d, left[2] + x);
    Byte *values[3], *least[3];
    Path<D> path[3];
    for (int k = 0; k < 3; ++k) {
      values[k] = paths.values[k].data() + paths.place(k) + x;
      least[k] = paths.least[k].data() + paths.place(k) + x;
      path[k] = path_from(d, values[k], hn::LoadU(d, least[k]), hn::LoadU(d, penalty[k] + x));
    }
    Path<D> p0 = path[0], p1 = path[1], p2 = path[2];
    // lanes beyond the window stay 0, as beyond all its sides
    const bool cut = x + lanes > problem.columns;
    const V kept = hn::IfThenElse(hn::Lt(lane, hn::Set(d, static_cast<Byte>(std::min(problem.columns - x, 255)))),
                                  hn::Set(d, 255), hn::Set(d, 0));
    Byte* out = sums + x;
    for (int i = 0; i < count; ++i) {
      V cost = bits_of(d, hn::Xor(a, hn::LoadU(d, right[0] + x - i)), hn::Xor(b, hn::LoadU(d, right[1] + x - i)),
                       hn::Xor(c, hn::LoadU(d, right[2] + x - i)));
      if (const int beyond = problem.first + i - problem.x - x; beyond > 0)
        cost = hn::IfThenElse(hn::Lt(lane, hn::Set(d, static_cast<Byte>(std::min(beyond, 255)))), outside, cost);
      const bool last = i + 1 == count;
      const std::size_t next = static_cast<std::size_t>(i + 1) * pitch;
      p0.above = last ? none : hn::LoadU(d, values[0] + next);
      p1.above = last ? none : hn::LoadU(d, values[1] + next);
      p2.above = last ? none : hn::LoadU(d, values[2] + next);
      V v0 = p0.step(cost, small), v1 = p1.step(cost, small), v2 = p2.step(cost, small);
      if (cut) v0 = hn::And(v0, kept), v1 = hn::And(v1, kept), v2 = hn::And(v2, kept);
      const std::size_t own = static_cast<std::size_t>(i) * pitch;
      hn::StoreU(v0, d, values[0] + own);
      hn::StoreU(v1, d, values[1] + own);
      hn::StoreU(v2, d, values[2] + own);
      hn::StoreU(hn::Add(hn::Add(v0, v1), v2), d, out);
      out += out_pitch;
    }
    hn::StoreU(hn::And(p0.least, kept), d, least[0]);
    hn::StoreU(hn::And(p1.least, kept), d, least[1]);
    hn::StoreU(hn::And(p2.least, kept), d, least[2]);
  }
  paths.row += step;
  ++paths.done;
}

// 16 rows of 16 bytes to columns.
HWY_INLINE void transpose_square(const Byte* from, std::size_t from_stride, Byte* to, std::size_t to_stride) {
#if defined(KINEMA_HAVE_HIGHWAY) && HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<Byte, 16> d;
  using V = hn::Vec<decltype(d)>;
  V a[16], b[16];
  for (std::size_t i = 0; i < 16; ++i) a[i] = hn::LoadU(d, from + i * from_stride);
  // four times the perfect shuffle of all bytes
  for (int stage = 0; stage < 4; ++stage) {
    for (std::size_t i = 0; i < 8; ++i) {
      b[2 * i] = hn::InterleaveLower(d, a[i], a[i + 8]);
      b[2 * i + 1] = hn::InterleaveUpper(d, a[i], a[i + 8]);
    }
    for (std::size_t i = 0; i < 16; ++i) a[i] = b[i];
  }
  for (std::size_t i = 0; i < 16; ++i) hn::StoreU(a[i], d, to + i * to_stride);
#else
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = 0; j < 16; ++j) to[j * to_stride + i] = from[i * from_stride + j];
#endif
}

// Columns of rows_together pixels, from `from` on; rows that the picture has not are those of the last one.
template <class Row>
HWY_INLINE void to_columns(const Row& row_of, int rows, int columns, std::vector<Byte>& out) {
  out.resize(static_cast<std::size_t>(columns + 15) * rows_together);
  for (int y = 0; y < rows_together; y += 16) {
    Byte square[16 * 16];
    for (int x = 0; x < columns; x += 16) {
      for (int j = 0; j < 16; ++j) std::memcpy(square + 16 * j, row_of(std::min(y + j, rows - 1)) + x, 16);
      transpose_square(square, 16, out.data() + static_cast<std::size_t>(x) * rows_together + y, rows_together);
    }
  }
}

void follow_rows_kernel(const PathProblem& problem, const PathPenalties& penalties, int first_row,
                        RowPathMemory& memory, Byte* sums) {
  using D = ColumnBytes;
  const D d;
  using V = hn::Vec<D>;
  const int rows = std::min(rows_together, problem.rows - first_row), columns = problem.columns,
            count = problem.disparities, y = problem.y + first_row;
  // the right picture's columns that disparities reach
  const int begin = std::max(0, problem.x - problem.first - count + 1), end = problem.x + columns - problem.first;
  for (int plane = 0; plane < 3; ++plane) {
    to_columns([&](int row) { return problem.left->census_row(plane, y + row) + problem.x; }, rows, columns,
               memory.left[plane]);
    if (end > begin)
      to_columns([&](int row) { return problem.right->census_row(plane, y + row) + begin; }, rows, end - begin,
                 memory.right[plane]);
  }
  to_columns([&](int row) { return penalties.at(PathPenalties::across, first_row + row); }, rows, columns,
             memory.penalty);
  // successive columns must not share lines of the cache
  const std::size_t column_bytes = static_cast<std::size_t>(count) * rows_together + byte_margin;
  memory.values.resize(column_bytes);
  // whole squares of columns are transposed
  memory.sums.resize(static_cast<std::size_t>(columns + 15) * column_bytes);
  const V small = hn::Set(d, static_cast<Byte>(problem.small_step)), none = hn::Set(d, never),
          outside = hn::Set(d, Byte{outside_cost});
  const auto follow = [&](bool forward, int from, int to, std::size_t part, V& least) HWY_ATTR {
    Byte* values = memory.values.data() + part;
    const int step = forward ? 1 : -1;
    for (int x = from; x != to; x += step) {
      const auto at = static_cast<std::size_t>(x) * rows_together + part;
      const V a = hn::LoadU(d, memory.left[0].data() + at), b = hn::LoadU(d, memory.left[1].data() + at),
              c = hn::LoadU(d, memory.left[2].data() + at);
      // between a pixel and the one to its left; those at the sides have no predecessor, and no penalty
      const std::size_t between = forward || x + 1 == columns ? at : at + rows_together;
      Path<D> path = path_from(d, values, least, hn::LoadU(d, memory.penalty.data() + between));
      Byte* out = memory.sums.data() + static_cast<std::size_t>(x) * column_bytes + part;
      // before the right picture's left side every cost is that of a match beyond it
      const int match = problem.x + x - problem.first, inside = std::clamp(match + 1, 0, count);
      const auto take = [&](int i, V cost) HWY_ATTR {
        path.above = i + 1 == count ? none : hn::LoadU(d, values + (i + 1) * rows_together);
        const V value = path.step(cost, small);
        hn::StoreU(value, d, values + i * rows_together);
        hn::StoreU(forward ? value : hn::Add(value, hn::LoadU(d, out + i * rows_together)), d, out + i * rows_together);
      };
      for (int i = 0; i < inside; ++i) {
        const auto other = static_cast<std::size_t>(match - i - begin) * rows_together + part;
        take(i, bits_of(d, hn::Xor(a, hn::LoadU(d, memory.right[0].data() + other)),
                        hn::Xor(b, hn::LoadU(d, memory.right[1].data() + other)),
                        hn::Xor(c, hn::LoadU(d, memory.right[2].data() + other))));
      }
      for (int i = inside; i < count; ++i) take(i, outside);
      least = path.least;
    }
  };
  const auto start = [&](std::size_t part) HWY_ATTR {
    for (int i = 0; i < count; ++i) hn::StoreU(hn::Set(d, 0), d, memory.values.data() + part + i * rows_together);
    return hn::Set(d, 0);
  };
  for (std::size_t part = 0; part < rows_together; part += hn::Lanes(d)) {
    V least = start(part);
    follow(true, 0, columns, part, least);
  }
  // backwards, what is complete is transposed while it is in the cache
  const std::size_t pitch = problem.pitch(), row_bytes = problem.row_bytes();
  Byte leasts[rows_together] = {};
  for (std::size_t part = 0; part < rows_together; part += hn::Lanes(d)) start(part);
  for (int x = (columns - 1) / byte_margin * byte_margin; x >= 0; x -= byte_margin) {
    const int stop = std::min(x + byte_margin, columns);
    for (std::size_t part = 0; part < rows_together; part += hn::Lanes(d)) {
      V least = hn::LoadU(d, leasts + part);
      follow(false, stop - 1, x - 1, part, least);
      hn::StoreU(least, d, leasts + part);
    }
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < rows; j += 16)
        for (int k = x; k < stop; k += 16)
          transpose_square(memory.sums.data() + static_cast<std::size_t>(k) * column_bytes +
                               static_cast<std::size_t>(i) * rows_together + static_cast<std::size_t>(j),
                           column_bytes,
                           sums + static_cast<std::size_t>(j) * row_bytes + static_cast<std::size_t>(i) * pitch +
                               static_cast<std::size_t>(k),
                           row_bytes);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kinema::stereo
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kinema::stereo {

HWY_EXPORT(smooth_row_kernel);
HWY_EXPORT(census_row_kernel);
HWY_EXPORT(follow_rows_kernel);
HWY_EXPORT(follow_columns_kernel);

void smooth_row(const std::uint8_t* above, const std::uint8_t* middle, const std::uint8_t* below, int width,
                std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(smooth_row_kernel)(above, middle, below, width, out);
}

void census_row(const CensusImage& image, int y, std::uint8_t* const planes[3]) {
  HWY_DYNAMIC_DISPATCH(census_row_kernel)(image, y, planes);
}

void follow_rows(const PathProblem& problem, const PathPenalties& penalties, int first_row, RowPathMemory& memory,
                 std::uint8_t* sums) {
  HWY_DYNAMIC_DISPATCH(follow_rows_kernel)(problem, penalties, first_row, memory, sums);
}

void ColumnPaths::start(const PathProblem& problem, bool downward) {
  rows = problem.rows;
  // an odd number of lines, so that successive disparities do not share those of the cache
  pitch = (problem.pitch() + static_cast<std::size_t>(rows) + 2 * byte_margin) / byte_margin;
  pitch = (pitch + (pitch + 1) % 2) * byte_margin;
  forward = downward;
  row = forward ? 0 : rows - 1;
  done = 0;
  for (auto& plane : values) plane.assign(pitch * static_cast<std::size_t>(problem.disparities), 0);
  for (auto& plane : least) plane.assign(pitch, 0);
}

void ColumnPaths::follow(const PathProblem& problem, const PathPenalties& penalties, std::uint8_t* sums) {
  HWY_DYNAMIC_DISPATCH(follow_columns_kernel)(problem, penalties, *this, sums);
}

void PathPenalties::resize(const PathProblem& problem) {
  pitch_ = problem.pitch() + 2 * byte_margin;
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
