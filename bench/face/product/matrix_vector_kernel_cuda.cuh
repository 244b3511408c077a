// The kernels of matrix_vector.h. A warp or a block takes some rows together, so that what it reads of the vector serves all
// of them, and each thread keeps eight or more loads of the matrix in flight: that is what the bandwidth of L2 and of memory
// needs.
#pragma once

#include "bench/face/product/matrix_vector_layout.h"

#include <cooperative_groups.h>

#include <cstddef>

namespace kinema::cuda::matrix_vector {

using Owner = MatrixVectorLayout::Owner;
using Join = MatrixVectorLayout::Join;

struct Task {
  const float *matrix, *vector;
  float* result;
  const int* chosen;
  float* partial;
  unsigned* arrived;
  int rows, columns, parts;
};

inline constexpr int most_warps = 32, most_at_once = 8;

// Loads of several values at once. The matrix is read once and would only displace the vector from L1.
template <int Width>
struct Load;

template <>
struct Load<1> {
  using Values = float;
  static __device__ float matrix(const float* from) {
    float v;
    asm("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(from));
    return v;
  }
  static __device__ float vector(const float* from) { return __ldg(from); }
  static __device__ float add(float sum, float a, float b) { return fmaf(a, b, sum); }
};

template <>
struct Load<4> {
  using Values = float4;
  static __device__ float4 matrix(const float* from) {
    float4 v;
    asm("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
        : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
        : "l"(from));
    return v;
  }
  static __device__ float4 vector(const float* from) { return __ldg(reinterpret_cast<const float4*>(from)); }
  static __device__ float add(float sum, float4 a, float4 b) {
    return fmaf(a.w, b.w, fmaf(a.z, b.z, fmaf(a.y, b.y, fmaf(a.x, b.x, sum))));
  }
};

// A thread's part of the products of `Rows` rows from `row` on; rows past the last repeat it.
template <int Rows, int Width>
__device__ void add_products(const Task& task, int row, int begin, int end, int thread, int threads,
                             float (&sums)[Rows]) {
  using Loads = Load<Width>;
  constexpr int turns = Width == 4 ? (Rows >= 8 ? 1 : Rows == 4 ? 2 : 4) : (Rows >= 8 ? 2 : Rows == 4 ? 4 : 8);
  const float* __restrict__ vector =
      task.vector + (task.chosen != nullptr ? static_cast<std::ptrdiff_t>(*task.chosen) * task.columns : 0);
  const float* rows[Rows];
#pragma unroll
  for (int r = 0; r < Rows; ++r)
    rows[r] =
        task.matrix + static_cast<std::size_t>(min(row + r, task.rows - 1)) * static_cast<std::size_t>(task.columns);
  int at = begin + thread * Width;
  const int step = threads * Width;
  typename Loads::Values a[turns][Rows], x[turns];
  const auto add = [&] {
#pragma unroll
    for (int t = 0; t < turns; ++t)
#pragma unroll
      for (int r = 0; r < Rows; ++r) sums[r] = Loads::add(sums[r], a[t][r], x[t]);
  };
#pragma unroll 1
  for (; at + (turns - 1) * step < end; at += turns * step) {
#pragma unroll
    for (int t = 0; t < turns; ++t) {
#pragma unroll
      for (int r = 0; r < Rows; ++r) a[t][r] = Loads::matrix(rows[r] + at + t * step);
      x[t] = Loads::vector(vector + at + t * step);
    }
    add();
  }
  // the rest, all of its loads in flight too: of a small matrix it is the whole
  if constexpr (turns > 1) {
    if (at >= end) return;
#pragma unroll
    for (int t = 0; t < turns; ++t) {
      const bool inside = at + t * step < end;
#pragma unroll
      for (int r = 0; r < Rows; ++r)
        a[t][r] = inside ? Loads::matrix(rows[r] + at + t * step) : typename Loads::Values{};
      x[t] = inside ? Loads::vector(vector + at + t * step) : typename Loads::Values{};
    }
    add();
  }
}

__device__ inline float warp_sum(float v) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(~0u, v, step);
  return v;
}

// The sums of a block's rows, in `totals`, for all of its threads.
template <int Rows, Owner owner>
__device__ void add_up(float (&sums)[Rows], float* totals) {
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
#pragma unroll
  for (int r = 0; r < Rows; ++r) sums[r] = warp_sum(sums[r]);
  if constexpr (owner == Owner::warp) {
#pragma unroll
    for (int r = 0; r < Rows; ++r)
      if (lane == r) totals[warp * Rows + r] = sums[r];
  } else {
    __shared__ float of_warps[Rows][most_warps];
#pragma unroll
    for (int r = 0; r < Rows; ++r)
      if (lane == r) of_warps[r][warp] = sums[r];
    __syncthreads();
    const int warps = static_cast<int>(blockDim.x / 32);
    for (int r = warp; r < Rows; r += warps) {
      const float v = warp_sum(lane < warps ? of_warps[r][lane] : 0.0f);
      if (lane == 0) totals[r] = v;
    }
  }
  __syncthreads();
}

// The last block of a group to arrive adds the parts, in their order.
__device__ inline void join_last(const Task& task, const float* totals, int group, int part, int count) {
  const int first = group * count, own = min(count, task.rows - first), threads = static_cast<int>(blockDim.x);
  const auto parts = static_cast<std::size_t>(task.parts);
  for (int i = static_cast<int>(threadIdx.x); i < own; i += threads)
    task.partial[static_cast<std::size_t>(first + i) * parts + static_cast<std::size_t>(part)] = totals[i];
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(task.arrived + group, 1u) + 1 == static_cast<unsigned>(task.parts);
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  const int lane = static_cast<int>(threadIdx.x % 32), warps = threads / 32;
  for (int i = static_cast<int>(threadIdx.x / 32); i < own; i += warps) {
    const float* from = task.partial + static_cast<std::size_t>(first + i) * parts;
    float v = 0;
    for (int p = lane; p < task.parts; p += 32) v += __ldcg(from + p);
    v = warp_sum(v);
    if (lane == 0) task.result[first + i] = v;
  }
  if (threadIdx.x == 0) task.arrived[group] = 0;
}

// The blocks of a cluster write their sums to the shared memory of the first, which adds them.
__device__ inline void join_cluster(const Task& task, const float* totals, int group, int part, int count) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ float of_parts[];  // parts x count
  namespace cg = cooperative_groups;
  const cg::cluster_group cluster = cg::this_cluster();
  const int threads = static_cast<int>(blockDim.x);
  float* to = cluster.map_shared_rank(of_parts, 0) + part * count;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += threads) to[i] = totals[i];
  cluster.sync();
  if (part != 0) return;
  const int own = min(count, task.rows - group * count);
  for (int i = static_cast<int>(threadIdx.x); i < own; i += threads) {
    float v = 0;
    for (int p = 0; p < task.parts; ++p) v += of_parts[p * count + i];
    task.result[group * count + i] = v;
  }
