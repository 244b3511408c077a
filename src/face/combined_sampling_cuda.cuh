// The kernel of algorithm 1: samples of a tile of values at every shape, and their product with 16 rows on the tensor
// cores.
#pragma once

#include "face/combined_room_cuda.cuh"

#include <cuda_fp16.h>

#include <type_traits>

namespace kinema::face::combined {

template <CombinedSource kind>
struct Texel;
template <>
struct Texel<CombinedSource::bytes> {
  using Type = unsigned char;
  static constexpr int channels = 1;
};
template <>
struct Texel<CombinedSource::floats> {
  using Type = float;
  static constexpr int channels = 1;
};
template <>
struct Texel<CombinedSource::pairs> {
  using Type = float2;
  static constexpr int channels = 2;
};

__device__ inline float blend(float a, float b, float by) { return fmaf(by, b - a, a); }

// Bilinear at (x, y), coordinates cut off at the border.
template <class T>
__device__ inline auto look(const CombinedTask& task, float centre, float x, float y) {
  // a coordinate that is no number goes to the corner
  x = fmaxf(fminf(x, task.right), task.left);
  y = fmaxf(fminf(y, task.bottom), task.top);
  const int u = __float2int_rd(x), v = __float2int_rd(y);
  const float fx = x - static_cast<float>(u), fy = y - static_cast<float>(v);
  const T* p = static_cast<const T*>(task.origin) + (static_cast<std::ptrdiff_t>(v) * task.stride + u);
  const T* q = p + task.stride;
  const T a = __ldg(p), b = __ldg(p + 1), c = __ldg(q), d = __ldg(q + 1);
  if constexpr (std::is_same_v<T, float2>)
    return float2{blend(blend(a.x, b.x, fx), blend(c.x, d.x, fx), fy),
                  blend(blend(a.y, b.y, fx), blend(c.y, d.y, fx), fy)};
  else
    return blend(blend(static_cast<float>(a), static_cast<float>(b), fx),
                 blend(static_cast<float>(c), static_cast<float>(d), fx), fy) -
           centre;
}

// The mean of a source at the landmarks of the start; a warp's work.
template <class T>
__device__ inline float centre_of(const CombinedView& v, const Room& room, const CombinedTask& task,
                                  const float* shape) {
  float sum = 0;
#pragma unroll 1
  for (int i = lane_id(); i < v.landmarks; i += 32) {
    const float mx = room.mean_shape[2 * i], my = room.mean_shape[2 * i + 1];
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

// Where a pixel lies, given the shape.
__device__ inline float2 place(const float4& pixel, const float2* shape) {
  const unsigned corners = __float_as_uint(pixel.w);
  const float2 a = shape[corners & 1023], b = shape[corners >> 10 & 1023], c = shape[corners >> 20 & 1023];
  return {fmaf(pixel.x, a.x, fmaf(pixel.y, b.x, pixel.z * c.x)), fmaf(pixel.x, a.y, fmaf(pixel.y, b.y, pixel.z * c.y))};
}

// Values 2 `pair` and 2 `pair` + 1 of the block's tile, at a shape.
template <CombinedSource kind>
__device__ inline float2 sample_pair(const CombinedTask& task, float centre, const Room& room, const float2* shape,
                                     int pair) {
  using T = typename Texel<kind>::Type;
  if constexpr (Texel<kind>::channels == 2) {
    const float4 pixel = room.pixels[pair];
    const float2 at = place(pixel, shape);
    const float2 value = look<T>(task, centre, at.x, at.y);
    return __float_as_uint(pixel.w) & no_pixel ? float2{0, 0} : value;
  } else {
    const float4 first = room.pixels[2 * pair], second = room.pixels[2 * pair + 1];
    const float2 at = place(first, shape), next = place(second, shape);
    const float value = look<T>(task, centre, at.x, at.y), beside = look<T>(task, centre, next.x, next.y);
    return {__float_as_uint(first.w) & no_pixel ? 0 : value, __float_as_uint(second.w) & no_pixel ? 0 : beside};
  }
}

__device__ inline unsigned bits(half2 h) { return *reinterpret_cast<unsigned*>(&h); }

// A number as the sum of two halves: 22 bits, nearly what a float holds.
__device__ inline uint2 halves(float2 value) {
  const half2 high = __floats2half2_rn(value.x, value.y);
  const float2 kept = __half22float2(high);
  return {bits(high), bits(__floats2half2_rn(value.x - kept.x, value.y - kept.y))};
}

__device__ inline void multiply(float (&sum)[4], const uint4& a, unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}

// A tile's samples as the product takes them, which has 8 columns: 4 of high halves and the same 4 of low ones, or 8 of
// high halves, and then 8 of low.
template <int columns>
using Fragment = std::conditional_t<columns == 4, uint2, uint4>;

// 16 rows by a tile's columns.
__device__ inline void multiply(float (&sum)[4], const uint4& a, const uint2& b) { multiply(sum, a, b.x, b.y); }
__device__ inline void multiply(float (&sum)[4], const uint4& a, const uint4& b) {
  multiply(sum, a, b.x, b.y);
  multiply(sum, a, b.z, b.w);
}

// Lane l has values 2 (l % 4) + {0, 1} and, after them, + {8, 9} of the product's column l / 4. With up to 4 columns,
// half of the warp samples the first two values and half the others, and each then keeps high or low halves of all four.
template <CombinedSource kind, int columns>
__device__ inline Fragment<columns> sample_tile(const CombinedTask& task, float centre, const Room& room, int landmarks,
                                                int active, int tile, float& squares) {
  const int lane = lane_id(), q = static_cast<int>(threadIdx.x % 4u);
  if constexpr (columns == 4) {
    const int column = static_cast<int>(threadIdx.x / 4u % 4u), half = static_cast<int>(threadIdx.x / 16u % 2u);
    float2 value{0, 0};
    if (column < active)
      value = sample_pair<kind>(task, centre, room, room.shapes + column * landmarks, tile * 8 + q + 4 * half);
    squares = fmaf(value.x, value.x, fmaf(value.y, value.y, squares));
    const uint2 own = halves(value);
    const unsigned other = __shfl_xor_sync(whole_warp, half == 0 ? own.y : own.x, 16);
    return half == 0 ? uint2{own.x, other} : uint2{other, own.y};
  } else {
    const int column = static_cast<int>(threadIdx.x / 4u % 8u);
    if (column >= active) return uint4{0, 0, 0, 0};
    const float2* shape = room.shapes + column * landmarks;
    const float2 first = sample_pair<kind>(task, centre, room, shape, tile * 8 + q);
    const float2 second = sample_pair<kind>(task, centre, room, shape, tile * 8 + q + 4);
    squares = fmaf(first.x, first.x, fmaf(first.y, first.y, squares));
    squares = fmaf(second.x, second.x, fmaf(second.y, second.y, squares));
    const uint2 one = halves(first), two = halves(second);
    return uint4{one.x, two.x, one.y, two.y};
  }
}

// The squares of a warp's samples, by column.
template <int columns>
__device__ inline void store_squares(float squares, float* to) {
  const int lane = lane_id();
  squares += __shfl_xor_sync(whole_warp, squares, 1);
  squares += __shfl_xor_sync(whole_warp, squares, 2);
  if (columns == 4) squares += __shfl_xor_sync(whole_warp, squares, 16);
  if (lane % 4 == 0 && lane / 4 < columns) to[lane / 4] = squares;
}

// What a lane has of 16 rows' sums: with 4 columns those of one row, else of two columns of two rows. `row` counts
// within the 16.
template <int columns>
struct Sums;
template <>
struct Sums<4> {
  float4 all;

  __device__ explicit Sums(const float (&sum)[4]) {
    const int q = static_cast<int>(threadIdx.x % 4u);
    const bool low = q >= 2;  // low halves: this lane goes on with the lower 8 rows
    float x = low ? sum[2] : sum[0], y = low ? sum[3] : sum[1];
    x += __shfl_xor_sync(whole_warp, low ? sum[0] : sum[2], 2);
    y += __shfl_xor_sync(whole_warp, low ? sum[1] : sum[3], 2);
    all = {x, y, __shfl_xor_sync(whole_warp, x, 1), __shfl_xor_sync(whole_warp, y, 1)};
  }
  __device__ static int rows() { return threadIdx.x % 2 == 0 ? 1 : 0; }
  __device__ static int row(int) { return static_cast<int>(threadIdx.x % 32u / 4u) + (threadIdx.x % 4u >= 2u ? 8 : 0); }
  __device__ static unsigned offset() { return 0; }
  __device__ float4 of(int, float scale) const { return {all.x * scale, all.y * scale, all.z * scale, all.w * scale}; }
};
template <>
struct Sums<8> {
  float2 pair[2];

  __device__ explicit Sums(const float (&sum)[4]) : pair{{sum[0], sum[1]}, {sum[2], sum[3]}} {}
  __device__ static int rows() { return 2; }
  __device__ static int row(int i) { return static_cast<int>(threadIdx.x % 32u / 4u) + 8 * i; }
  __device__ static unsigned offset() { return threadIdx.x % 4 * static_cast<unsigned>(sizeof(float2)); }
  __device__ float2 of(int i, float scale) const { return {pair[i].x * scale, pair[i].y * scale}; }
};

}  // namespace kinema::face::combined
