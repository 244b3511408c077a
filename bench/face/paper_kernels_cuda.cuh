// Nine of the ten kernels of section 4 of the paper: eight on four blocks of 1024 threads, each thread one pixel of every 4096,
// algorithm 3 on one block; sums by threads, blocks and atomics. The tenth, R r, is the product of bench/face/product/matrix_vector_cuda.h.
// With the same corrections as the reference. Algorithm 1 is a sequence of them that is the same for every frame, so that
// the host need not wait for E: the trials of an iteration end on the device with the first factor that lowers it.
#pragma once

#include "core/cuda/buffer.h"

#include <cmath>
#include <cstddef>

namespace kinema::face::paper {

inline constexpr int blocks = 4, block_threads = 1024, all_threads = blocks * block_threads;
inline constexpr int block_warps = block_threads / 32;

struct Model {
  int modes, landmarks, pixels;
  const float *Qs, *Qg, *R;  // one mode per row, R one parameter per row
  const float *s0, *g0, *most;
  const ushort3* corners;  // of each pixel
  const float3* weights;
};

struct Frame {
  const unsigned char* data;
  int width, height, stride;
  float4 pose;
  bool kept;  // the shape of the frame before, else the mean one
};

// What a kernel says of the trial after it: see conditional_launch_cuda.cuh.
struct NextTrial {
  cudaGraphConditionalHandle handle;
  bool exists;
};

// State passed from a kernel to the following ones.
struct State {
  Frame frame;
  float sums[4];  // of g, of its squares, with g0, and of squares of r
  float E;
  int best;      // of the two p and r
  int accepted;  // a factor of this iteration
  int iterations, converged, trials;
  unsigned ready;  // blocks whose part of E has been added
};

// All on the device. p: c, then a, b, tx, ty of the pose.
struct Memory {
  State* state;
  float *p, *Rr, *r;  // p and r twice, one after the other; Rr: their product, minus Delta p
  float *g, *gm;
  float2* S;
};

__device__ inline int thread_of_grid() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }
__device__ inline bool unwanted(const State* state) { return state->accepted != 0 || state->converged != 0; }
__device__ inline float* trial_parameters(const Model& model, const Memory& at) {
  return at.p + (1 - at.state->best) * (model.modes + 4);
}

// The frame, and the shape from which its parameters are estimated. `frame` and `shape` may lie on the host. One block.
__global__ void begin_frame(Model model, Memory at, const Frame* frame, const float2* shape) {
  const int i = static_cast<int>(threadIdx.x);
  for (int j = i; j < model.modes + 4; j += static_cast<int>(blockDim.x)) at.Rr[j] = 0;
  if (frame->kept && i < model.landmarks) at.S[i] = shape[i];
  if (i != 0) return;
  *at.state = {*frame, {0, 0, 0, 0}, INFINITY, 0, 0, 0, 0, 0, 0};
  // the kernels of algorithms 4 and 5 have nothing to do where there is no shape yet
  at.state->accepted = frame->kept ? 0 : 1;
}

// Algorithm 3, and line 8 of algorithm 1: one thread per vertex. `first`: of the factors of an iteration.
__global__ void make_shape(Model model, Memory at, float k, bool first) {
  extern __shared__ float c[];
  if (first ? at.state->converged != 0 : unwanted(at.state)) return;
  const int m = model.modes, i = static_cast<int>(threadIdx.x);
  const float* p = at.p + at.state->best * (m + 4);
  float* next = trial_parameters(model, at);
  const auto dp = [&](int j) { return -at.Rr[j]; };
  for (int j = i; j < m; j += static_cast<int>(blockDim.x)) {
    const float most = __ldg(model.most + j);
    c[j] = fminf(fmaxf(p[j] + k * dp(j), -most), most);
    next[j] = c[j];
  }
  const float* t = p + m;
  const float a = 1 + k * dp(m), b = k * dp(m + 1), x = k * dp(m + 2), y = k * dp(m + 3);
  const float4 pose{t[0] * a - t[1] * b, t[0] * b + t[1] * a, t[0] * x - t[1] * y + t[2], t[1] * x + t[0] * y + t[3]};
  __syncthreads();
  if (i == 0) {
    next[m] = pose.x, next[m + 1] = pose.y, next[m + 2] = pose.z, next[m + 3] = pose.w;
    for (float& sum : at.state->sums) sum = 0;
    at.state->accepted = 0;
  }
  if (i >= model.landmarks) return;
  float2 s = __ldg(reinterpret_cast<const float2*>(model.s0) + i);
  const float2* Qs = reinterpret_cast<const float2*>(model.Qs) + i;
#pragma unroll 10
  for (int j = 0; j < m; ++j) {
    const float2 q = __ldg(Qs + j * model.landmarks);
    s.x += c[j] * q.x, s.y += c[j] * q.y;
  }
  at.S[i] = {pose.x * s.x - pose.y * s.y + pose.z, pose.y * s.x + pose.x * s.y + pose.w};
}

