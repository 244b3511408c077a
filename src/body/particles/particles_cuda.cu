// Particles on the device: per frame only the points are uploaded, and only mean, spread and figures come back.
//
// Divided particles: as in particles_cpu.cpp, except that the first part refines the best, since its blocks wait for
// each other and fill the device, and that all parts get all states for the mean, whose sums then run as undivided.
#include "body/likelihood/weigh_cuda.cuh"
#include "body/particles/exchange_cuda.cuh"
#include "body/particles/mean_cuda.cuh"
#include "body/particles/motion.h"
#include "body/particles/motion_cuda.cuh"
#include "body/particles/particles.h"
#include "body/particles/poses_cuda.cuh"
#include "body/particles/weights_cuda.cuh"
#include "body/refine/refine_cuda.cuh"
#include "body/skeleton/pose_cuda.cuh"
#include "core/meeting.h"

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
  ParticlesCuda(const Skeleton& skeleton, const TrackerSettings& settings)
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
        alone_(1),
        exchange_(settings.exchange ? *settings.exchange : alone_.exchange(0)),
        transfer_(stream_, divided()) {
    cuda::check(cudaMemsetAsync(memory_.data(), 0, sizeof(FilterMemory), stream_), "clearing");
    clear_bad();
  }

  PointCount set_points(PointsView points, const PointNoise& noise) override {
    noise_ = noise;
    PointCloud copy;
    const PointCount count =
        tiles_.set_points(weighed_points(points, settings_.likelihood.free_space, copy), settings_.likelihood, stream_);
    arranged_.record(stream_);
    return count;
  }
  const PointNoise& noise() const override { return noise_; }

  void place(std::span<const float> state, std::size_t count) override {
    exchange_.settle(transfer_);
    stream_.wait();  // the last result may be in flight
    count_orders();
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
    settle(log_likelihood_.data());
    weigh(own());
    exchange_.gather({log_likelihood_.data(), static_cast<std::size_t>(count_), sizeof(double)}, transfer_);
    shown_ = log_likelihood_.data();
  }

  void anneal(double survival, double most) override {
    weights_.anneal(log_likelihood_.data(), count_, survival, most, memory_.data(), stream_);
  }

  void resample() override {
    rearrange_drawn();
    weights_.resample(settings_.resampling, count_, {settings_.seed, step_++, 0}, stream_);
    drawn_ = true;
    if (divided()) rearrange_drawn();
  }

  void refine(int count, double seconds) override {
    rearrange_drawn();
    weighed_.record(stream_);
    const int refined = std::min(count, count_);
    if (refined <= 0) return;
    weights_.select(log_likelihood_.data(), count_, refined, stream_);
    rearrange();
    // mostly the first part has them all
    const bool spread =
        exchange_.parts() > 1 &&
        slice_of(static_cast<std::size_t>(count_), 0, exchange_.parts()).size() < static_cast<std::size_t>(refined);
    if (spread) share_front(refined);
    settle(states_.data());
    if (exchange_.part() == 0) {
      refine_.refine(tiles_.view(), refine_settings(settings_, 1, noise_),
                     expected_pose(person_skeleton_, predicted_, seconds), states_.data(), refined, stream_);
      posed_ = false;
      weigh({0, static_cast<std::size_t>(refined)});
    }
    if (spread) exchange_.broadcast(states_.data(), static_cast<std::size_t>(refined) * state_bytes(), 0, transfer_);
    exchange_.broadcast(log_likelihood_.data(), static_cast<std::size_t>(refined) * sizeof(double), 0, transfer_);
    shown_ = log_likelihood_.data();
    weights_.normalise(log_likelihood_.data(), count_, refined, memory_.data(), stream_);
    // only the first part has the width of the peak
    if (exchange_.part() > 0)
      cuda::check(cudaMemsetAsync(&memory_.data()->peak, 0xff, sizeof(int), stream_), "clearing");
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
    gather_states();
    find_mean_.find(states_.data(), weights_.data(), log_likelihood_.data(), count_, refine_.information(), seconds,
                    memory_.data(), stream_);
    cuda::check(cudaMemcpyAsync(result_.data(), memory_.data(), sizeof(FrameResult), cudaMemcpyDeviceToHost, stream_),
                "downloading the mean");
    done_.record(stream_);
    stream_.wait();
    // the first part knows the width of the peak; the mean is the same for all
    exchange_.broadcast(result_.data()->joint_variance, sizeof result_.data()->joint_variance, 0);
    shown_ = nullptr;  // all have waited for their devices
    count_orders();
    const FrameResult& result = *result_.data();
    if (result.bad != ~0ull) {
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

  bool poses_apart() const override { return true; }

  void finish() override { stream_.wait(); }

  void set_velocity(std::span<const float> velocity) override {
    stream_.wait();
    velocity_.assign(velocity.begin(), velocity.end());
    cuda::check(cudaMemcpyAsync(memory_.data()->velocity, velocity_.data(), velocity_.size() * sizeof(float),
                                cudaMemcpyHostToDevice, stream_),
                "uploading a velocity");
    stream_.wait();
  }

  std::uint64_t exchanged_bytes() const override { return exchange_.bytes(); }

  std::vector<float> states() override {
    rearrange_drawn();
    gather_states();
    return download(states_, static_cast<std::size_t>(count_) * static_cast<std::size_t>(floats()));
  }
  std::vector<double> log_likelihoods() override {
    rearrange_drawn();
    return download(log_likelihood_, static_cast<std::size_t>(count_));
  }

private:
  int floats() const { return skeleton_.state(); }
  std::size_t state_bytes() const { return static_cast<std::size_t>(floats()) * sizeof(float); }
  bool divided() const { return exchange_.parts() > 1; }
  Slice own() const { return exchange_.own(static_cast<std::size_t>(count_)); }

  void gather_states() {
    exchange_.gather({states_.data(), static_cast<std::size_t>(count_), state_bytes()}, transfer_);
    shown_ = states_.data();
  }

  // Before an array is written that others may still be reading since the last exchange.
  void settle(const void* array) {
    if (array != shown_) return;
    exchange_.settle(transfer_);
    shown_ = nullptr;
  }

  // The states of the first `count` to all parts.
  void share_front(int count) {
    const auto all = static_cast<std::size_t>(count_), front = static_cast<std::size_t>(count);
    for (int p = 0; p < exchange_.parts(); ++p) {
      const Slice slice = slice_of(all, p, exchange_.parts());
      if (slice.begin >= front) break;
      exchange_.broadcast(states_.data() + slice.begin * static_cast<std::size_t>(floats()),
                          (std::min(slice.end, front) - slice.begin) * state_bytes(), p, transfer_);
    }
    shown_ = states_.data();
  }

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
    settle(states_.data());
    const float* factor = nullptr;
    if (settings_.motion == Motion::spatial) {
      factor = spatial_.factor(seconds * root_speed, seconds, memory_.data(), stream_);
    }
    // where all fit, the same kernel makes their skins; and it gathers those just drawn
    posed_ = own().size() <= turn();
    if (posed_) capsules_.reserve(own().size() * skin_floats());
    float* capsules = posed_ ? capsules_.data() : nullptr;
    const Moves moves = drawn_ ? Moves{weights_.index(),
                                       states_.data(),
                                       next_states_.data(),
                                       log_likelihood_.data(),
                                       next_log_likelihood_.data(),
                                       capsules}
                               : Moves{nullptr, states_.data(), states_.data(), nullptr, nullptr, capsules};
    move_particles(skeleton_, {settings_.seed, step_++, seconds, drift, block, factor, settings_.unperturbed_particle},
                   moves, own(), memory_.data(), stream_);
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

  // Where posed_, the skins are those of this slice.
  void weigh(Slice slice) {
    if (tiles_.tiles() == 0) {
      cuda::check(cudaMemsetAsync(log_likelihood_.data() + slice.begin, 0, slice.size() * sizeof(double), stream_),
                  "clearing");
      return;
    }
    const std::size_t most = turn();
    for (std::size_t first = slice.begin; first < slice.end; first += most) {
      const std::size_t some = std::min(most, slice.end - first);
      if (!posed_ || slice.size() > most) {
        capsules_.reserve(some * skin_floats());
        pose_particles(skeleton_, states_.data() + first * static_cast<std::size_t>(floats()), static_cast<int>(some),
                       capsules_.data(), stream_);
      }
      weigh_.weigh(tiles_.view(), capsules_.data(), some, static_cast<std::size_t>(skeleton_.capsules()),
                   log_likelihood_.data() + first, bad(), stream_, side_);
    }
  }

  // Particle j becomes particle index[j].
  void rearrange() {
    const SharedStates drawn = drawn_states();
    weights_.gather(count_, own(), floats(), drawn, log_likelihood_.data(), next_states_.data(),
                    next_log_likelihood_.data(), stream_);
    swap_states();
    posed_ = false;
  }

  // Where the states are that the particles of this part continue: with the parts that have them, if their memory can be read,
  // and otherwise here, where they are brought.
  SharedStates drawn_states() {
    SharedStates states;
    states.of_part[0] = states_.data();
    if (!divided()) return states;
    if (shares_) {
      const std::vector<const void*> all = exchange_.share(states_.data(), transfer_);
      shares_ = !all.empty() && all.size() <= most_shared_parts;
      if (shares_) {
        shown_ = states_.data();
        states.parts = exchange_.parts();
        for (std::size_t p = 0; p < all.size(); ++p) states.of_part[p] = static_cast<const float*>(all[p]);
        keep_order();
        return states;
      }
    }
    const auto count = static_cast<std::size_t>(count_);
    orders_.reserve(count);
    download_order(orders_.data());
    stream_.wait();
    exchange_.fetch({states_.data(), count, state_bytes()}, {orders_.data(), count}, transfer_);
    shown_ = states_.data();
    return states;
  }

  void download_order(int* to) {
    cuda::check(cudaMemcpyAsync(to, weights_.index(), static_cast<std::size_t>(count_) * sizeof(int),
                                cudaMemcpyDeviceToHost, stream_),
                "downloading indices");
  }

  // What the parts read of each other's memory is counted later: the host does not wait for it.
  void keep_order() {
    if (exchange_.part() != 0) return;
    if (kept_orders_ == most_orders) {
      stream_.wait();
      count_orders();
    }
    const auto count = static_cast<std::size_t>(count_);
    if (kept_orders_ == 0) orders_.reserve(most_orders * count);
    download_order(orders_.data() + kept_orders_++ * count);
  }
  void count_orders() {
    const auto count = static_cast<std::size_t>(count_);
    for (std::size_t i = 0; i < kept_orders_; ++i)
      exchange_.count_fetched({orders_.data() + i * count, count}, state_bytes());
    kept_orders_ = 0;
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
  Meeting alone_;           // of one, where particles are not divided
  Exchange& exchange_;
  TransferCuda transfer_;

  // where divided
  static constexpr std::size_t most_orders = 16;
  const void* shown_ = nullptr;     // what the last exchange of devices let others read
  bool shares_ = true;              // parts read each other's memory
  cuda::PinnedBuffer<int> orders_;  // which particle each one continues: of the last resamplings
  std::size_t kept_orders_ = 0;
};

}  // namespace

std::unique_ptr<Particles> make_particles_cuda(const Skeleton& skeleton, const TrackerSettings& settings) {
  return std::make_unique<ParticlesCuda>(skeleton, settings);
}

}  // namespace kinema::body
