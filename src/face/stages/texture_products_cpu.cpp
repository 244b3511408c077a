#include "face/stages/texture_products_cpu.h"

#include "face/model/texture_layout.h"

#include <algorithm>

#ifdef KINEMA_HAVE_HIGHWAY
// vectors are stored in arrays, which SVE's sizeless vectors do not allow
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "face/stages/texture_products_cpu.cpp"
#include <hwy/foreach_target.h>
#endif
// after foreach_target
#include "core/simd_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace kinema::face {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, tile_values>;
using Floats = hn::Vec<Lanes>;

constexpr std::size_t short_tiles = 8;

// Tiles of 4 rows by values of `columns`, added to their sums.
template <std::size_t columns>
HWY_INLINE HWY_ATTR void add_tiles(const float* rows, std::size_t first, std::size_t last, const float* panel,
                                   Floats (&sum)[group_rows][columns]) {
  const Lanes d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t t = first; t < last; ++t) {
    const float* tile = rows + t * group_rows * tile_values;
    for (std::size_t i = 0; i < tile_values; i += lanes) {
      Floats value[columns];
      for (std::size_t c = 0; c < columns; ++c) value[c] = hn::LoadU(d, panel + c * block_values + t * tile_values + i);
      for (std::size_t r = 0; r < group_rows; ++r) {
        const Floats row = hn::LoadU(d, tile + r * tile_values + i);
        for (std::size_t c = 0; c < columns; ++c) sum[r][c] = hn::MulAdd(row, value[c], sum[r][c]);
      }
    }
  }
}

// 4 rows by `columns` sums at once: each loaded value is used that many times.
template <std::size_t columns>
HWY_INLINE HWY_ATTR void multiply_columns(const float* rows, std::size_t groups, std::size_t block_tiles,
                                          std::size_t tiles, const float* panel, std::size_t all_columns, float* sums) {
  const Lanes d;
  for (std::size_t g = 0; g < groups; ++g, rows += block_tiles * group_rows * tile_values) {
    // short partial sums are added at the end: E is a small difference of large sums, and sensitive to every rounding
    Floats all[group_rows][columns];
    for (std::size_t r = 0; r < group_rows; ++r)
      for (std::size_t c = 0; c < columns; ++c) all[r][c] = hn::Zero(d);
    for (std::size_t first = 0; first < tiles; first += short_tiles) {
      Floats sum[group_rows][columns];
      for (std::size_t r = 0; r < group_rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) sum[r][c] = hn::Zero(d);
      const std::size_t last = std::min(tiles, first + short_tiles);
      add_tiles<columns>(rows, first, last, panel, sum);
      for (std::size_t r = 0; r < group_rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) all[r][c] = hn::Add(all[r][c], sum[r][c]);
    }
    for (std::size_t r = 0; r < group_rows; ++r)
      for (std::size_t c = 0; c < columns; ++c)
        sums[(g * group_rows + r) * all_columns + c] = hn::GetLane(hn::SumOfLanes(d, all[r][c]));
  }
}

// The sums of the lanes of four vectors, side by side.
HWY_INLINE HWY_ATTR void store_sums(Floats a, Floats b, Floats c, Floats d, float* to) {
// Highway's scalar fallback, which x86-64 has with g++ older than 12.3, has no lanes to bring together
#if defined(KINEMA_HAVE_HIGHWAY) && HWY_TARGET != HWY_SCALAR
  const Lanes tag;
  if constexpr (hn::MaxLanes(tag) == 4) {
    const auto pairs = [&](Floats low, Floats high)
                           HWY_ATTR { return hn::Add(hn::ConcatEven(tag, high, low), hn::ConcatOdd(tag, high, low)); };
    return hn::StoreU(pairs(pairs(a, b), pairs(c, d)), tag, to);
  }
#endif
  const Floats all[] = {a, b, c, d};
  for (std::size_t r = 0; r < group_rows; ++r) to[r] = hn::GetLane(hn::SumOfLanes(Lanes(), all[r]));
}

// One sum each, which leaves registers for more columns, and only the vectors that hold some of the values: a triangle has a
// few tiles of them.
void multiply_corners(const float* rows, std::size_t groups, std::size_t block_tiles, std::size_t first,
                      std::size_t last, const float* panel, float* sums) {
  const Lanes d;
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::size_t columns = corner_columns;
  for (std::size_t g = 0; g < groups; ++g, rows += block_tiles * group_rows * tile_values) {
    Floats sum[group_rows][columns];
    for (std::size_t r = 0; r < group_rows; ++r)
      for (std::size_t c = 0; c < columns; ++c) sum[r][c] = hn::Zero(d);
    for (std::size_t i = first / lanes * lanes; i < last; i += lanes) {
      const float* row = rows + i / tile_values * group_rows * tile_values + i % tile_values;
      Floats value[columns];
      for (std::size_t c = 0; c < columns; ++c) value[c] = hn::LoadU(d, panel + c * block_values + i);
      for (std::size_t r = 0; r < group_rows; ++r) {
        const Floats factor = hn::LoadU(d, row + r * tile_values);
        for (std::size_t c = 0; c < columns; ++c) sum[r][c] = hn::MulAdd(factor, value[c], sum[r][c]);
      }
    }
    for (std::size_t c = 0; c < columns; ++c)
      store_sums(sum[0][c], sum[1][c], sum[2][c], sum[3][c], sums + (c * groups + g) * group_rows);
  }
}