// Algorithm 4.
__global__ void sample_texture(Model model, Memory at) {
  if (unwanted(at.state)) return;
  const Frame image = at.state->frame;
  const float2* __restrict__ S = at.S;
  float* __restrict__ g = at.g;
  const float right = static_cast<float>(image.width - 1), bottom = static_cast<float>(image.height - 1);
#pragma unroll 2
  for (int i = thread_of_grid(); i < model.pixels; i += all_threads) {
    const ushort3 v = model.corners[i];
    const float3 w = model.weights[i];
    const float2 a = S[v.x], b = S[v.y], c = S[v.z];
    float x = w.x * a.x + w.y * b.x + w.z * c.x, y = w.x * a.y + w.y * b.y + w.z * c.y;
    x = fminf(fmaxf(x, 0.0f), right);
    y = fminf(fmaxf(y, 0.0f), bottom);
    const int u = static_cast<int>(x), r = static_cast<int>(y);
    const int u1 = min(u + 1, image.width - 1), r1 = min(r + 1, image.height - 1);
    const float fx = x - static_cast<float>(u), fy = y - static_cast<float>(r);
    const auto pixel = [&](int column, int row) {
      return static_cast<float>(__ldg(image.data + static_cast<std::ptrdiff_t>(row) * image.stride + column));
    };
    g[i] =
        (1 - fy) * ((1 - fx) * pixel(u, r) + fx * pixel(u1, r)) + fy * ((1 - fx) * pixel(u, r1) + fx * pixel(u1, r1));
  }
}

__device__ inline float add_warp(float v) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(~0u, v, step);
  return v;
}