#endif
}

template <int Rows, int Width, Owner owner, Join join>
__global__ void __launch_bounds__(1024, 1) multiply(const __grid_constant__ Task task) {
  __shared__ float totals[owner == Owner::warp ? most_warps * Rows : Rows];
#if __CUDA_ARCH__ >= 900
  // every block of a cluster must have started before its memory is written; the wait costs nothing after the products
  if constexpr (join == Join::cluster) cooperative_groups::this_cluster().barrier_arrive();
#endif
  const int parts = join == Join::none ? 1 : task.parts;
  const int part = static_cast<int>(blockIdx.x) % parts, group = static_cast<int>(blockIdx.x) / parts;
  const int warps = static_cast<int>(blockDim.x / 32), count = owner == Owner::warp ? warps * Rows : Rows;
  constexpr int line = 32;  // values that lie in one line of the cache: parts begin there
  const int columns = (task.columns + parts - 1) / parts, span = (columns + line - 1) / line * line;
  const int begin = static_cast<int>(min(static_cast<long long>(part) * span, static_cast<long long>(task.columns)));
  const int end = min(begin + span, task.columns);
  float sums[Rows] = {};
  if constexpr (owner == Owner::warp) {
    const int row = group * count + static_cast<int>(threadIdx.x / 32) * Rows;
    if (row < task.rows) add_products<Rows, Width>(task, row, begin, end, static_cast<int>(threadIdx.x % 32), 32, sums);
  } else {
    add_products<Rows, Width>(task, group * count, begin, end, static_cast<int>(threadIdx.x),
                              static_cast<int>(blockDim.x), sums);
  }
  add_up<Rows, owner>(sums, totals);
  if constexpr (join == Join::none) {
    const int own = min(count, task.rows - group * count);
    for (int i = static_cast<int>(threadIdx.x); i < own; i += static_cast<int>(blockDim.x))
      task.result[group * count + i] = totals[i];
  } else if constexpr (join == Join::last) {
    join_last(task, totals, group, part, count);
  } else {
#if __CUDA_ARCH__ >= 900
    cooperative_groups::this_cluster().barrier_wait();
#endif
    join_cluster(task, totals, group, part, count);
  }
}

}  // namespace kinema::cuda::matrix_vector
