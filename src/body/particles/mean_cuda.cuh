// Mean and spread of the particles on the device: mean_state.h and joint_deviations() of refine.h.
#pragma once

#include "body/skeleton/skeleton_cuda.cuh"

namespace kinema::body {

class MeanCuda {
public:
  explicit MeanCuda(const SkeletonCuda& skeleton);

  /// Fills memory.result except its exponent; memory.velocity becomes the velocity that led to the new mean in
  /// `seconds`. `information`, of the refined poses (see RefineCuda), gives the width of the peak that memory names.
  void find(const float* states, const double* weight, const double* log_likelihood, int count,
            const double* information, double seconds, FilterMemory* memory, cudaStream_t stream);

private:
  const SkeletonCuda& skeleton_;
  std::size_t shared_bytes_ = 0;  // of the matrix; 0 where it is too large and is stored in matrix_
  cuda::Buffer<double> matrix_;
  cuda::Buffer<double> partial_;  // (blocks, channels)
  cuda::Buffer<double> width_;    // (joints): variance from the peak
  cuda::Buffer<Place> places_;    // (joints) of the mean
  cuda::Buffer<unsigned> arrived_;
};

}  // namespace kinema::body
