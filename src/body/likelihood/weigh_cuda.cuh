// The likelihood's kernels on data already on the device; the particle filter calls the same.
#pragma once

#include "body/likelihood/capsules_cuda.cuh"

namespace kinema::body {

/// Weighs samples against the points of a RayTilesCuda. One stream at a time.
class WeighCuda {
public:
  explicit WeighCuda(const LikelihoodSettings& settings);

  /// Allocates device memory for this many samples, capsules per sample and tiles.
  static std::size_t bytes(std::size_t samples, std::size_t capsules, std::size_t tiles);

  /// out[j] = log p of sample j (eq. 3). capsules: (samples, count, 7) on the device. The least index of an invalid
  /// capsule goes to *bad; ~0 if there is none. Points of the person are weighed on the stream `side`, where given,
  /// concurrently with the rays past it.
  void weigh(const RayTilesView& tiles, const float* capsules, std::size_t samples, std::size_t count, double* out,
             unsigned long long* bad, cudaStream_t stream, cudaStream_t side = nullptr);

  /// Events of the last call's stages: its start, then the end of prepare, evaluate and reduce.
  static constexpr int stage_count = 3;
  const cuda::Event& stage(int i) const { return stages_[i]; }

private:
  LikelihoodSettings settings_;
  CapsulesCuda capsules_;
  cuda::Buffer<float> sums_;  // (samples, tiles)
  cuda::Event stages_[stage_count + 1];
  cuda::Event prepared_, person_weighed_;
};

}  // namespace kinema::body
