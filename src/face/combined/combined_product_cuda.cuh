// The kernel of algorithm 1: products on the tensor cores, of 16 rows with a tile of columns.
#pragma once

#include "face/combined/combined_pack.h"
#include "face/combined/combined_shared_cuda.cuh"

#include <cuda_fp16.h>

namespace kinema::face::combined {

__device__ inline unsigned bits(half2 h) { return *reinterpret_cast<unsigned*>(&h); }

// A number as the sum of two halves: 22 bits, nearly what a float holds.
__device__ inline uint2 halves(float2 value) {
  const half2 high = __floats2half2_rn(value.x, value.y);
  const float2 kept = __half22float2(high);
  return {bits(high), bits(__floats2half2_rn(value.x - kept.x, value.y - kept.y))};
}

// 16 rows by a tile's numbers, which are the operand of a product of 8 columns: 4 of high halves and the same 4 of low
// ones.
__device__ inline void multiply(float (&sum)[4], const uint4& a, const uint2& b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
}

// Sums of both halves of a matrix.
__device__ inline void join_halves(float (&high)[4], const float (&low)[4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) high[i] = fmaf(low[i], 1 / pack_finer, high[i]);
}

// A lane's part of 16 rows' sums: those of one row, which every second lane has.
struct Sums {
  float4 all;

  __device__ explicit Sums(const float (&sum)[4]) {
    const int q = static_cast<int>(threadIdx.x % 4u);
    const bool low = q >= 2;  // low halves: this lane continues with the lower 8 rows
    float x = low ? sum[2] : sum[0], y = low ? sum[3] : sum[1];
    x += __shfl_xor_sync(whole_warp, low ? sum[0] : sum[2], 2);
    y += __shfl_xor_sync(whole_warp, low ? sum[1] : sum[3], 2);
    all = {x, y, __shfl_xor_sync(whole_warp, x, 1), __shfl_xor_sync(whole_warp, y, 1)};
  }
  __device__ static bool has_row() { return threadIdx.x % 2 == 0; }
  __device__ static int row() { return static_cast<int>(threadIdx.x % 32u / 4u) + (threadIdx.x % 4u >= 2u ? 8 : 0); }
  __device__ float4 times(float scale) const { return {all.x * scale, all.y * scale, all.z * scale, all.w * scale}; }
};

}  // namespace kinema::face::combined
