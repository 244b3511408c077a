// The paper's kernels GPU 1 to GPU 8 (IV.A), step by step, as printed: atomic sums of floats, which lose hundredths of a pixel
// over a large frame and differ by another hundredth in every run. Not kept are the errors of the listings: a barrier inside a
// branch, shared sums initialised by every thread, an index past the end of the frame.
#pragma once

#include <cstdint>

namespace kinema::head::ladder {

inline constexpr int threads_per_block = 256;

/// eq. 2
struct PlaneWeight {
  float f[4];
  __device__ float operator()(uchar4 p) const {
    float weight =
        f[0] * static_cast<float>(p.x) + f[1] * static_cast<float>(p.y) + f[2] * static_cast<float>(p.z) + f[3];
    if (weight > 0.0f) {
      if (weight > 1.0f) weight = 1.0f;
    } else {
      weight = 0.0f;
    }
    return weight;
  }
};

/// The same for planes too steep for float.
struct SteepPlaneWeight {
  double f[4];
  __device__ float operator()(uchar4 p) const {
    return __saturatef(static_cast<float>(f[0] * p.x + f[1] * p.y + f[2] * p.z + f[3]));
  }
};

/// eq. 7
struct TableWeight {
  const std::uint8_t* degrees;
  __device__ float operator()(uchar4 p) const {
    return static_cast<float>(degrees[(p.x * 256u + p.y) * 256u + p.z]) / 255.0f;
  }
};

struct FrameSums {
  float x, y, w;
};

template <class Weight>
struct Frame {
  const uchar4* pixels;
  std::uint32_t width, N;
  Weight weight;
  FrameSums* out;
};

__device__ inline void add(FrameSums* to, float x, float y, float w) {
  atomicAdd(&to->x, x);
  atomicAdd(&to->y, y);
  atomicAdd(&to->w, w);
}

__device__ inline float column(std::uint32_t index, std::uint32_t width) { return static_cast<float>(index % width); }
__device__ inline float row(std::uint32_t index, std::uint32_t width) { return static_cast<float>(index / width); }

/// GPU 1: atomic addition to one global value.
template <class Weight>
__global__ void gpu1(Frame<Weight> frame) {
  const std::uint32_t index = threadIdx.x + blockIdx.x * blockDim.x;
  if (index >= frame.N) return;
  const float weight = frame.weight(frame.pixels[index]);
  add(frame.out, weight * column(index, frame.width), weight * row(index, frame.width), weight);
}

/// GPU 2: atomic addition to shared memory.
template <class Weight>
__global__ void gpu2(Frame<Weight> frame) {
  __shared__ FrameSums block;
  if (threadIdx.x == 0) block = {0, 0, 0};
  __syncthreads();
  const std::uint32_t index = threadIdx.x + blockIdx.x * blockDim.x;
  if (index < frame.N) {
    const float weight = frame.weight(frame.pixels[index]);
    add(&block, weight * column(index, frame.width), weight * row(index, frame.width), weight);
  }
  __syncthreads();
  if (threadIdx.x == 0) add(frame.out, block.x, block.y, block.w);
}

/// The values of the threads of a block, for the steps that add them by halves.
struct BlockValues {
  float x[threads_per_block], y[threads_per_block], w[threads_per_block];

  __device__ void add(std::uint32_t to, std::uint32_t from) {
    x[to] += x[from];
    y[to] += y[from];
    w[to] += w[from];
  }

