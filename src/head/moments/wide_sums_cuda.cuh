// From the sums of threads to those of a frame, all in integers: warps by their reduction instruction, blocks in shared
// memory, frames by atomic additions, whose order does not matter for integers. Each addition also counts its block, so
// the last one recognises itself from the returned value, and delivers the sum: no block waits for another.
#pragma once

#include "head/moments/count_cuda.cuh"

namespace kinema::head {

inline constexpr int sum_count = static_cast<int>(CountCuda::sums);
inline constexpr int warp_threads = 32;
inline constexpr unsigned all_lanes = ~0u;

/// The sum over a warp of values below 2^(24 parts); every lane gets it.
template <int parts>
__device__ unsigned long long warp_sum(unsigned long long value) {
  unsigned long long total = 0;
#pragma unroll
  for (int i = 0; i < parts; ++i) {
    const unsigned part = static_cast<unsigned>(value >> 24 * i) & 0xffffff;
    total += static_cast<unsigned long long>(__reduce_add_sync(all_lanes, part)) << 24 * i;
  }
  return total;
}

/// Destination of the sums of frames.
struct Destination {
  FrameTotals* totals;   // (frame), 0 between frames
  FrameResult* results;  // (frame)
  std::uint32_t blocks;  // blocks that add to a frame
};

/// The end of every block of `threads` threads: `own` are the sums of a thread, below 2^48 except for the two squares,
/// which are below 2^55. blockIdx.y is the frame.
template <int threads>
__device__ void hand_over(const unsigned long long (&own)[sum_count], const Destination& to) {
  constexpr int warps = threads / warp_threads;
  __shared__ unsigned long long warp_sums[sum_count][warps];
  const int lane = static_cast<int>(threadIdx.x) % warp_threads, warp = static_cast<int>(threadIdx.x) / warp_threads;

  const unsigned long long sums[sum_count] = {warp_sum<2>(own[0]), warp_sum<2>(own[1]), warp_sum<2>(own[2]),
                                              warp_sum<3>(own[3]), warp_sum<3>(own[4])};
  if (lane == 0) {
#pragma unroll
    for (int k = 0; k < sum_count; ++k) warp_sums[k][warp] = sums[k];
  }
  __syncthreads();
  if (threadIdx.x >= FrameResult::parts) return;

  // one lane per half of a sum
  unsigned long long value = 0;
#pragma unroll
  for (int w = 0; w < warps; ++w) value += warp_sums[lane / 2][w];
  value = lane % 2 == 0 ? value & 0xffffffff : value >> 32;
  unsigned long long* const total = &to.totals[blockIdx.y].part[lane];
  const unsigned long long all = atomicAdd(total, value + FrameTotals::one_block) + value + FrameTotals::one_block;
  if (all / FrameTotals::one_block != to.blocks) return;
  *total = 0;
  *static_cast<volatile unsigned long long*>(&to.results[blockIdx.y].part[lane]) = all % FrameTotals::one_block;
}

}  // namespace kinema::head