void pair_block(std::size_t first, std::size_t last, const float* panel, float* sums) {
  const Lanes d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t k = 0; k <= corner_columns; ++k) {
    Floats sum[corner_columns];
    const std::size_t others = k < corner_columns ? k + 1 : corner_columns;
    for (std::size_t l = 0; l < corner_columns; ++l) sum[l] = hn::Zero(d);
    for (std::size_t i = first / lanes * lanes; i < last; i += lanes) {
      const Floats value = hn::LoadU(d, panel + k * block_values + i);
      for (std::size_t l = 0; l < others; ++l)
        sum[l] = hn::MulAdd(value, hn::LoadU(d, panel + l * block_values + i), sum[l]);
    }
    for (std::size_t l = 0; l < others; ++l) *sums++ = hn::GetLane(hn::SumOfLanes(d, sum[l]));
  }
}

void multiply_block(const float* rows, std::size_t groups, std::size_t block_tiles, std::size_t tiles,
                    const float* panel, std::size_t columns, float* sums) {
  constexpr std::size_t abreast = 4;
  for (std::size_t c = 0; c < columns; c += abreast) {
    const float* from = panel + c * block_values;
    switch (std::min(abreast, columns - c)) {
      case 1:
        multiply_columns<1>(rows, groups, block_tiles, tiles, from, columns, sums + c);
        break;
      case 2:
        multiply_columns<2>(rows, groups, block_tiles, tiles, from, columns, sums + c);
        break;
      case 3:
        multiply_columns<3>(rows, groups, block_tiles, tiles, from, columns, sums + c);
        break;
      default:
        multiply_columns<4>(rows, groups, block_tiles, tiles, from, columns, sums + c);
    }
  }
}

void square_block(std::size_t tiles, const float* panel, std::size_t columns, float* sums) {
  const Lanes d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t c = 0; c < columns; ++c) {
    Floats all = hn::Zero(d);
    const float* column = panel + c * block_values;
    for (std::size_t first = 0; first < tiles; first += short_tiles) {
      Floats sum = hn::Zero(d);
      for (std::size_t i = first * tile_values; i < std::min(tiles, first + short_tiles) * tile_values; i += lanes) {
        const Floats value = hn::LoadU(d, column + i);
        sum = hn::MulAdd(value, value, sum);
      }
      all = hn::Add(all, sum);
    }
    sums[c] = hn::GetLane(hn::SumOfLanes(d, all));
  }
}

void add_rows(const float* rows, std::size_t groups, std::size_t tiles, const float* factors, float* texture) {
  const Lanes d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t g = 0; g < groups; ++g, factors += group_rows) {
    Floats factor[group_rows];
    for (std::size_t r = 0; r < group_rows; ++r) factor[r] = hn::Set(d, factors[r]);
    for (std::size_t t = 0; t < tiles; ++t, rows += group_rows * tile_values)
      for (std::size_t i = 0; i < tile_values; i += lanes) {
        float* to = texture + t * tile_values + i;
        Floats sum = hn::LoadU(d, to);
        for (std::size_t r = 0; r < group_rows; ++r)
          sum = hn::MulAdd(factor[r], hn::LoadU(d, rows + r * tile_values + i), sum);
        hn::StoreU(sum, d, to);
      }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kinema::face
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kinema::face {

HWY_EXPORT(multiply_block);
HWY_EXPORT(multiply_corners);
HWY_EXPORT(pair_block);
HWY_EXPORT(square_block);
HWY_EXPORT(add_rows);
void multiply_block(const float* rows, std::size_t groups, std::size_t block_tiles, std::size_t tiles,
                    const float* panel, std::size_t columns, float* sums) {
  HWY_DYNAMIC_DISPATCH(multiply_block)(rows, groups, block_tiles, tiles, panel, columns, sums);
}
void multiply_corners(const float* rows, std::size_t groups, std::size_t block_tiles, std::size_t first,
                      std::size_t last, const float* panel, float* sums) {
  HWY_DYNAMIC_DISPATCH(multiply_corners)(rows, groups, block_tiles, first, last, panel, sums);
}
void pair_block(std::size_t first, std::size_t last, const float* panel, float* sums) {
  HWY_DYNAMIC_DISPATCH(pair_block)(first, last, panel, sums);
}
void square_block(std::size_t tiles, const float* panel, std::size_t columns, float* sums) {
  HWY_DYNAMIC_DISPATCH(square_block)(tiles, panel, columns, sums);
}
void add_rows(const float* rows, std::size_t groups, std::size_t tiles, const float* factors, float* texture) {
  HWY_DYNAMIC_DISPATCH(add_rows)(rows, groups, tiles, factors, texture);
}

}  // namespace kinema::face
#endif
