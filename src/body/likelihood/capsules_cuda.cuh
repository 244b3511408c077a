// The capsules of all samples on the device, prepared for casting rays: frames, culling data, and which of them may
// matter to which tile of rays.
#pragma once

#include "body/likelihood/ray_tiles_cuda.cuh"

#include <cstdint>

namespace kinema::body {

/// The capsules as kernels read them.
struct CapsulesCudaView {
  const float* given;               // (samples, count, 7)
  const CapsuleFrame* frames;       // (samples, count)
  const float4* cull;               // (2, count, samples): CullCapsule, in halves
  const std::uint32_t* may_matter;  // (tiles, samples, words): one bit per capsule
  std::size_t samples, count, words;

  __device__ std::size_t cull_place(std::size_t sample, std::size_t capsule, int half) const {
    return (half * count + capsule) * samples + sample;
  }
};

class CapsulesCuda {
public:
  static std::size_t bytes(std::size_t samples, std::size_t count, std::size_t tiles);

  /// capsules: (samples, count, 7) on the device. The least index of an invalid capsule goes to *bad.
  void prepare(const RayTilesView& tiles, const LikelihoodSettings& settings, const float* capsules,
               std::size_t samples, std::size_t count, unsigned long long* bad, cudaStream_t stream);

  const CapsulesCudaView& view() const { return view_; }

private:
  CapsulesCudaView view_{};
  cuda::Buffer<CapsuleFrame> frames_;
  cuda::Buffer<float4> cull_;
  cuda::Buffer<std::uint32_t> may_matter_;
};

}  // namespace kinema::body
