#include "body/particles/poses_cuda.cuh"

#include <algorithm>

namespace kinema::body {

PosesCuda::PosesCuda(const SkeletonCuda& skeleton, const LikelihoodSettings& settings)
    : skeleton_(skeleton), refine_(skeleton), weigh_(settings) {}

void PosesCuda::reserve(std::size_t count) {
  const std::size_t floats = count * static_cast<std::size_t>(skeleton_.state());
  states_host_.reserve(floats);
  states_.reserve(floats);
}

void PosesCuda::upload(std::size_t count, const cuda::Event& arranged) {
  cuda::check(cudaStreamWaitEvent(stream_, arranged), "waiting for points");
  cuda::check(cudaMemcpyAsync(states_.data(), states_host_.data(),
                              count * static_cast<std::size_t>(skeleton_.state()) * sizeof(float),
                              cudaMemcpyHostToDevice, stream_),
              "uploading poses");
}

void PosesCuda::refine(const RayTilesView& tiles, const RefineSettings& settings, PointShare share,
                       const cuda::Event& arranged, std::span<PoseCandidate> poses) {
  const std::size_t count = poses.size();
  if (count == 0) return;
  reserve(count);
  progress_host_.reserve(count);
  std::vector<const PosePrior*> priors;
  for (std::size_t i = 0; i < count; ++i) {
    std::copy(poses[i].state.begin(), poses[i].state.end(), host_state(i));
    priors.push_back(&poses[i].prior);
  }
  upload(count, arranged);
  refine_.refine_apart(tiles, settings, share, priors, states_.data(), stream_);
  cuda::check(cudaMemcpyAsync(states_host_.data(), states_.data(),
                              count * static_cast<std::size_t>(skeleton_.state()) * sizeof(float),
                              cudaMemcpyDeviceToHost, stream_),
              "downloading poses");
  cuda::check(cudaMemcpyAsync(progress_host_.data(), refine_.progress(), count * sizeof(RefineProgress),
                              cudaMemcpyDeviceToHost, stream_),
              "downloading costs");
  stream_.wait();
  for (std::size_t i = 0; i < count; ++i) {
    std::copy_n(host_state(i), poses[i].state.size(), poses[i].state.begin());
    poses[i].cost = progress_host_.data()[i].cost;
  }
}

std::vector<double> PosesCuda::weigh(const RayTilesView& tiles, const cuda::Event& arranged, unsigned long long* bad,
                                     std::span<const std::vector<float>> states) {
  const std::size_t count = states.size();
  std::vector<double> log_likelihood(count, 0);
  if (count == 0 || tiles.foreground_tiles + tiles.background_tiles == 0) return log_likelihood;
  reserve(count);
  capsules_.reserve(count * static_cast<std::size_t>(skeleton_.capsules()) * capsule_floats);
  log_likelihood_.reserve(count);
  log_likelihood_host_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) std::copy(states[i].begin(), states[i].end(), host_state(i));
  upload(count, arranged);
  pose_particles(skeleton_, states_.data(), static_cast<int>(count), capsules_.data(), stream_);
  weigh_.weigh(tiles, capsules_.data(), count, static_cast<std::size_t>(skeleton_.capsules()), log_likelihood_.data(),
               bad, stream_);
  cuda::check(cudaMemcpyAsync(log_likelihood_host_.data(), log_likelihood_.data(), count * sizeof(double),
                              cudaMemcpyDeviceToHost, stream_),
              "downloading results");
  stream_.wait();
  std::copy_n(log_likelihood_host_.data(), count, log_likelihood.begin());
  return log_likelihood;
}

}  // namespace kinema::body
