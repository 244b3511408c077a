// The kernel of algorithm 1: from parameters to shapes, and from sums to E.
#pragma once

#include "face/combined/combined_shared_cuda.cuh"
#include "face/model/frame_pixels.h"

namespace kinema::face::combined {

// The index of c of a mode and a factor in the operand tiles, in halves: of the number rounded to 16 bits and,
// `trial_low_half` further, of the remainder.
__device__ inline int trial_place(int mode, int factor) {
  const int tile = mode / 16, value = mode % 16, lane = factor * 4 + value % 8 / 2;
  return ((tile * 32 + lane) * 2 + value / 8) * 2 + value % 2;
}
inline constexpr int trial_low_half = 64;

// Sets c of a mode for all factors, in both forms.
__device__ inline void put_c(const CombinedView& v, const SharedMemory& shared, unsigned turn, int mode,
                             const float (&c)[columns]) {
  double* tried = shared.tried + (static_cast<int>(turn & 1) * v.modes + mode) * columns;
  half* trial = reinterpret_cast<half*>(shared.trial + (turn & 1) * trial_size(v));
  const float scale = shared.mode_scale[mode];
#pragma unroll
  for (int k = 0; k < columns; k += 2) *reinterpret_cast<double2*>(tried + k) = {c[k], c[k + 1]};
#pragma unroll
  for (int k = 0; k < columns; ++k) {
    const float scaled = c[k] * scale;
    const half high = __float2half_rn(scaled);
    half* to = trial + trial_place(mode, k);
    to[0] = high;
    to[trial_low_half] = __float2half_rn(scaled - __half2float(high));
  }
}

// A tile of rows of `small` times every factor's c, without their scale: a lane gets rows l/4 and l/4 + 8, of the factor
// given by own_factor().
struct RowPair {
  float upper, lower;
};
__device__ inline RowPair times_c(const CombinedView& v, const uint4* tile, const uint2* trial) {
  const uint2* of_c = trial + lane_id();
  tile += lane_id();
  float high[4] = {}, low[4] = {};
#pragma unroll 4
  for (int k = 0; k < v.mode_tiles; ++k) {
    const uint2 c = of_c[k * 32];
    multiply(high, tile[k * 64], c);
    multiply(low, tile[k * 64 + 32], c);
  }
  join_halves(high, low);
  // two lanes hold a column's sums, of first halves of c and of second ones
  const bool second = threadIdx.x % 4u >= 2u;
  return {(second ? high[1] : high[0]) + __shfl_xor_sync(whole_warp, second ? high[0] : high[1], 2),
          (second ? high[3] : high[2]) + __shfl_xor_sync(whole_warp, second ? high[2] : high[3], 2)};
}
__device__ inline int own_factor() {
  const int q = static_cast<int>(threadIdx.x % 4u);
  return 2 * (q & 1) + (q >> 1);
}

__device__ inline float2 placed(const float4& t, float x, float y) {
  return {fmaf(t.x, x, fmaf(-t.y, y, t.z)), fmaf(t.y, x, fmaf(t.x, y, t.w))};
}

// The shapes of all factors, in the source.
__device__ inline void make_shapes(const CombinedView& v, const SharedMemory& shared, const uint4* small,
                                   const uint2* trial) {
  const int row = static_cast<int>(threadIdx.x % 32u / 4u);
#pragma unroll 1
  for (int t = warp_id(); t < v.shape_tiles; t += warps) {
    const int landmark = t * 8 + row;
    const float2 mean = reinterpret_cast<const float2*>(shared.mean_shape)[min(landmark, v.landmarks - 1)];
    const float by_x = shared.small_unscale[t * 16 + row], by_y = shared.small_unscale[t * 16 + 8 + row];
    const auto [x, y] = times_c(v, small + t * v.mode_tiles * 64, trial);
    if (landmark >= v.landmarks) continue;
    const int k = own_factor();
    shared.shapes[k * v.landmarks + landmark] = placed(shared.placing[k], fmaf(x, by_x, mean.x), fmaf(y, by_y, mean.y));
  }
}

// The mean shape in the source: that of c = 0.
__device__ inline void place_mean(const CombinedView& v, const SharedMemory& shared) {
#pragma unroll 1
  for (int i = thread_id(); i < v.landmarks; i += threads)
    shared.shapes[i] = placed(shared.placing[0], shared.mean_shape[2 * i], shared.mean_shape[2 * i + 1]);
}

// [R; Qg] Qg^T c, which depends on c alone, computed while the sums are in transit. By the threads that do not add
// sums.
__device__ inline void look_ahead(const CombinedView& v, const SharedMemory& shared, const uint4* small,
                                  const uint2* trial) {
  const int lines = 2 * v.modes + 4;
#pragma unroll 1
  for (int t = warp_id(); t < v.step_tiles; t += other_threads / 32) {
    const int all = v.shape_tiles + t, row = static_cast<int>(threadIdx.x % 32u / 4u), line = t * 16 + row;
    const float by_upper = shared.small_unscale[all * 16 + row], by_lower = shared.small_unscale[all * 16 + 8 + row];
    const auto [upper, lower] = times_c(v, small + all * v.mode_tiles * 64, trial);
    const int k = own_factor();
    if (line < lines) shared.by_c[line * columns + k] = upper * by_upper;
    if (line + 8 < lines) shared.by_c[(line + 8) * columns + k] = lower * by_lower;
  }
}

// Calls `use` with the modes of a lane, of those that share a column: the index and whether there is such a mode; if
// not, it is that of another, so that nothing branches. `few`: at most 64 modes, all at once.
template <int lanes, bool few, class Use>
__device__ inline void for_modes(const CombinedView& v, Use use) {
  constexpr int most = few ? 64 / lanes : 4;
  const int lane = static_cast<int>(threadIdx.x % static_cast<unsigned>(lanes));
  const auto use_some = [&](int first) {
#pragma unroll
    for (int j = 0; j < most; ++j) {
      const int i = first + j * lanes + lane;
      use(j, min(i, v.modes - 1), i < v.modes);
    }
  };
  if constexpr (few) {
    use_some(0);
  } else {
#pragma unroll 1
    for (int first = 0; first < v.modes; first += most * lanes) use_some(first);
  }
}

// The part of E that depends on c alone, of a lane's share of the modes: c.(2 Qg g0 + Qg Qg^T c), and c.(Qg 1).
template <bool few>
__device__ inline double2 quadratic(const CombinedView& v, const SharedMemory& shared, const double* tried) {
  constexpr int lanes = 32 / columns;
  const int k = static_cast<int>(threadIdx.x % 32u / static_cast<unsigned>(lanes));
  const float* by_c = shared.by_c + (v.modes + 4) * columns + k;
  double2 sum{0, 0};
  for_modes<lanes, few>(v, [&](int, int mode, bool there) {
    const double c = there ? tried[mode * columns + k] : 0;
    const double2 expected = shared.expected[mode];
    sum.x = fma(c, expected.x + static_cast<double>(by_c[mode * columns]), sum.x);
    sum.y = fma(c, expected.y, sum.y);
  });
  return sum;
}

struct Scale {
  double offset = 0, factor = 1;
};

// A row's product with the normalised texture of a column.
__device__ inline double product(const SharedMemory& shared, int row, int k, const Scale& scale) {
  return fma(-scale.offset, static_cast<double>(shared.by_one[row]), shared.totals[row * columns + k]) * scale.factor;
}

// To about 20 bits.
__device__ inline double rough_reciprocal(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
}

// See normalised() in texture_sums.h: offset and factor of a column, and its own part of E: g.g - 2 g.g0 + g0.g0.
__device__ inline Scale normalise(const CombinedView& v, const SharedMemory& shared, int k, double& error) {
  const double square = shared.totals[v.rows * columns + k], by_mean = shared.totals[(v.rows - 2) * columns + k];
  Scale scale;
  double left = square, along = by_mean;
  if (v.photometric) {
    const double one = shared.totals[(v.rows - 1) * columns + k];
    scale.offset = one * v.share;
    left = fmax(0.0, fma(-one, scale.offset, square));
    along = fma(-scale.offset, static_cast<double>(shared.by_one[v.rows - 2]), by_mean);
    // a deviation of 10 alpha or more, or a flat texture, is rare: its root is computed only then
    const double variance = left * v.share;
    const float flat =
        fmaf(static_cast<float>(flat_share), static_cast<float>(fabs(scale.offset)), static_cast<float>(flat_least));
    double alpha = along * v.share;
    if (!(alpha > 0 && alpha * alpha >= 0.01 * variance))
      alpha = fmax(alpha, 0.1 * static_cast<double>(__fsqrt_rn(static_cast<float>(variance))));
    // 1/alpha: an estimate and one Newton step, which leaves an error of about 1e-12
    const double guess = rough_reciprocal(alpha);
    scale.factor =
        variance > static_cast<double>(flat) * static_cast<double>(flat) ? guess * fma(-alpha, guess, 2.0) : 0;
  }
  error = fma(fma(left, scale.factor, -2 * along), scale.factor, v.mean_square);
  return scale;
}

// E of every factor: r.r from the products alone. Each warp computes all of them; the lanes of a column share the work.
template <bool few>
__device__ inline double find_error(const CombinedView& v, const SharedMemory& shared, const double* tried,
                                    const double2& known, Scale& scale) {
  constexpr int lanes = 32 / columns;
  const int k = static_cast<int>(threadIdx.x % 32u / static_cast<unsigned>(lanes));
  const double* totals = shared.totals + (v.modes + 4) * columns + k;
  double by[2] = {0, 0};
  for_modes<lanes, few>(v, [&](int j, int mode, bool there) {
    by[j % 2] = fma(there ? tried[mode * columns + k] : 0, totals[mode * columns], by[j % 2]);
  });
  double error;
  scale = normalise(v, shared, k, error);
  double sum = fma(-2 * scale.factor, fma(-scale.offset, known.y, by[0] + by[1]), known.x);
#pragma unroll
  for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(whole_warp, sum, step);
  return error + sum;
}

}  // namespace kinema::face::combined
