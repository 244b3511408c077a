// The kernel of algorithm 1: sums of a warp, a block, a cluster and a group of clusters, all in a fixed order.
#pragma once

#include "face/combined_room_cuda.cuh"

#include <cooperative_groups.h>

namespace kinema::face::combined {

// A warp's sums of 16 rows go where the block adds them up.
template <int columns>
__device__ inline void store_sums(const float (&sum)[4], float* rows) {
  const int lane = static_cast<int>(threadIdx.x) % 32, q = lane % 4, row = lane / 4;
  if (columns == 4 && q >= 2) return;
  *reinterpret_cast<float2*>(rows + row * columns + 2 * q) = {sum[0], sum[1]};
  *reinterpret_cast<float2*>(rows + (row + 8) * columns + 2 * q) = {sum[2], sum[3]};
}

template <int columns>
__device__ inline void store_squares(float squares, float* row) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  squares += __shfl_xor_sync(whole_warp, squares, 1);
  squares += __shfl_xor_sync(whole_warp, squares, 2);
  if (columns == 4) squares += __shfl_xor_sync(whole_warp, squares, 16);
  if (lane % 4 == 0 && lane / 4 < columns) row[lane / 4] = squares;
}

__device__ inline void send(unsigned long long* to, float value, unsigned tag) {
  const unsigned long long word = static_cast<unsigned long long>(tag) << 32 | __float_as_uint(value);
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}
__device__ inline float receive(const unsigned long long* from, unsigned tag) {
  unsigned long long word;
  do {
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
  } while (static_cast<unsigned>(word >> 32) != tag);
  return __uint_as_float(static_cast<unsigned>(word));
}

__device__ inline void cluster_barrier() {
#if __CUDA_ARCH__ >= 900
  cooperative_groups::this_cluster().sync();
#else
  __syncthreads();
#endif
}

__device__ inline float* of_rank(float* local, int rank) {
#if __CUDA_ARCH__ >= 900
  return cooperative_groups::this_cluster().map_shared_rank(local, static_cast<unsigned>(rank));
#else
  return local;
#endif
}

struct Place {
  int cluster, rank;           // blocks of a cluster, and this one's number in it
  int group, member, members;  // clusters of a group
};

// The sum over the block's warps, in their order, sent to whichever block of the cluster adds it to the others'.
template <int columns>
__device__ inline void add_warps(const Room& room, const Place& at, int chunk_rows, int first_row, int count, int all) {
  const int share = share_of(all, at.cluster);
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < count * columns; i += threads) {
    float sum = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) sum += room.warp_sums[w * chunk_rows * columns + i];
    const int number = first_row * columns + i, rank = number / share;
    of_rank(room.inbox, rank)[at.rank * share + number - rank * share] = sum;
  }
}

// The sum over 16 neighbouring lanes; all of them get it, to the bit.
__device__ inline float add_lanes(float value) {
  for (int step = 8; step > 0; step /= 2) value += __shfl_xor_sync(whole_warp, value, step);
  return value;
}

// Sums over all blocks of the group, in an order that is fixed. Each block of a cluster adds a share of them: 16 lanes a
// sum, a lane for each block that had a part of it, and then for each that is to have the whole.
__device__ inline void exchange(const Room& room, const Place& at, int count, unsigned long long* slots, unsigned tag) {
  cluster_barrier();
  const int share = share_of(count, at.cluster), first = at.rank * share, last = min(count, first + share);
  if (at.cluster * at.members == 1) {
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < count; i += threads) room.totals[i] = room.inbox[i];
    __syncthreads();
    return;
  }
  const int lane = static_cast<int>(threadIdx.x) % 16;
  float* whole = of_rank(room.totals, min(lane, at.cluster - 1));
  // two sets of slots in turns: whoever writes the next but one has read this one
  unsigned long long* set = slots + static_cast<std::size_t>(tag & 1) * at.members * count;
#pragma unroll 1
  for (int begin = first; begin < last; begin += threads / 16) {
    const int i = begin + static_cast<int>(threadIdx.x) / 16;
    const bool used = i < last;
    float sum = add_lanes(used && lane < at.cluster ? room.inbox[lane * share + i - first] : 0);
    if (at.members > 1) {
      if (used && lane == 0) send(set + at.member * count + i, sum, tag);
      sum = 0;
#pragma unroll 1
      for (int member = lane; member < at.members; member += 16)
        if (used) sum += receive(set + member * count + i, tag);
      sum = add_lanes(sum);
    }
    if (used && lane < at.cluster) whole[i] = sum;
  }
  cluster_barrier();
}

}  // namespace kinema::face::combined
