// Operations of all threads of a block, in a fixed order: sums, extremes, prefix sums, and the elimination of a
// symmetric positive matrix. Every thread of the block must call them.
#pragma once

#include "body/skeleton/skeleton_cuda.cuh"

namespace kinema::body::block {

inline constexpr int most_warps = 32;

/// Combines one value per thread; all get the result. `room`: most_warps values in shared memory.
template <class T, class Combine>
__device__ T reduce(T value, Combine&& combine, T* room) {
  for (int step = warp_size / 2; step > 0; step /= 2) {
    value = combine(value, __shfl_xor_sync(whole_warp, value, step));
  }
  const int lane = static_cast<int>(threadIdx.x) % warp_size, warp = static_cast<int>(threadIdx.x) / warp_size;
  __syncthreads();  // the room may still be read
  if (lane == 0) room[warp] = value;
  __syncthreads();
  T total = room[0];
  for (int w = 1; w < static_cast<int>(blockDim.x) / warp_size; ++w) total = combine(total, room[w]);
  return total;
}

template <class T>
__device__ T sum(T value, T* room) {
  return reduce(
      value, [](T a, T b) { return a + b; }, room);
}

/// out[i] = value(0) + ... + value(i) for i < count; returns the total. `room`: most_warps values.
template <class Value>
__device__ double running_sum(int count, Value&& value, double* out, double* room) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size, warp = static_cast<int>(threadIdx.x) / warp_size;
  double before = 0;
  for (int first = 0; first < count; first += static_cast<int>(blockDim.x)) {
    const int i = first + static_cast<int>(threadIdx.x);
    double own = i < count ? value(i) : 0;
    for (int step = 1; step < warp_size; step *= 2) {
      const double other = __shfl_up_sync(whole_warp, own, step);
      if (lane >= step) own += other;
    }
    __syncthreads();
    if (lane == warp_size - 1) room[warp] = own;
    __syncthreads();
    double lower = before;
    for (int w = 0; w < static_cast<int>(blockDim.x) / warp_size; ++w) {
      if (w == warp) lower = before;
      before += room[w];
    }
    if (i < count) out[i] = lower + own;
  }
  __syncthreads();
  return before;
}

/// Row length of a matrix of n columns: odd, so that the elements of a column lie in different banks.
__host__ __device__ inline int matrix_stride(int n) { return n | 1; }

/// eliminate() for matrices of up to 16 Columns columns and 16 Rows rows, extra ones included, by 256 threads: each
/// keeps its elements in registers, and a finished column is written to memory for all to read.
template <int Rows, int Columns, class T>
__device__ void eliminate_tiles(T* a, int n, int rows) {
  const int stride = matrix_stride(n);
  const int across = static_cast<int>(threadIdx.x) % 16, down = static_cast<int>(threadIdx.x) / 16;
  T own[Rows][Columns];
  __syncthreads();
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
#pragma unroll
    for (int c = 0; c < Columns; ++c) {
      const int i = 16 * r + down, j = 16 * c + across;
      own[r][c] = i < rows && j < n && j <= i ? a[i * stride + j] : 0;
    }
  }
#pragma unroll
  for (int tile = 0; tile < Columns; ++tile) {
    for (int k = 16 * tile; k < min(n, 16 * tile + 16); ++k) {
      if (across == k % 16) {
#pragma unroll
        for (int r = tile; r < Rows; ++r) {
          const int i = 16 * r + down;
          if (i >= k && i < rows) a[i * stride + k] = own[r][tile];
        }
      }
      __syncthreads();
      const T inverse = 1 / a[k * stride + k];
      T column[Columns];
#pragma unroll
      for (int c = tile; c < Columns; ++c) {
        const int j = 16 * c + across;
        column[c] = j > k && j < n ? a[j * stride + k] : 0;
      }
#pragma unroll
      for (int r = tile; r < Rows; ++r) {
        const int i = 16 * r + down;
        const T share = i > k && i < rows ? a[i * stride + k] * inverse : 0;
#pragma unroll
        for (int c = tile; c < Columns; ++c) {
          if (c <= r) own[r][c] -= share * column[c];
        }
      }
    }
  }
  __syncthreads();
}

/// Replaces the lower half of a symmetric positive matrix A (n, n) by its elimination: d on the diagonal and
/// L = a[i][k] / d[k] below, A = L D L^T. Each of `extra` rows b below it becomes b L^-T.
template <class T>
__device__ void eliminate(T* a, int n, int extra) {
  if (blockDim.x == 256 && n <= 64) {
    if (n + extra <= 64) return eliminate_tiles<4, 4>(a, n, n + extra);
    if (n + extra <= 128) return eliminate_tiles<8, 4>(a, n, n + extra);
  }
  const int stride = matrix_stride(n);
  const int across = static_cast<int>(threadIdx.x) % 16, down = static_cast<int>(threadIdx.x) / 16;
  const int rows_at_once = static_cast<int>(blockDim.x) / 16;
  for (int k = 0; k < n; ++k) {
    __syncthreads();
    const T inverse = 1 / a[k * stride + k];
    for (int i = k + 1 + down; i < n + extra; i += rows_at_once) {
      const T share = a[i * stride + k] * inverse;
      const int last = i < n ? i : n - 1;
      for (int j = k + 1 + across; j <= last; j += 16) a[i * stride + j] -= share * a[j * stride + k];
    }
  }
  __syncthreads();
}

/// After eliminate() with the right side as the row below: x with A x = right side. Computed by the first warp.
template <class T>
__device__ void substitute(const T* a, int n, T* x) {
  constexpr int slots = (most_tangent + warp_size - 1) / warp_size;
  const int lane = static_cast<int>(threadIdx.x), stride = matrix_stride(n);
  if (lane < warp_size) {
    T rest[slots], inverse[slots];
#pragma unroll
    for (int s = 0; s < slots; ++s) {
      const int i = lane + s * warp_size;
      rest[s] = i < n ? a[n * stride + i] : 0;
      inverse[s] = i < n ? 1 / a[i * stride + i] : 0;
    }
#pragma unroll
    for (int slot = slots - 1; slot >= 0; --slot) {
      for (int k = min(n, (slot + 1) * warp_size) - 1; k >= slot * warp_size; --k) {
        const T found = __shfl_sync(whole_warp, rest[slot] * inverse[slot], k % warp_size);
        if (lane == k % warp_size) x[k] = found;
#pragma unroll
        for (int s = 0; s <= slot; ++s) {
          const int i = lane + s * warp_size;
          if (i < k) rest[s] -= a[k * stride + i] * found;
        }
      }
    }
  }
  __syncthreads();
}

/// True in all threads of the last of `blocks` blocks to arrive; it sees what the others wrote before. The count is
/// then 0 again.
__device__ inline bool last_to_arrive(unsigned* arrived, unsigned blocks) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(arrived, 1u) == blocks - 1;
    if (last) *arrived = 0;
  }
  __syncthreads();
  if (last) __threadfence();
  return last;
}

}  // namespace kinema::body::block
