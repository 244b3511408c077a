// The kernel of algorithm 1: from parameters to shapes, and from sums to E.
#pragma once

#include "face/combined_room_cuda.cuh"
#include "face/flat_texture.h"

namespace kinema::face::combined {

// Two neighbours of `small` for every factor's c: of the four threads that share the work, each gets the factors that are
// its number plus a multiple of 4.
template <int columns>
__device__ inline void times_c(const CombinedView& v, const float* small, const float* tried, int pair,
                               float2 (&out)[columns / 4]) {
  const int part = static_cast<int>(threadIdx.x % 4u), turns = padded_modes(v) / 4;
  float2 sum[columns] = {};
  const float* a_of = small + part * v.small_width + 2 * pair;
  const float* c_of = tried + part * columns;
#pragma unroll 4
  for (int i = 0; i < turns; ++i) {
    const float2 a = *reinterpret_cast<const float2*>(a_of + i * 4 * v.small_width);
#pragma unroll
    for (int k = 0; k < columns; k += 4) {
      const float4 c = *reinterpret_cast<const float4*>(c_of + i * 4 * columns + k);
      sum[k].x = fmaf(a.x, c.x, sum[k].x), sum[k].y = fmaf(a.y, c.x, sum[k].y);
      sum[k + 1].x = fmaf(a.x, c.y, sum[k + 1].x), sum[k + 1].y = fmaf(a.y, c.y, sum[k + 1].y);
      sum[k + 2].x = fmaf(a.x, c.z, sum[k + 2].x), sum[k + 2].y = fmaf(a.y, c.z, sum[k + 2].y);
      sum[k + 3].x = fmaf(a.x, c.w, sum[k + 3].x), sum[k + 3].y = fmaf(a.y, c.w, sum[k + 3].y);
    }
  }
  const auto add = [](float2 kept, float2 given, int step) {
    kept.x += __shfl_xor_sync(whole_warp, given.x, step);
    kept.y += __shfl_xor_sync(whole_warp, given.y, step);
    return kept;
  };
  const bool high = (part & 2) != 0, odd = (part & 1) != 0;
#pragma unroll
  for (int k = 0; k < columns; k += 4) {
    const float2 first = add(high ? sum[k + 2] : sum[k], high ? sum[k] : sum[k + 2], 2);
    const float2 second = add(high ? sum[k + 3] : sum[k + 1], high ? sum[k + 1] : sum[k + 3], 2);
    out[k / 4] = add(odd ? second : first, odd ? first : second, 1);
  }
}

// The shapes of all factors, in the source.
template <int columns>
__device__ inline void make_shapes(const CombinedView& v, const Room& room, const float* small, const float* tried) {
  const int part = static_cast<int>(threadIdx.x % 4u);
#pragma unroll 1
  for (int first = warp_id() * 8; first < v.landmarks; first += threads / 4) {
    const int landmark = first + static_cast<int>(threadIdx.x % 32u / 4u);
    float2 by[columns / 4];
    times_c<columns>(v, small, tried, min(landmark, v.landmarks - 1), by);
    if (landmark >= v.landmarks) continue;
    const float2 mean = reinterpret_cast<const float2*>(room.mean_shape)[landmark];
#pragma unroll
    for (int k = 0; k < columns / 4; ++k) {
      const float x = mean.x + by[k].x, y = mean.y + by[k].y;
      const float4 t = room.placing[4 * k + part];
      room.shapes[(4 * k + part) * v.landmarks + landmark] = {fmaf(t.x, x, fmaf(-t.y, y, t.z)),
                                                              fmaf(t.y, x, fmaf(t.x, y, t.w))};
    }
  }
}

// What follows from c alone, while the sums are on their way: [R; Qg] Qg^T c. It ends with a barrier of the threads that
// do not add up sums.
template <int columns>
__device__ inline void look_ahead(const CombinedView& v, const Room& room, const float* small, const float* tried) {
  const int part = static_cast<int>(threadIdx.x % 4u), pairs = v.modes + 2;
#pragma unroll 1
  for (int first = warp_id() * 8; first < pairs; first += other_threads / 4) {
    const int pair = first + static_cast<int>(threadIdx.x % 32u / 4u);
    float2 by[columns / 4];
    times_c<columns>(v, small, tried, v.landmarks + min(pair, pairs - 1), by);
    if (pair >= pairs) continue;
#pragma unroll
    for (int k = 0; k < columns / 4; ++k) {
      room.by_c[2 * pair * columns + 4 * k + part] = by[k].x;
      room.by_c[(2 * pair + 1) * columns + 4 * k + part] = by[k].y;
    }
  }
  asm volatile("bar.sync 1, %0;" ::"n"(other_threads) : "memory");
}

// The part of E that follows from c alone, of a lane's share of the modes: c.(2 Qg g0 + Qg Qg^T c), and c.(Qg 1).
template <int columns>
__device__ inline double2 quadratic(const CombinedView& v, const Room& room, const float* tried) {
  constexpr int lanes = 32 / columns;
  const int lane = static_cast<int>(threadIdx.x % static_cast<unsigned>(lanes));
  const int k = static_cast<int>(threadIdx.x % 32u / static_cast<unsigned>(lanes));
  double2 sum{0, 0};
#pragma unroll 2
  for (int i = lane; i < v.modes; i += lanes) {
    const int row = v.modes + 4 + i;
    const double c = tried[i * columns + k];
    sum.x = fma(c, fma(2.0, static_cast<double>(room.by_mean[row]), static_cast<double>(room.by_c[row * columns + k])),
                sum.x);
    sum.y = fma(c, static_cast<double>(room.by_one[row]), sum.y);
  }
  return sum;
}

struct Scale {
  double offset = 0, factor = 1;
};

// A row's product with the normalised texture of a column.
template <int columns>
__device__ inline double product(const Room& room, int row, int k, const Scale& scale) {
  return fma(-scale.offset, static_cast<double>(room.by_one[row]), room.totals[row * columns + k]) * scale.factor;
}

// See normalised() in texture_sums.h: offset and factor of a column, and what E has of it alone: g.g - 2 g.g0 + g0.g0.
template <int columns>
__device__ inline Scale normalise(const CombinedView& v, const Room& room, int k, double& error) {
  const double square = room.totals[v.rows * columns + k], by_mean = room.totals[(v.rows - 2) * columns + k];
  Scale scale;
  double left = square, along = by_mean;
  if (v.photometric) {
    const double one = room.totals[(v.rows - 1) * columns + k];
    scale.offset = one * v.share;
    left = fmax(0.0, fma(-one, scale.offset, square));
    along = fma(-scale.offset, static_cast<double>(room.by_one[v.rows - 2]), by_mean);
    const float deviation = __fsqrt_rn(static_cast<float>(left * v.share));
    const auto offset = static_cast<float>(fabs(scale.offset));
    const double alpha = fmax(along * v.share, 0.1 * static_cast<double>(deviation));
    const float flat = fmaf(static_cast<float>(flat_share), offset, static_cast<float>(flat_least));
    // one over alpha: a float's guess, and a step of Newton's method
    const double guess = static_cast<double>(__frcp_rn(static_cast<float>(alpha)));
    scale.factor = deviation > flat ? guess * fma(-alpha, guess, 2.0) : 0;
  }
  error = fma(fma(left, scale.factor, -2 * along), scale.factor, v.mean_square);
  return scale;
}

// E of every factor: r.r from the products alone. Each warp finds all of them; the lanes of a column share the work.
template <int columns>
__device__ inline double find_error(const CombinedView& v, const Room& room, const float* tried, const double2& known,
                                    Scale& scale) {
  constexpr int lanes = 32 / columns;
  const int lane = static_cast<int>(threadIdx.x % static_cast<unsigned>(lanes));
  const int k = static_cast<int>(threadIdx.x % 32u / static_cast<unsigned>(lanes));
  double error;
  scale = normalise<columns>(v, room, k, error);
  double by = 0;
#pragma unroll 4
  for (int i = lane; i < v.modes; i += lanes)
    by = fma(static_cast<double>(tried[i * columns + k]), room.totals[(v.modes + 4 + i) * columns + k], by);
  double sum = fma(-2 * scale.factor, fma(-scale.offset, known.y, by), known.x);
#pragma unroll
  for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(whole_warp, sum, step);
  return error + sum;
}

}  // namespace kinema::face::combined