// The sum over all threads of the grid: shared memory in a block, then an atomic addition by its first thread.
__device__ inline void add_up(float v, float* sum) {
  __shared__ float SMData[block_warps];
  v = add_warp(v);
  if (threadIdx.x % 32 == 0) SMData[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  v = add_warp(SMData[threadIdx.x]);
  if (threadIdx.x == 0) atomicAdd(sum, v);
}

template <class Term>
__device__ void add_pixels(int pixels, float* sum, Term term) {
  float v = 0;
#pragma unroll 4
  for (int i = thread_of_grid(); i < pixels; i += all_threads) v += term(i);
  add_up(v, sum);
}

// Algorithm 5, its four parts.
__global__ void sum_texture(Model model, Memory at) {
  if (unwanted(at.state)) return;
  const float* __restrict__ g = at.g;
  add_pixels(model.pixels, at.state->sums, [=](int i) { return g[i]; });
}
__global__ void subtract_mean(Model model, Memory at) {
  if (unwanted(at.state)) return;
  const float mean = at.state->sums[0] / static_cast<float>(model.pixels);
  float* __restrict__ g = at.g;
  add_pixels(model.pixels, at.state->sums + 1, [=](int i) {
    const float v = g[i] - mean;
    g[i] = v;
    return v * v;
  });
}
__global__ void divide_by_norm(Model model, Memory at) {
  if (unwanted(at.state)) return;
  const float norm = sqrtf(at.state->sums[1]);
  float* __restrict__ g = at.g;
  add_pixels(model.pixels, at.state->sums + 2, [=](int i) {
    const float v = norm > 0 ? g[i] / norm : 0;
    g[i] = v;
    return v * __ldg(model.g0 + i);
  });
}
__global__ void divide_by_alpha(Model model, Memory at) {
  if (unwanted(at.state)) return;
  const auto n = static_cast<float>(model.pixels);
  // g0 has a variance of 1, not a length of 1
  const float alpha = fmaxf(at.state->sums[2] / n, 0.1f / sqrtf(n));
#pragma unroll 4
  for (int i = thread_of_grid(); i < model.pixels; i += all_threads) at.g[i] /= alpha;
}

// Algorithm 6.
__global__ void make_model_texture(Model model, Memory at) {
  extern __shared__ float c[];
  if (unwanted(at.state)) return;
  const float* p = trial_parameters(model, at);
  for (int k = static_cast<int>(threadIdx.x); k < model.modes; k += block_threads) c[k] = p[k];
  __syncthreads();
  for (int i = thread_of_grid(); i < model.pixels; i += all_threads) {
    float v = __ldg(model.g0 + i);
    const float* Qg = model.Qg + i;
#pragma unroll 10
    for (int k = 0; k < model.modes; ++k) v += c[k] * __ldg(Qg + static_cast<std::size_t>(k) * model.pixels);
    at.gm[i] = v;
  }
}

// Line 3 of algorithm 1, after the texture at the shape of the frame before is known: c of that shape, whose part is given, and
// of the texture; 0 without one. A block for each mode, and one for the pose.
__global__ void estimate_parameters(Model model, Memory at, const float* shape_part) {
  const int k = static_cast<int>(blockIdx.x), i = static_cast<int>(threadIdx.x);
  State* state = at.state;
  if (k == model.modes) {
    float* t = at.p + k;
    const float4 pose = state->frame.pose;
    if (i == 0) t[0] = pose.x, t[1] = pose.y, t[2] = pose.z, t[3] = pose.w;
    return;
  }
  __shared__ float SMData[block_warps];
  float v = 0;
  if (state->frame.kept) {
    const float* Qg = model.Qg + static_cast<std::size_t>(k) * model.pixels;
    for (int n = i; n < model.pixels; n += block_threads) v += __ldg(Qg + n) * (at.g[n] - __ldg(model.g0 + n));
  }
  v = add_warp(v);
  if (i % 32 == 0) SMData[i / 32] = v;
  __syncthreads();
  if (i >= 32) return;
  v = add_warp(SMData[i]);
  if (i != 0) return;
  const float most = __ldg(model.most + k);
  at.p[k] = state->frame.kept ? fminf(fmaxf(shape_part[k] + v, -most), most) : 0;
}

// Lines 7 and 8 of algorithm 2; the last block to finish then has E, and does lines 10 to 19 of algorithm 1. `which`:
// index of the factor; below 0: at the start.
__global__ void find_error(Model model, Memory at, int which, int factors, float threshold, NextTrial next) {
  State* state = at.state;
  if (unwanted(state)) return;
  const float* __restrict__ g = at.g, * __restrict__ gm = at.gm;
  float* __restrict__ r = at.r + static_cast<std::ptrdiff_t>(1 - state->best) * model.pixels;
  add_pixels(model.pixels, state->sums + 3, [=](int i) {
    const float v = g[i] - gm[i];
    r[i] = v;
    return v * v;
  });
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(&state->ready, 1u) != blocks - 1) return;
  state->ready = 0;
  const float E = atomicAdd(state->sums + 3, 0.0f), before = state->E;
  const bool start = which < 0, better = start || E < before;
  ++state->trials;
  if (better) state->E = E, state->best = 1 - state->best;
  if (start) return;
  if (!better && which < factors - 1) {
    if (next.exists) cudaGraphSetConditional(next.handle, 1);
    return;
  }
  state->accepted = 1;  // or none is left
  ++state->iterations;
  state->converged = threshold >= 0 && (!better || before - E < threshold * before) ? 1 : 0;
}

}  // namespace kinema::face::paper