  /// Fig. 3: the lower half of the threads adds the upper half, so that warps are active as a whole or not at all.
  __device__ void add_halves() {
    for (std::uint32_t s = threads_per_block >> 1; s > 0; s >>= 1) {
      __syncthreads();
      if (threadIdx.x < s) add(threadIdx.x, threadIdx.x + s);
    }
  }
};

template <class Weight>
__device__ void hold_one_pixel(BlockValues& values, const Frame<Weight>& frame) {
  const std::uint32_t index = threadIdx.x + blockIdx.x * blockDim.x;
  const float weight = index < frame.N ? frame.weight(frame.pixels[index]) : 0.0f;
  values.x[threadIdx.x] = weight * column(index, frame.width);
  values.y[threadIdx.x] = weight * row(index, frame.width);
  values.w[threadIdx.x] = weight;
}

/// GPU 3: parallel aggregation by divide and conquer, with divergent threads (fig. 2).
template <class Weight>
__global__ void gpu3(Frame<Weight> frame) {
  __shared__ BlockValues values;
  hold_one_pixel(values, frame);
  for (std::uint32_t s = 1; s < threads_per_block; s <<= 1) {
    __syncthreads();
    if (threadIdx.x % (s << 1) == 0) values.add(threadIdx.x, threadIdx.x + s);
  }
  if (threadIdx.x == 0) add(frame.out, values.x[0], values.y[0], values.w[0]);
}

/// GPU 4: without divergent branching.
template <class Weight>
__global__ void gpu4(Frame<Weight> frame) {
  __shared__ BlockValues values;
  hold_one_pixel(values, frame);
  values.add_halves();
  if (threadIdx.x == 0) add(frame.out, values.x[0], values.y[0], values.w[0]);
}

/// GPU 5: multiple aggregation per thread.
template <class Weight>
__global__ void gpu5(Frame<Weight> frame) {
  __shared__ BlockValues values;
  const std::uint32_t ti = threadIdx.x, grid_size = threads_per_block * gridDim.x;
  values.x[ti] = values.y[ti] = values.w[ti] = 0;
  for (std::uint32_t index = ti + blockIdx.x * threads_per_block; index < frame.N; index += grid_size) {
    const float weight = frame.weight(frame.pixels[index]);
    values.x[ti] += weight * column(index, frame.width);
    values.y[ti] += weight * row(index, frame.width);
    values.w[ti] += weight;
  }
  values.add_halves();
  if (ti == 0) add(frame.out, values.x[0], values.y[0], values.w[0]);
}

/// Calls work(index, weight, index2, weight2) for the pixels of a thread, two per iteration.
template <class Weight, class Work>
__device__ void for_pairs(const Frame<Weight>& frame, Work&& work) {
  const std::uint32_t grid_size = threads_per_block * 2 * gridDim.x;
  for (std::uint32_t index = threadIdx.x + blockIdx.x * threads_per_block * 2; index < frame.N; index += grid_size) {
    const std::uint32_t index2 = index + threads_per_block;
    const bool both = index2 < frame.N;
    const uchar4 p = frame.pixels[index], p2 = both ? frame.pixels[index2] : uchar4{};
    work(index, frame.weight(p), index2, both ? frame.weight(p2) : 0.0f);
  }
}

/// GPU 6: double memory access.
template <class Weight>
__global__ void gpu6(Frame<Weight> frame) {
  __shared__ BlockValues values;
  const std::uint32_t ti = threadIdx.x, width = frame.width;
  values.x[ti] = values.y[ti] = values.w[ti] = 0;
  for_pairs(frame, [&](std::uint32_t index, float weight, std::uint32_t index2, float weight2) {
    values.x[ti] += weight * column(index, width) + weight2 * column(index2, width);
    values.y[ti] += weight * row(index, width) + weight2 * row(index2, width);
    values.w[ti] += weight + weight2;
  });
  values.add_halves();
  if (ti == 0) add(frame.out, values.x[0], values.y[0], values.w[0]);
}

struct ThreadSums {
  float x = 0, y = 0, w = 0;
};

template <class Weight>
__device__ ThreadSums sum_pairs(const Frame<Weight>& frame) {
  ThreadSums sums;
  const std::uint32_t width = frame.width;
  for_pairs(frame, [&](std::uint32_t index, float weight, std::uint32_t index2, float weight2) {
    sums.x += weight * column(index, width) + weight2 * column(index2, width);
    sums.y += weight * row(index, width) + weight2 * row(index2, width);
    sums.w += weight + weight2;
  });
  return sums;
}

/// GPU 7: aggregation in local memory.
template <class Weight>
__global__ void gpu7(Frame<Weight> frame) {
  __shared__ BlockValues values;
  const ThreadSums sums = sum_pairs(frame);
  values.x[threadIdx.x] = sums.x;
  values.y[threadIdx.x] = sums.y;
  values.w[threadIdx.x] = sums.w;
  values.add_halves();
  if (threadIdx.x == 0) add(frame.out, values.x[0], values.y[0], values.w[0]);
}

/// GPU 8: multiple pixels per thread with atomic addition to shared memory.
template <class Weight>
__global__ void gpu8(Frame<Weight> frame) {
  __shared__ FrameSums block;
  if (threadIdx.x == 0) block = {0, 0, 0};
  const ThreadSums sums = sum_pairs(frame);
  __syncthreads();
  add(&block, sums.x, sums.y, sums.w);
  __syncthreads();
  if (threadIdx.x == 0) add(frame.out, block.x, block.y, block.w);
}

}  // namespace kinema::head::ladder
