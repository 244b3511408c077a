// The spatial prior of motion.h on the device.
#pragma once

#include "body/skeleton/skeleton_cuda.cuh"

namespace kinema::body {

class SpatialCuda {
public:
  explicit SpatialCuda(const SkeletonCuda& skeleton);

  /// The factor of spatial_factor() at memory.result.state for a walk of `seconds`: (tangent, tangent) on the device.
  const float* factor(double deviation, double seconds, const FilterMemory* memory, cudaStream_t stream);

private:
  const SkeletonCuda& skeleton_;
  cuda::Buffer<double> matrix_;  // (2 tangent, stride)
  cuda::Buffer<Vec3f> moves_;    // (joints, tangent)
  cuda::Buffer<float> factor_;
};

}  // namespace kinema::body
