// A strip: the 16 pixels of a thread (32 for nv12), arranged so that every row of a strip is one or three loads of 16
// bytes, and all loads of a strip are in flight at once. One struct per memory layout of pixels; colour(row, i) is a
// word whose lowest three bytes are the channels in the order of the format. Indices must be compile-time constants, or
// the strip leaves its registers.
#pragma once

#include "head/moments/colour_conversion.h"
#include "head/moments/count_cuda.cuh"

#include <cstdint>

namespace kinema::head::strip {

/// `bytes` of the 16 from `from`, the others 0.
__device__ __noinline__ inline uint4 load_some(const std::uint8_t* from, int bytes) {
  std::uint32_t word[4] = {};
#pragma unroll
  for (int i = 0; i < 16; ++i)
    if (i < bytes) word[i / 4] |= static_cast<std::uint32_t>(__ldg(from + i)) << 8 * (i % 4);
  return {word[0], word[1], word[2], word[3]};
}

__device__ inline uint4 load(const std::uint8_t* from) { return __ldg(reinterpret_cast<const uint4*>(from)); }

/// The available part of 16 bytes, at any address.
__device__ inline uint4 load_edge(const std::uint8_t* from, int bytes, bool aligned) {
  return aligned && bytes >= 16 ? load(from) : load_some(from, bytes);
}

__device__ inline std::uint32_t word_of(const uint4& v, int i) {
  return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}
__device__ inline std::uint32_t byte_of(const uint4& v, int i) { return word_of(v, i / 4) >> 8 * (i % 4) & 0xff; }

__device__ inline std::uint32_t video_colour(std::uint32_t y, std::uint32_t cb, std::uint32_t cr) {
  const Rgb colour = rgb_of(static_cast<std::uint8_t>(y), static_cast<std::uint8_t>(cb), static_cast<std::uint8_t>(cr));
  return static_cast<std::uint32_t>(colour.r) | static_cast<std::uint32_t>(colour.g) << 8 |
         static_cast<std::uint32_t>(colour.b) << 16;
}

/// bgra, rgba
struct FourBytes {
  static constexpr int columns = 4, rows = 4;
  uint4 raw[rows];

  __device__ void load_whole(const DevicePlanes& planes, std::uint32_t x, std::uint32_t y) {
    const std::uint8_t* from = planes.data + y * planes.stride + 4 * x;
#pragma unroll
    for (int r = 0; r < rows; ++r) raw[r] = load(from + r * planes.stride);
  }
  __device__ void load_part(const DevicePlanes& planes, std::uint32_t x, std::uint32_t y, int width, int height,
                            bool aligned) {
    const std::uint8_t* from = planes.data + y * planes.stride + 4 * x;
#pragma unroll
    for (int r = 0; r < rows; ++r)
      raw[r] = r < height ? load_edge(from + r * planes.stride, 4 * width, aligned) : uint4{};
  }
  __device__ std::uint32_t colour(int row, int i) const { return word_of(raw[row], i); }
};

/// bgr, rgb
struct ThreeBytes {
  static constexpr int columns = 16, rows = 1;
  uint4 raw[rows][3];

  __device__ void load_whole(const DevicePlanes& planes, std::uint32_t x, std::uint32_t y) {
    const std::uint8_t* from = planes.data + y * planes.stride + 3 * x;
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int k = 0; k < 3; ++k) raw[r][k] = load(from + r * planes.stride + 16 * k);
  }
  __device__ void load_part(const DevicePlanes& planes, std::uint32_t x, std::uint32_t y, int width, int height,
                            bool aligned) {
    const std::uint8_t* from = planes.data + y * planes.stride + 3 * x;
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int k = 0; k < 3; ++k)
        raw[r][k] = r < height ? load_edge(from + r * planes.stride + 16 * k, 3 * width - 16 * k, aligned) : uint4{};
  }
  __device__ std::uint32_t word(int row, int i) const { return word_of(raw[row][i / 4], i % 4); }
  __device__ std::uint32_t colour(int row, int i) const {
    const int first = 3 * i / 4, shift = 8 * (3 * i % 4);
    return shift <= 8 ? word(row, first) >> shift : __funnelshift_r(word(row, first), word(row, first + 1), shift);
  }
};

struct Nv12 {
  static constexpr int columns = 16, rows = 2;
  uint4 luma[rows], chroma;

  __device__ void load_whole(const DevicePlanes& planes, std::uint32_t x, std::uint32_t y) {
    luma[0] = load(planes.data + y * planes.stride + x);
    luma[1] = load(planes.data + (y + 1) * planes.stride + x);
    chroma = load(planes.chroma + y / 2 * planes.chroma_stride + x);
  }
  __device__ void load_part(const DevicePlanes& planes, std::uint32_t x, std::uint32_t y, int width, int height,
                            bool aligned) {
    const std::uint8_t* from = planes.data + y * planes.stride + x;
    luma[0] = load_edge(from, width, aligned);
    luma[1] = height > 1 ? load_edge(from + planes.stride, width, aligned) : uint4{};
    chroma = load_edge(planes.chroma + y / 2 * planes.chroma_stride + x, (width + 1) / 2 * 2, aligned);
  }
  __device__ std::uint32_t colour(int row, int i) const {
    return video_colour(byte_of(luma[row], i), byte_of(chroma, i / 2 * 2), byte_of(chroma, i / 2 * 2 + 1));
  }
};

struct Yuyv {
  static constexpr int columns = 8, rows = 2;
  uint4 raw[rows];

  __device__ void load_whole(const DevicePlanes& planes, std::uint32_t x, std::uint32_t y) {
    const std::uint8_t* from = planes.data + y * planes.stride + 2 * x;
#pragma unroll
    for (int r = 0; r < rows; ++r) raw[r] = load(from + r * planes.stride);
  }
  __device__ void load_part(const DevicePlanes& planes, std::uint32_t x, std::uint32_t y, int width, int height,
                            bool aligned) {
    const std::uint8_t* from = planes.data + y * planes.stride + 2 * x;
#pragma unroll
    for (int r = 0; r < rows; ++r)
      raw[r] = r < height ? load_edge(from + r * planes.stride, (width + 1) / 2 * 4, aligned) : uint4{};
  }
  __device__ std::uint32_t colour(int row, int i) const {
    const int pair = i / 2 * 4;
    return video_colour(byte_of(raw[row], 2 * i), byte_of(raw[row], pair + 1), byte_of(raw[row], pair + 3));
  }
};

}  // namespace kinema::head::strip
