// The floating-point part of matching on the device: least squares over squares, deviations, outlines and support.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace kinema::stereo {

struct DeviceEvidence {
  int width, height;                           ///< of the pictures
  int x, y, columns, rows;                     ///< of the window
  float nearest, farthest;                     ///< disparities
  const std::uint8_t *left, *right;            ///< pictures, height x width
  const std::uint16_t *smooth, *smooth_right;  ///< the same, smoothed, in sixteenths

  // rows x columns each
  float2* slopes;        ///< of the smoothed picture, across and down
  float* found;          ///< disparities: 0 where there is none
  float *steps, *trust;  ///< of white pixels, twice rows x half the columns, rounded up
  float *sure, *kept, *trimmed;
  float* deviation;
  float2* out;  ///< disparity and deviation at the end
};

/// From `found` to `out`.
void judge_disparities(const DeviceEvidence& evidence, cudaStream_t stream);

}  // namespace kinema::stereo
