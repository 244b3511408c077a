// Particles on the device: per frame only the points are uploaded, and only mean, spread and figures come back. Other
// devices may help to weigh them; for other processes, capsules and log-likelihoods pass through the host.
#include "body/likelihood/likelihood_backends.h"
#include "body/likelihood/other_devices_cuda.cuh"
#include "body/particles/mean_cuda.cuh"
#include "body/particles/motion.h"
#include "body/particles/motion_cuda.cuh"
#include "body/particles/particles.h"
#include "body/particles/poses_cuda.cuh"
#include "body/particles/weights_cuda.cuh"
#include "body/refine/refine_cuda.cuh"
#include "body/skeleton/pose_cuda.cuh"

#include <algorithm>
#include <cstring>

namespace kinema::body {
namespace {

__global__ void place_kernel(int count, int floats, float* states, double* log_likelihood, double* weight,
                             FilterMemory* memory) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count * floats) states[i] = memory->result.state[i % floats];
  if (i < count) {
    log_likelihood[i] = 0;
    weight[i] = 1.0 / count;
  }
  if (i < most_tangent) memory->velocity[i] = 0;
  if (i == 0) {
    memory->result.exponent = 1;
    memory->peak = -1;
  }
}

class ParticlesCuda final : public Particles {
public:
  ParticlesCuda(const Skeleton& skeleton, const TrackerSettings& settings, const std::vector<int>& others)
      : settings_(settings),
        person_skeleton_(skeleton),
        flat_(skeleton),
        skeleton_(skeleton, stream_),
        weigh_(settings.likelihood),
        refine_(skeleton_),
        poses_(skeleton_, settings.likelihood),
        find_mean_(skeleton_),
        spatial_(skeleton_),
        memory_(1),
        result_(1),
        others_(others, settings.likelihood) {
    if (settings.share_weighing)
      shared_ = settings.share_weighing(settings.likelihood, make_cuda_likelihood(settings.likelihood));
    cuda::check(cudaMemsetAsync(memory_.data(), 0, sizeof(FilterMemory), stream_), "clearing");
    clear_bad();
  }

  PointCount set_points(PointsView points, const PointNoise& noise) override {
    noise_ = noise;
    PointCloud copy;
    const PointsView weighed = weighed_points(points, settings_.likelihood.free_space, copy);
    others_.release_points(stream_);
    const PointCount count = tiles_.set_points(weighed, settings_.likelihood, stream_);
    arranged_.record(stream_);
    others_.set_points(tiles_, stream_);
    if (shared_) shared_->set_points(weighed);
    return count;
  }
  const PointNoise& noise() const override { return noise_; }

  void place(std::span<const float> state, std::size_t count) override {
    stream_.wait();  // the last result may be in flight
    count_ = static_cast<int>(count);
    states_.reserve(count * static_cast<std::size_t>(floats()));
    next_states_.reserve(count * static_cast<std::size_t>(floats()));
    log_likelihood_.reserve(count);
    next_log_likelihood_.reserve(count);
    weights_.reserve(count);
    mean_.assign(state.begin(), state.end());
    predicted_ = mean_;
    velocity_.assign(static_cast<std::size_t>(skeleton_.tangent()), 0);
    std::copy(state.begin(), state.end(), result_.data()->state);
    cuda::check(
        cudaMemcpyAsync(memory_.data(), result_.data(), state.size() * sizeof(float), cudaMemcpyHostToDevice, stream_),
        "uploading a pose");
    const int work = std::max(count_ * floats(), most_tangent);
    place_kernel<<<static_cast<unsigned>((work + 255) / 256), 256, 0, stream_>>>(
        count_, floats(), states_.data(), log_likelihood_.data(), weights_.data(), memory_.data());
    cuda::check_launch("place");
    weights_.reset();
    drawn_ = posed_ = false;
    begun_.record(stream_);
  }

  void predict(double seconds) override {
    begun_.record(stream_);
    const double drift = velocity_kept(settings_.motion) * seconds;
    std::vector<float> change;
    for (float v : velocity_) change.push_back(static_cast<float>(drift * v));
    predicted_ = mean_;
    move_state(flat_.view(), change.data(), predicted_.data());
    weights_.carry();
    move(seconds, -1, drift);
  }

  void diffuse(double seconds, int block) override { move(seconds, block, 0); }

  void weigh() override {
    rearrange_drawn();
    weigh(static_cast<std::size_t>(count_), true);
  }

  void anneal(double survival, double most) override {
    weights_.anneal(log_likelihood_.data(), count_, survival, most, memory_.data(), stream_);
  }

  void resample() override {
    rearrange_drawn();
    weights_.resample(settings_.resampling, count_, {settings_.seed, step_++, 0}, stream_);
    drawn_ = true;
  }

