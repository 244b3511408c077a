// The kernel of algorithm 1: from parameters to shapes, and from sums to E.
#pragma once

#include "face/combined_room_cuda.cuh"
#include "face/flat_texture.h"

namespace kinema::face::combined {

// [Qs, Qg Qg^T, Qg R^T] of every factor's c, and the shapes in the source. Four threads share two columns.
template <int columns>
__device__ inline void make_shapes(const CombinedView& v, const Room& room, const float* small) {
  const int part = static_cast<int>(threadIdx.x) % 4;
  const int units = v.landmarks + v.modes + 2;
#pragma unroll 1
  for (int first = 0; first < units; first += threads / 4) {
    const int unit = first + static_cast<int>(threadIdx.x) / 4;
    float sum[2][columns] = {};
    if (unit < units)
#pragma unroll 4
      for (int i = part; i < v.modes; i += 4) {
        const float2 a =
            *reinterpret_cast<const float2*>(small + static_cast<std::size_t>(i) * v.small_width + 2 * unit);
#pragma unroll
        for (int k = 0; k < columns; k += 4) {
          const float4 c = *reinterpret_cast<const float4*>(room.tried + i * columns + k);
          sum[0][k] = fmaf(a.x, c.x, sum[0][k]), sum[1][k] = fmaf(a.y, c.x, sum[1][k]);
          sum[0][k + 1] = fmaf(a.x, c.y, sum[0][k + 1]), sum[1][k + 1] = fmaf(a.y, c.y, sum[1][k + 1]);
          sum[0][k + 2] = fmaf(a.x, c.z, sum[0][k + 2]), sum[1][k + 2] = fmaf(a.y, c.z, sum[1][k + 2]);
          sum[0][k + 3] = fmaf(a.x, c.w, sum[0][k + 3]), sum[1][k + 3] = fmaf(a.y, c.w, sum[1][k + 3]);
        }
      }
#pragma unroll
    for (int k = 0; k < columns; ++k)
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        sum[j][k] += __shfl_xor_sync(whole_warp, sum[j][k], 1);
        sum[j][k] += __shfl_xor_sync(whole_warp, sum[j][k], 2);
      }
    if (unit >= units) continue;
      // each of the four goes on with a factor of its own
#pragma unroll
    for (int k = 0; k < columns; k += 4) {
      const auto own = [&](const float(&of)[columns]) {
        const float low = part & 1 ? of[k + 1] : of[k], high = part & 1 ? of[k + 3] : of[k + 2];
        return part & 2 ? high : low;
      };
      const float first_sum = own(sum[0]), second_sum = own(sum[1]);
      if (unit < v.landmarks) {
        const float x = room.mean_shape[2 * unit] + first_sum, y = room.mean_shape[2 * unit + 1] + second_sum;
        const double* t = room.poses + 4 * (k + part);
        const auto a = static_cast<float>(t[0]), b = static_cast<float>(t[1]);
        room.shapes[(k + part) * v.landmarks + unit] = {fmaf(a, x, fmaf(-b, y, static_cast<float>(t[2]))),
                                                        fmaf(b, x, fmaf(a, y, static_cast<float>(t[3])))};
      } else {
        const int row = 2 * (unit - v.landmarks);
        room.by_c[row * columns + k + part] = first_sum;
        room.by_c[(row + 1) * columns + k + part] = second_sum;
      }
    }
  }
}

// A row's product with the texture of a column, as it was sampled.
template <int columns>
__device__ inline float total(const Room& room, int row, int k) {
  return room.totals[row * columns + k] * room.unscale[row];
}

// And with the normalised texture.
template <int columns>
__device__ inline float product(const Room& room, int row, int k, float2 scale) {
  return fmaf(-scale.x, room.by_one[row], total<columns>(room, row, k)) * scale.y;
}

// See normalised() in texture_sums.h: offset and factor of a column, and what E has of it alone: g.g - 2 g.g0 + g0.g0. What
// cancels there is double.
template <int columns>
__device__ inline float2 normalise(const CombinedView& v, const Room& room, int k, double& error) {
  const double square = room.totals[v.rows * columns + k], by_mean = total<columns>(room, v.rows - 2, k);
  float2 scale{0, 1};
  double left = square, along = by_mean;
  if (v.photometric) {
    const double offset = total<columns>(room, v.rows - 1, k) * v.share;
    left = fmax(0.0, square - total<columns>(room, v.rows - 1, k) * offset);
    along = by_mean - offset * room.by_one[v.rows - 2];
    const float deviation = sqrtf(static_cast<float>(left * v.share));
    const float alpha = fmaxf(static_cast<float>(along * v.share), 0.1f * deviation);
    scale.x = static_cast<float>(offset);
    const float flat = fmaf(static_cast<float>(flat_share), fabsf(scale.x), static_cast<float>(flat_least));
    scale.y = deviation > flat ? 1 / alpha : 0;
  }
  const double factor = scale.y;
  error = (left * factor - 2 * along) * factor + v.mean_square;
  return scale;
}

// E of every factor, a warp each: r.r from the products alone.
template <int columns>
__device__ inline void find_errors(const CombinedView& v, const Room& room, int active) {
  const int k = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  if (k >= active) return;
  double error;
  const float2 scale = normalise<columns>(v, room, k, error);
  float sum = 0;
#pragma unroll 1
  for (int i = lane; i < v.modes; i += 32) {
    const int row = v.modes + 4 + i;
    const float term = 2 * (room.by_mean[row] - product<columns>(room, row, k, scale)) + room.by_c[i * columns + k];
    sum = fmaf(room.tried[i * columns + k], term, sum);
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(whole_warp, sum, step);
  if (lane != 0) return;
  room.errors[k] = error + sum;
  room.scales[k] = scale;
}

}  // namespace kinema::face::combined
