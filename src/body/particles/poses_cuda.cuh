// Poses that are not particles, on the device: refined and weighed in their own stream, concurrently with the filter.
#pragma once

#include "body/likelihood/weigh_cuda.cuh"
#include "body/refine/refine_cuda.cuh"
#include "body/skeleton/pose_cuda.cuh"

#include <span>
#include <vector>

namespace kinema::body {

class PosesCuda {
public:
  PosesCuda(const SkeletonCuda& skeleton, const LikelihoodSettings& settings);

  /// See Particles::refine_poses(). The points are available once the event `arranged` is reached.
  void refine(const RayTilesView& tiles, const RefineSettings& settings, PointShare share, const cuda::Event& arranged,
              std::span<PoseCandidate> poses);

  /// See Particles::weigh_poses(), and WeighCuda for `bad`.
  std::vector<double> weigh(const RayTilesView& tiles, const cuda::Event& arranged, unsigned long long* bad,
                            std::span<const std::vector<float>> states);

private:
  void reserve(std::size_t count);
  void upload(std::size_t count, const cuda::Event& arranged);
  float* host_state(std::size_t i) { return states_host_.data() + i * static_cast<std::size_t>(skeleton_.state()); }

  const SkeletonCuda& skeleton_;
  cuda::Stream stream_{cuda::Priority::high};  // small work that the host waits for
  RefineCuda refine_;
  WeighCuda weigh_;
  cuda::PinnedBuffer<float> states_host_;
  cuda::Buffer<float> states_, capsules_;
  cuda::PinnedBuffer<RefineProgress> progress_host_;
  cuda::Buffer<double> log_likelihood_;
  cuda::PinnedBuffer<double> log_likelihood_host_;
};

}  // namespace kinema::body