  void refine(int count, double seconds) override {
    rearrange_drawn();
    weighed_.record(stream_);
    const int refined = std::min(count, count_);
    if (refined <= 0) return;
    weights_.select(log_likelihood_.data(), count_, refined, stream_);
    rearrange();
    refine_.refine(tiles_.view(), refine_settings(settings_, 1, noise_),
                   expected_pose(person_skeleton_, predicted_, seconds), states_.data(), refined, stream_);
    posed_ = false;
    weigh(static_cast<std::size_t>(refined), false);
    weights_.normalise(log_likelihood_.data(), count_, refined, memory_.data(), stream_);
    refinement_done_.record(stream_);
    refined_ = true;
  }

  Moments moments(double seconds) override {
    rearrange_drawn();
    if (!refined_) {
      weighed_.record(stream_);
      refinement_done_.record(stream_);
    }
    refined_ = false;
    find_mean_.find(states_.data(), weights_.data(), log_likelihood_.data(), count_, refine_.information(), seconds,
                    memory_.data(), stream_);
    cuda::check(cudaMemcpyAsync(result_.data(), memory_.data(), sizeof(FrameResult), cudaMemcpyDeviceToHost, stream_),
                "downloading the mean");
    done_.record(stream_);
    const bool invalid = others_.finish();  // first, so that one that has failed is the one that says so
    stream_.wait();
    const FrameResult& result = *result_.data();
    if (invalid || result.bad != ~0ull) {
      clear_bad();
      throw Error("a particle's pose has a number that is not finite; start again from another pose",
                  Error::Cause::running);
    }
    Moments moments;
    moments.state.assign(result.state, result.state + floats());
    moments.joint_variance.assign(result.joint_variance, result.joint_variance + skeleton_.joints());
    moments.log_likelihood = result.log_likelihood;
    moments.effective_sample_size = result.effective_sample_size;
    moments.exponent = result.exponent;
    velocity_.resize(static_cast<std::size_t>(skeleton_.tangent()));
    state_difference(flat_.view(), mean_.data(), moments.state.data(), velocity_.data());
    for (float& v : velocity_) v /= static_cast<float>(seconds);
    mean_ = moments.state;
    moments.times = {{"device weigh", cuda::elapsed_ms(begun_, weighed_)},
                     {"device refine", cuda::elapsed_ms(weighed_, refinement_done_)},
                     {"device mean", cuda::elapsed_ms(refinement_done_, done_)}};
    return moments;
  }

  const std::vector<float>& predicted() const override { return predicted_; }

  void refine_poses(std::span<PoseCandidate> poses, const RefineSettings& settings, PointShare share) override {
    poses_.refine(tiles_.view(), settings, share, arranged_, poses);
  }

  std::vector<double> weigh_poses(std::span<const std::vector<float>> states) override {
    return poses_.weigh(tiles_.view(), arranged_, bad(), states);
  }

  void set_velocity(std::span<const float> velocity) override {
    stream_.wait();
    velocity_.assign(velocity.begin(), velocity.end());
    cuda::check(cudaMemcpyAsync(memory_.data()->velocity, velocity_.data(), velocity_.size() * sizeof(float),
                                cudaMemcpyHostToDevice, stream_),
                "uploading a velocity");
    stream_.wait();
  }

  std::uint64_t exchanged_bytes() const override {
    return others_.exchanged_bytes() + (shared_ ? shared_->exchanged_bytes() : 0);
  }

  std::vector<float> states() override {
    rearrange_drawn();
    return download(states_, static_cast<std::size_t>(count_) * static_cast<std::size_t>(floats()));
  }
  std::vector<double> log_likelihoods() override {
    rearrange_drawn();
    return download(log_likelihood_, static_cast<std::size_t>(count_));
  }

private:
  int floats() const { return skeleton_.state(); }

  template <class T>
  std::vector<T> download(const cuda::Buffer<T>& buffer, std::size_t count) const {
    stream_.wait();
    std::vector<T> numbers(count);
    cuda::check(cudaMemcpy(numbers.data(), buffer.data(), count * sizeof(T), cudaMemcpyDeviceToHost), "downloading");
    return numbers;
  }

  unsigned long long* bad() const { return &memory_.data()->result.bad; }
  void clear_bad() { cuda::check(cudaMemsetAsync(bad(), 0xff, sizeof(unsigned long long), stream_), "clearing"); }

  void move(double seconds, int block, double drift) {
    const float* factor = nullptr;
    if (settings_.motion == Motion::spatial) {
      factor = spatial_.factor(seconds * root_speed, seconds, memory_.data(), stream_);
    }
    // where all fit, the same kernel makes their skins; and it gathers those just drawn
    const auto count = static_cast<std::size_t>(count_);
    posed_ = count <= turn();
    if (posed_) capsules_.reserve(count * skin_floats());
    float* capsules = posed_ ? capsules_.data() : nullptr;
    const Moves moves = drawn_ ? Moves{weights_.index(),
                                       states_.data(),
                                       next_states_.data(),
                                       log_likelihood_.data(),
                                       next_log_likelihood_.data(),
                                       capsules}
                               : Moves{nullptr, states_.data(), states_.data(), nullptr, nullptr, capsules};
    move_particles(skeleton_, {settings_.seed, step_++, seconds, drift, block, factor, settings_.unperturbed_particle},
                   moves, count_, memory_.data(), stream_);
    if (drawn_) swap_states();
    drawn_ = false;
  }

