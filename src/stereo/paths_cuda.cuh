// The integer part of matching on the device: census, eight paths, and the choice of disparities.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace kinema::stereo {

/// A part of the pictures, and its volumes.
struct DevicePair {
  int width, height;                  ///< of the pictures
  int x, y, columns, rows;            ///< of the window
  int first, disparities;             ///< the latter a multiple of 32
  const std::uint32_t *left, *right;  ///< census, height x width
  const std::uint16_t* smooth;        ///< the left picture in sixteenths of grey levels, height x width
  const std::uint8_t* large_step;     ///< see Plan, on the device
  int small_step;
  float uniqueness;
  std::uint8_t* costs;  ///< rows x columns x pixel_bytes()
  std::uint8_t* paths;  ///< 8 x rows x columns x pixel_bytes()

  /// Of a volume. A lane of a warp has a thirty-second of them, in whole words from three bytes on.
  __host__ __device__ int pixel_bytes() const {
    const int each = disparities / 32;
    return 32 * (each <= 2 ? each : (each + 3) / 4 * 4);
  }

  __host__ __device__ std::size_t volume() const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * static_cast<std::size_t>(pixel_bytes());
  }
};

/// Most disparities of a window.
inline constexpr int most_device_disparities = 32 * 12;

/// The right picture on the rows of the left one: see RowShift, `a`, `b`, `c`.
void align_rows(const std::uint8_t* right, std::uint8_t* out, int width, int height, double a, double b, double c,
                cudaStream_t stream);

/// Smoothed pictures and their census; pictures are height x width bytes.
void take_census(const std::uint8_t* picture, std::uint16_t* smooth, std::uint32_t* census, int width, int height,
                 cudaStream_t stream);

/// The values of all paths.
void follow_paths(const DevicePair& pair, cudaStream_t stream);

/// The disparity of each pixel of the window, rows x columns, 0: none.
void choose_disparities(const DevicePair& pair, float* disparity, cudaStream_t stream);

}  // namespace kinema::stereo
