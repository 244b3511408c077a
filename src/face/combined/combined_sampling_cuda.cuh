// The kernel of algorithm 1: samples of a tile of values at every shape.
#pragma once

#include "face/combined/combined_shared_cuda.cuh"

#include <type_traits>

namespace kinema::face::combined {

template <CombinedSource kind>
using Texel = std::conditional_t<kind == CombinedSource::bytes, unsigned char,
                                 std::conditional_t<kind == CombinedSource::floats, float, float2>>;
template <CombinedSource kind>
inline constexpr int channels_of = kind == CombinedSource::pairs ? 2 : 1;

__device__ inline float blend(float a, float b, float by) { return fmaf(by, b - a, a); }

// A number of the source. In this form the compiler issues all loads together, before the first use: their latency
// dominates.
__device__ inline unsigned char fetch(const unsigned char* from) {
  unsigned value;
  asm volatile("ld.global.nc.u8 %0, [%1];" : "=r"(value) : "l"(from));
  return static_cast<unsigned char>(value);
}
__device__ inline float fetch(const float* from) {
  float value;
  asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(value) : "l"(from));
  return value;
}
__device__ inline float2 fetch(const float2* from) {
  float2 value;
  asm volatile("ld.global.nc.v2.f32 {%0, %1}, [%2];" : "=f"(value.x), "=f"(value.y) : "l"(from));
  return value;
}

// The four numbers around a position, and its fractions between them. Coordinates are clamped at the border.
template <class T>
struct Corners {
  T a, b, c, d;
  float fx, fy;

  __device__ Corners(const CombinedTask& task, float2 at) {
    // a NaN coordinate goes to the corner
    const float x = fmaxf(fminf(at.x, task.right), task.left), y = fmaxf(fminf(at.y, task.bottom), task.top);
    const int u = __float2int_rd(x), v = __float2int_rd(y);
    fx = x - static_cast<float>(u), fy = y - static_cast<float>(v);
    const T* p = static_cast<const T*>(task.origin) + (static_cast<std::ptrdiff_t>(v) * task.stride + u);
    const T* q = p + task.stride;
    a = fetch(p), b = fetch(p + 1), c = fetch(q), d = fetch(q + 1);
  }

  __device__ auto value(float centre) const {
    if constexpr (std::is_same_v<T, float2>)
      return float2{blend(blend(a.x, b.x, fx), blend(c.x, d.x, fx), fy),
                    blend(blend(a.y, b.y, fx), blend(c.y, d.y, fx), fy)};
    else
      return blend(blend(static_cast<float>(a), static_cast<float>(b), fx),
                   blend(static_cast<float>(c), static_cast<float>(d), fx), fy) -
             centre;
  }
};