  std::size_t skin_floats() const { return static_cast<std::size_t>(skeleton_.capsules()) * capsule_floats; }

  // Particles weighed at a time, given the memory limit.
  std::size_t turn() const {
    const std::size_t each =
        WeighCuda::bytes(1, static_cast<std::size_t>(skeleton_.capsules()), static_cast<std::size_t>(tiles_.tiles())) +
        skin_floats() * sizeof(float);
    return std::clamp<std::size_t>(settings_.likelihood.device_memory / each, 1, 4096);
  }

  // The first `count` particles; `helped`: by others too.
  void weigh(std::size_t count, bool helped) {
    if (tiles_.tiles() == 0) {
      cuda::check(cudaMemsetAsync(log_likelihood_.data(), 0, count * sizeof(double), stream_), "clearing");
      return;
    }
    const auto capsules = static_cast<std::size_t>(skeleton_.capsules());
    const std::size_t most = turn();
    for (std::size_t first = 0; first < count; first += most) {
      const std::size_t some = std::min(most, count - first);
      if (!posed_ || count > most) {
        capsules_.reserve(some * skin_floats());
        pose_particles(skeleton_, states_.data() + first * static_cast<std::size_t>(floats()), static_cast<int>(some),
                       capsules_.data(), stream_);
      }
      double* out = log_likelihood_.data() + first;
      if (helped && shared_) {
        weigh_shared(some, out);
        continue;
      }
      if (helped) others_.weigh(capsules_.data(), some, capsules, out, stream_);
      weigh_.weigh(tiles_.view(), capsules_.data(), helped ? others_.first_share(some).size() : some, capsules, out,
                   bad(), stream_, side_);
      if (helped) others_.join(stream_);
    }
  }

  // By way of the host.
  void weigh_shared(std::size_t count, double* out) {
    const auto capsules = static_cast<std::size_t>(skeleton_.capsules());
    capsules_host_.reserve(count * skin_floats());
    log_likelihood_host_.reserve(count);
    cuda::check(cudaMemcpyAsync(capsules_host_.data(), capsules_.data(), count * skin_floats() * sizeof(float),
                                cudaMemcpyDeviceToHost, stream_),
                "downloading capsules");
    stream_.wait();
    shared_->evaluate({capsules_host_.data(), count, capsules, capsule_floats}, {log_likelihood_host_.data(), count});
    cuda::check(
        cudaMemcpyAsync(out, log_likelihood_host_.data(), count * sizeof(double), cudaMemcpyHostToDevice, stream_),
        "uploading log-likelihoods");
  }

  // Particle j becomes particle index[j].
  void rearrange() {
    weights_.gather(count_, floats(), states_.data(), log_likelihood_.data(), next_states_.data(),
                    next_log_likelihood_.data(), stream_);
    swap_states();
    posed_ = false;
  }

  void rearrange_drawn() {
    if (drawn_) rearrange();
    drawn_ = false;
  }
  void swap_states() {
    std::swap(states_, next_states_);
    std::swap(log_likelihood_, next_log_likelihood_);
  }

  TrackerSettings settings_;
  Skeleton person_skeleton_;
  FlatSkeleton flat_;
  std::vector<float> mean_, predicted_, velocity_;  // as on the device, for the prior of the refinement
  cuda::Stream stream_, side_;
  SkeletonCuda skeleton_;
  RayTilesCuda tiles_;    // the points
  PointNoise noise_;      // of the points
  cuda::Event arranged_;  // the points
  WeighCuda weigh_;
  RefineCuda refine_;
  PosesCuda poses_;  // that are not particles
  MeanCuda find_mean_;
  SpatialCuda spatial_;
  WeightsCuda weights_;
  int count_ = 0;
  bool refined_ = false;                      // since the last mean
  bool drawn_ = false;                        // weights_.index() is drawn, but particles are not rearranged yet
  bool posed_ = false;                        // capsules_ are those of all particles
  cuda::Buffer<float> states_, next_states_;  // (n, state)
  cuda::Buffer<double> log_likelihood_, next_log_likelihood_;
  cuda::Buffer<float> capsules_;
  cuda::Buffer<FilterMemory> memory_;
  cuda::PinnedBuffer<FrameResult> result_;
  cuda::Event begun_, weighed_, refinement_done_, done_;
  std::uint32_t step_ = 0;  // counts the calls that draw random numbers

  // where other processes weigh too
  std::unique_ptr<Likelihood> shared_;
  cuda::PinnedBuffer<float> capsules_host_;
  cuda::PinnedBuffer<double> log_likelihood_host_;

  OtherDevicesCuda others_;  // last: they read the other members
};

}  // namespace

std::unique_ptr<Particles> make_particles_cuda(const Skeleton& skeleton, const TrackerSettings& settings,
                                               const std::vector<int>& others) {
  return std::make_unique<ParticlesCuda>(skeleton, settings, others);
}

}  // namespace kinema::body
