// Particles that outlive the device on which they are. A device that fails may take them with it: the calls since the last
// mean are kept, and new particles, on the devices that are left, begin again at that mean with its velocity and repeat them.
#include "body/likelihood/kept_points.h"
#include "body/particles/particles.h"
#include "body/skeleton/joint_axes.h"
#include "core/cuda/device.h"
#include "core/device_failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace kinema::body {
namespace {

class ParticlesDevices final : public Particles {
public:
  ParticlesDevices(const Skeleton& skeleton, const Compute& compute, const MakeParticles& make)
      : flat_(skeleton),
        on_gpus_(compute.backend == Backend::cuda),
        devices_(compute.devices),
        losses_(compute.losses),
        make_(make) {
    call([](Particles&) {});
  }
  ~ParticlesDevices() override { free(); }
  ParticlesDevices(const ParticlesDevices&) = delete;
  ParticlesDevices& operator=(const ParticlesDevices&) = delete;

  PointCount set_points(PointsView points, const PointNoise& noise) override {
    PointCount count;
    call([&](Particles& particles) { count = particles.set_points(points, noise); });
    noise_ = noise;
    if (losses_) points_.emplace().set(points);
    return count;
  }
  const PointNoise& noise() const override { return noise_; }

  void place(std::span<const float> state, std::size_t count) override {
    call([&](Particles& particles) { particles.place(state, count); });
    count_ = count;
    mean_.assign(state.begin(), state.end());
    predicted_ = mean_;
    velocity_.assign(static_cast<std::size_t>(tangent_size(flat_.view())), 0);
    calls_.clear();
  }

  void predict(double seconds) override {
    keep([=](Particles& particles) { particles.predict(seconds); });
    predicted_ = particles_->predicted();
  }
  void diffuse(double seconds, int block) override {
    keep([=](Particles& particles) { particles.diffuse(seconds, block); });
  }
  void weigh() override {
    keep([](Particles& particles) { particles.weigh(); });
  }
  void anneal(double survival, double most) override {
    keep([=](Particles& particles) { particles.anneal(survival, most); });
  }
  void resample() override {
    keep([](Particles& particles) { particles.resample(); });
  }
  void refine(int count, double seconds) override {
    keep([=](Particles& particles) { particles.refine(count, seconds); });
  }

  Moments moments(double seconds) override {
    Moments moments;
    call([&](Particles& particles) { moments = particles.moments(seconds); });
    state_difference(flat_.view(), mean_.data(), moments.state.data(), velocity_.data());
    for (float& v : velocity_) v /= static_cast<float>(seconds);
    mean_ = moments.state;
    calls_.clear();
    return moments;
  }

  const std::vector<float>& predicted() const override { return predicted_; }

  void refine_poses(std::span<PoseCandidate> poses, const RefineSettings& settings, PointShare share) override {
    const std::vector<PoseCandidate> given(poses.begin(), poses.end());
    call([&](Particles& particles) {
      std::copy(given.begin(), given.end(), poses.begin());
      particles.refine_poses(poses, settings, share);
    });
  }

  std::vector<double> weigh_poses(std::span<const std::vector<float>> states) override {
    std::vector<double> found;
    call([&](Particles& particles) { found = particles.weigh_poses(states); });
    return found;
  }

  void set_velocity(std::span<const float> velocity) override {
    velocity_.assign(velocity.begin(), velocity.end());
    call([&](Particles& particles) { particles.set_velocity(velocity_); });
  }

  std::uint64_t exchanged_bytes() const override {
    return exchanged_before_ + (particles_ ? particles_->exchanged_bytes() : 0);
  }

  std::vector<float> states() override {
    std::vector<float> found;
    call([&](Particles& particles) { found = particles.states(); });
    return found;
  }
  std::vector<double> log_likelihoods() override {
    std::vector<double> found;
    call([&](Particles& particles) { found = particles.log_likelihoods(); });
    return found;
  }

private:
  using Call = std::function<void(Particles&)>;

  // Those that have not failed.
  std::vector<int> left() const {
    std::vector<int> left;
    for (std::size_t at = 0; at < devices_.size(); ++at)
      if (!losses_ || !losses_->lost(at)) left.push_back(devices_[at]);
    return left;
  }

  // For as long as the result lives.
  std::unique_ptr<cuda::DeviceGuard> use_device() const {
    return on_gpus_ ? std::make_unique<cuda::DeviceGuard>(device_) : nullptr;
  }

  // On the device of the particles; where one fails, again without it.
  void call(const Call& one) {
    for (;;) {
      if (!particles_) {
        const std::vector<int> devices = left();
        if (devices.empty()) throw DeviceFailure("every device has failed: nothing is left to compute with");
        device_ = devices.front();
      }
      try {
        const auto used = use_device();
        if (!particles_) begin();
        return one(*particles_);
      } catch (const DeviceFailure& failure) {
        free();
        leave_out(failure);
      }
    }
  }

  // A call that is repeated where a device fails before the next mean.
  void keep(Call one) {
    call(one);
    if (losses_) calls_.push_back(std::move(one));
  }

  // At the last mean, if there is one.
  void begin() {
    particles_ = make_(left());
    if (points_) particles_->set_points(points_->view(), noise_);
    if (count_ == 0) return;
    particles_->place(mean_, count_);
    particles_->set_velocity(velocity_);
    for (const Call& one : calls_) one(*particles_);
  }

  void free() {
    if (!particles_) return;
    exchanged_before_ += particles_->exchanged_bytes();
    try {
      const auto used = use_device();
      particles_.reset();
    } catch (const DeviceFailure&) {
      particles_.reset();  // of a device that is lost nothing is left
    }
  }

  void leave_out(const DeviceFailure& failure) {
    if (!losses_) throw failure;
    const int failed = failure.device().value_or(device_);
    std::vector<std::size_t> lost;
    std::size_t others = 0;
    for (std::size_t at = 0; at < devices_.size(); ++at) {
      if (losses_->lost(at)) continue;
      if (devices_[at] == failed) {
        lost.push_back(at);
      } else {
        ++others;
      }
    }
    if (others == 0 || lost.empty()) throw failure;
    for (const std::size_t at : lost)
      losses_->add(at, fmt::format("{}; the others take its part ({} left)", failure.what(), others));
  }

  FlatSkeleton flat_;
  bool on_gpus_;  // else devices are a matter of words: for tests
  std::vector<int> devices_;
  std::shared_ptr<DeviceLosses> losses_;  // null: a failure is an error
  MakeParticles make_;
  std::unique_ptr<Particles> particles_;
  int device_ = 0;  // where they are
  std::optional<KeptPoints> points_;
  PointNoise noise_;
  std::size_t count_ = 0;
  std::vector<float> mean_, velocity_;  // the last ones
  std::vector<float> predicted_;
  std::vector<Call> calls_;             // since then
  std::uint64_t exchanged_before_ = 0;  // by particles that were lost
};

}  // namespace

std::unique_ptr<Particles> make_particles_devices(const Skeleton& skeleton, const Compute& compute,
                                                  const MakeParticles& make) {
  return std::make_unique<ParticlesDevices>(skeleton, compute, make);
}

}  // namespace kinema::body
