// From the sums of threads to those of a frame, all in integers: warps by their reduction instruction, blocks in shared
// memory, and the last block of a frame to finish adds up what all of them left behind.
#pragma once

#include "head/count_cuda.cuh"

namespace kinema::head {

using Wide = CountCuda::Wide;
inline constexpr int sum_count = static_cast<int>(CountCuda::sums);
inline constexpr int warp_threads = 32;
inline constexpr unsigned all_lanes = ~0u;

/// The sum over a warp of values below 2^(24 parts); every lane gets it.
template <int parts>
__device__ unsigned long long warp_sum(unsigned long long value) {
  unsigned long long total = 0;
#pragma unroll
  for (int i = 0; i < parts; ++i)
    total +=
        static_cast<unsigned long long>(__reduce_add_sync(all_lanes, static_cast<unsigned>(value >> 24 * i) & 0xffffff))
        << 24 * i;
  return total;
}

__device__ inline Wide carried(unsigned long long high, unsigned long long low) {
  return {high + (low >> 32), low & 0xffffffff};
}

/// Where the sums of a frame go.
struct Destination {
  Wide* partial;      // (frame, sum, block)
  Wide* totals;       // (sum): of the pieces before this one
  unsigned* tickets;  // (frame), 0 between launches
  double* results;    // (frame, sum)
  double unit;        // what an integer of 1 stands for
  bool first, last;
};

/// The end of every block of `threads` threads: `own` are the sums of a thread, below 2^48 but for the two squares.
/// blockIdx.y is the frame.
template <int threads>
__device__ void hand_over(const unsigned long long (&own)[sum_count], const Destination& to) {
  constexpr int warps = threads / warp_threads;
  static_assert(warps >= sum_count);
  __shared__ unsigned long long warp_sums[sum_count][warps];
  __shared__ bool last_block;
  const int lane = static_cast<int>(threadIdx.x) % warp_threads, warp = static_cast<int>(threadIdx.x) / warp_threads;

  const unsigned long long sums[sum_count] = {warp_sum<2>(own[0]), warp_sum<2>(own[1]), warp_sum<2>(own[2]),
                                              warp_sum<3>(own[3]), warp_sum<3>(own[4])};
  if (lane == 0)
#pragma unroll
    for (int k = 0; k < sum_count; ++k) warp_sums[k][warp] = sums[k];
  __syncthreads();

  if (warp == 0) {
    Wide* const partial = to.partial + static_cast<std::size_t>(blockIdx.y) * sum_count * gridDim.x;
    if (lane < sum_count) {
      unsigned long long high = 0, low = 0;
#pragma unroll
      for (int w = 0; w < warps; ++w) {
        high += warp_sums[lane][w] >> 32;
        low += warp_sums[lane][w] & 0xffffffff;
      }
      const Wide sum = carried(high, low);
      __stcg(reinterpret_cast<ulonglong2*>(partial + lane * gridDim.x + blockIdx.x), ulonglong2{sum.high, sum.low});
      __threadfence();
    }
    __syncwarp();
    if (lane == 0) {
      last_block = atomicAdd(to.tickets + blockIdx.y, 1u) == gridDim.x - 1;
      __threadfence();
    }
  }
  __syncthreads();
  if (!last_block || warp >= sum_count) return;

  // a warp for each of the sums
  const Wide* const partial = to.partial + (static_cast<std::size_t>(blockIdx.y) * sum_count + warp) * gridDim.x;
  unsigned long long high = 0, low = 0;
#pragma unroll 8
  for (unsigned i = lane; i < gridDim.x; i += warp_threads) {
    const ulonglong2 sum = __ldcg(reinterpret_cast<const ulonglong2*>(partial + i));
    high += sum.x;
    low += sum.y;
  }
  high = warp_sum<2>(high);
  low = warp_sum<2>(low);
  if (lane != 0) return;
  if (warp == 0) to.tickets[blockIdx.y] = 0;
  if (!to.first) {
    high += to.totals[warp].high;
    low += to.totals[warp].low;
  }
  const Wide total = carried(high, low);
  if (to.last) {
    const double value = (static_cast<double>(total.high) * 4294967296.0 + static_cast<double>(total.low)) * to.unit;
    *static_cast<volatile double*>(to.results + blockIdx.y * sum_count + warp) = value;
  } else {
    to.totals[warp] = total;
  }
}

}  // namespace kinema::head
