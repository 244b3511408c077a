// The likelihood's kernels on data that are already on the device; the particle filter calls the same.
#pragma once

#include "body/capsules_cuda.cuh"

namespace kinema::body {

/// What else keeps the device busy at the same time.
struct WeighCompany {
  cudaStream_t side = nullptr;  // where rays past the person are weighed, beside its points
  std::size_t samples = 0;      // that somebody else weighs
  bool person_first = false;    // or the rays past it
};

/// Weighs samples against the points of a RayTilesCuda. One stream at a time.
class WeighCuda {
public:
  explicit WeighCuda(const LikelihoodSettings& settings);

  /// Device memory for so many samples of so many capsules, against so many tiles.
  static std::size_t bytes(std::size_t samples, std::size_t capsules, std::size_t tiles);

  /// out[j] = log p of sample j (eq. 3). capsules: (samples, count, 7) on the device. A bad capsule's index, the
  /// least there is, goes to *bad; ~0 if there is none.
  void weigh(const RayTilesView& tiles, const float* capsules, std::size_t samples, std::size_t count, double* out,
             unsigned long long* bad, cudaStream_t stream, const WeighCompany& company = {});

  /// Marks the stages of the last call: its start, then the end of prepare, evaluate and reduce.
  static constexpr int stage_count = 3;
  const cuda::Event& stage(int i) const { return stages_[i]; }

private:
  LikelihoodSettings settings_;
  CapsulesCuda capsules_;
  cuda::Buffer<float> sums_;  // (samples, tiles)
  cuda::Event stages_[stage_count + 1];
  cuda::Event prepared_, past_weighed_;
};

}  // namespace kinema::body
