// The kernel of algorithm 1: the slice of the matrix that a block owns, and its product with the block's samples.
#pragma once

#include "face/combined/combined_exchange_cuda.cuh"
#include "face/combined/combined_shared_cuda.cuh"

#include <algorithm>

namespace kinema::face::combined {

// Asynchronous copies from global to shared memory: 16 bytes; all copies before end_copies() are waited for together.
__device__ inline void start_copy(void* to, const void* from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
#else
  *static_cast<uint4*>(to) = *static_cast<const uint4*>(from);
#endif
}
__device__ inline void end_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int left>
__device__ inline void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
#endif
}

// Copies the small matrices to shared memory, by one thread: the copy engine works in the background.
__device__ inline void start_small(const CombinedView& v, const SharedMemory& shared) {
#if __CUDA_ARCH__ >= 900
  const auto bytes = static_cast<int>(small_size(v) * sizeof(uint4));
  expect(shared, 2, bytes);
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(shared.small)),
               "l"(v.small), "r"(bytes), "r"(shared_address(shared.arrived + 2))
               : "memory");
#endif
}

// Copies data to shared memory by all threads. Short code, since it runs once and has to be fetched first.
__device__ __forceinline__ void start_copies(void* to, const void* from, std::size_t bytes) {
#pragma unroll 1
  for (unsigned i = threadIdx.x * 16u; i < bytes; i += threads * 16u)
    start_copy(static_cast<char*>(to) + i, static_cast<const char*>(from) + i);
}

// The sums of short runs of products, which are added at the end, since E is a small difference of large sums.
struct ShortSums {
  float high[2][4], low[2][4];  // independent of each other, so that none waits

  __device__ __forceinline__ void begin() {
#pragma unroll
    for (int i = 0; i < 8; ++i) high[i / 4][i % 4] = low[i / 4][i % 4] = 0;
  }

  __device__ __forceinline__ void end(float (&sum)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) high[0][i] += high[1][i], low[0][i] += low[1][i];
    join_halves(high[0], low[0]);
#pragma unroll
    for (int i = 0; i < 4; ++i) sum[i] += high[0][i];
  }
};

// The matrix has two halves: numbers rounded to 16 bits, and the remainders. A warp's job is 16 rows of both, of every
// second tile of values. `held_tiles`: every warp has at most one job, and keeps its slice of this many tiles in
// registers; 0: it keeps nothing.
template <int held_tiles>
struct Slice {
  static constexpr int held = std::max(held_tiles, 1);
  static constexpr bool resident = held_tiles > 0;

  const CombinedView& v;
  const CombinedPlan& plan;
  const int tiles, jobs;  // of the block
  const int lane, warp;
  const uint4* const matrix;
  const int own_rows_tile, own_part;
  uint4* const further;  // those beside the held ones
  uint4 slice[held];

  __device__ __forceinline__ Slice(const CombinedView& view, const CombinedPlan& given, const SharedMemory& shared,
                                   int first_tile, int block_tiles)
      : v(view),
        plan(given),
        tiles(block_tiles),
        jobs(2 * view.row_tiles),
        lane(lane_id()),
        warp(warp_id()),
        matrix(view.fragments + static_cast<std::size_t>(first_tile) * jobs * 32 + lane),
        own_rows_tile(warp % view.row_tiles),
        own_part(warp / view.row_tiles),
        further(shared.slices + warp * given.shared_tiles * 32 + lane) {}

  __device__ __forceinline__ const uint4* fragment(int t, int half, int row_tile) const {
    return matrix + ((t * 2 + half) * v.row_tiles + row_tile) * 32;
  }

  // Fetches what is kept.
  __device__ __forceinline__ void start() {
    if (warp >= jobs) return;
#pragma unroll
    for (int i = 0; i < held; ++i) {
      const int t = i / 2 * 2 + own_part;
      slice[i] = t < tiles ? __ldg(fragment(t, i % 2, own_rows_tile)) : uint4{0, 0, 0, 0};
    }
    // each lane copies what it will read itself
#pragma unroll 1
    for (int i = 0; i < plan.shared_tiles; ++i) {
      const int t = held + i / 2 * 2 + own_part;
      if (t < tiles) start_copy(further + i * 32, fragment(t, i % 2, own_rows_tile));
    }
  }

  // The products of 16 rows with every second of the block's tiles of samples.
  __device__ __forceinline__ void multiply_tiles(const SharedMemory& shared, int row_tile, int part,
                                                 float (&sum)[4]) const {
    const uint2* samples = shared.samples + lane;
#pragma unroll
    for (int i = 0; i < 4; ++i) sum[i] = 0;
    ShortSums sums;
    if constexpr (resident) multiply_kept(samples, part, sums, sum);
    int t = resident ? held + plan.shared_tiles + part : part;
#pragma unroll 1
    for (; t < tiles; t += 4) {
      const bool two = t + 2 < tiles;
      uint4 a[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) a[i] = __ldg(fragment(two ? t + i / 2 * 2 : t, i % 2, row_tile));
      sums.begin();
      multiply(sums.high[0], a[0], samples[t * 32]);
      multiply(sums.low[0], a[1], samples[t * 32]);
      if (two) {
        multiply(sums.high[1], a[2], samples[(t + 2) * 32]);
        multiply(sums.low[1], a[3], samples[(t + 2) * 32]);
      }
      sums.end(sum);
    }
  }

private:
  __device__ __forceinline__ void multiply_kept(const uint2* samples, int part, ShortSums& sums,
                                                float (&sum)[4]) const {
    sums.begin();
#pragma unroll
    for (int i = 0; i < held / 2; ++i) {
      const uint2 s = samples[(2 * i + part) * 32];
      multiply(sums.high[i % 2], slice[2 * i], s);
      multiply(sums.low[i % 2], slice[2 * i + 1], s);
    }
    sums.end(sum);
    int t = part + held;
    const int end = min(tiles, held + plan.shared_tiles);
    const uint4* a = further;
#pragma unroll 1
    for (; t < end; t += 4, a += 128) {
      sums.begin();
      const uint2 s = samples[t * 32];
      multiply(sums.high[0], a[0], s);
      multiply(sums.low[0], a[32], s);
      if (t + 2 < end) {
        const uint2 next = samples[(t + 2) * 32];
        multiply(sums.high[1], a[64], next);
        multiply(sums.low[1], a[96], next);
      }
      sums.end(sum);
    }
  }
};

}  // namespace kinema::face::combined