// The mean of a source at the landmarks of the start; computed by a warp.
template <class T>
__device__ inline float centre_of(const CombinedView& v, const SharedMemory& shared, const CombinedTask& task,
                                  const float* shape) {
  float sum = 0;
#pragma unroll 1
  for (int i = lane_id(); i < v.landmarks; i += 32) {
    const float mx = shared.mean_shape[2 * i], my = shared.mean_shape[2 * i + 1];
    const auto a = static_cast<float>(task.pose[0]), b = static_cast<float>(task.pose[1]);
    float x = a * mx - b * my + static_cast<float>(task.pose[2]),
          y = b * mx + a * my + static_cast<float>(task.pose[3]);
    if (task.from_shape) x = shape[2 * i], y = shape[2 * i + 1];
    const int u = __float2int_rd(fmaxf(fminf(x, task.right), task.left));
    const int w = __float2int_rd(fmaxf(fminf(y, task.bottom), task.top));
    sum += static_cast<float>(
        __ldg(static_cast<const T*>(task.origin) + static_cast<std::ptrdiff_t>(w) * task.stride + u));
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(whole_warp, sum, step);
  return sum / static_cast<float>(v.landmarks);
}

// The position of a pixel, given the shape.
__device__ inline float2 place(const float4& pixel, const float2* shape) {
  const unsigned corners = __float_as_uint(pixel.w);
  const float2 a = shape[corners & 1023], b = shape[corners >> 10 & 1023], c = shape[corners >> 20 & 1023];
  return {fmaf(pixel.x, a.x, fmaf(pixel.y, b.x, pixel.z * c.x)), fmaf(pixel.x, a.y, fmaf(pixel.y, b.y, pixel.z * c.y))};
}

// The pixels of a tile sampled by a lane: a pair of values. Fetched before the shapes are known.
template <CombinedSource kind>
struct TilePixels {
  static constexpr int count = 2 / channels_of<kind>;
  float4 of[count];

  __device__ TilePixels(const SharedMemory& shared, int tile) {
    const int q = static_cast<int>(threadIdx.x % 4u), half = static_cast<int>(threadIdx.x / 16u % 2u);
    const int pair = tile * 8 + q + 4 * half;
#pragma unroll
    for (int i = 0; i < count; ++i) of[i] = shared.pixels[pair * count + i];
  }
};

// The two values of a pair, at a shape.
template <CombinedSource kind, std::size_t count>
__device__ inline float2 sample_pair(const CombinedTask& task, float centre, const float2* shape,
                                     const float4 (&pixels)[count]) {
  using T = Texel<kind>;
  const bool none = (__float_as_uint(pixels[0].w) & no_pixel) != 0;
  if constexpr (count == 1) {
    const float2 value = Corners<T>(task, place(pixels[0], shape)).value(centre);
    return none ? float2{0, 0} : value;
  } else {
    const float2 first = place(pixels[0], shape), second = place(pixels[1], shape);
    const Corners<T> at(task, first), beside(task, second);
    // the values first, then a selection: no branch around the loads
    const float value = at.value(centre), next = beside.value(centre);
    return {none ? 0 : value, __float_as_uint(pixels[1].w) & no_pixel ? 0 : next};
  }
}

// Lane l has values 2 (l % 4) + {0, 1} and, after them, + {8, 9} of the product's column l / 4: half of the warp samples
// the first two values and half the others, and each then keeps high or low halves of all four.
template <CombinedSource kind>
__device__ inline uint2 sample_tile(const CombinedTask& task, float centre, const SharedMemory& shared, int landmarks,
                                    int active, const TilePixels<kind>& pixels, float& squares) {
  const int column = static_cast<int>(threadIdx.x / 4u % 4u), half = static_cast<int>(threadIdx.x / 16u % 2u);
  float2 value{0, 0};
  if (column < active) value = sample_pair<kind>(task, centre, shared.shapes + column * landmarks, pixels.of);
  squares = fmaf(value.x, value.x, fmaf(value.y, value.y, squares));
  const uint2 own = halves(value);
  const unsigned other = __shfl_xor_sync(whole_warp, half == 0 ? own.y : own.x, 16);
  return half == 0 ? uint2{own.x, other} : uint2{other, own.y};
}

// The squares of half of the block's samples, by column, from those that the lanes stored; computed by a warp.
__device__ inline float4 add_squares(const float* squares, int half) {
  const int lane = lane_id();
  float sum = 0;
#pragma unroll
  for (int w = 0; w < warps / 2; ++w) sum += squares[(half * warps / 2 + w) * 32 + lane];
  // four lanes per column, in both halves of the warp
  sum += __shfl_xor_sync(whole_warp, sum, 1);
  sum += __shfl_xor_sync(whole_warp, sum, 2);
  sum += __shfl_xor_sync(whole_warp, sum, 16);
  return {__shfl_sync(whole_warp, sum, 0), __shfl_sync(whole_warp, sum, 4), __shfl_sync(whole_warp, sum, 8),
          __shfl_sync(whole_warp, sum, 12)};
}

}  // namespace kinema::face::combined
