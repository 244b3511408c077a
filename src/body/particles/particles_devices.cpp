// Particles divided among several devices of one process: one worker thread each, which makes the same calls on its part
// of the particles. They tell each other log-likelihoods and the states that resampling moves (core/meeting.h), so that
// the bits are those of one device.
//
// A device that fails takes its particles with it. The calls since the last mean are kept: the others begin again at
// that mean and its velocity, with the particles divided anew, and make these calls once more.
#include "body/likelihood/likelihood_backends.h"
#include "body/particles/motion.h"
#include "body/particles/particles.h"
#include "body/skeleton/joint_axes.h"
#include "core/cuda/device.h"
#include "core/device_parts.h"
#include "core/meeting.h"

#include <utility>

namespace kinema::body {
namespace {

// Data of the caller, for calls that run after it has returned.
struct KeptPoints {
  explicit KeptPoints(PointsView view)
      : xyz(view.xyz, view.xyz + 3 * view.size),
        background(view.background.begin(), view.background.end()),
        deviation(view.deviation.begin(), view.deviation.end()) {}
  PointsView view() const { return {xyz.data(), xyz.size() / 3, background, deviation}; }

  std::vector<float> xyz;
  std::vector<std::uint8_t> background;
  std::vector<float> deviation;
};

class ParticlesDevices final : public Particles {
public:
  ParticlesDevices(const Skeleton& skeleton, const TrackerSettings& settings, const Compute& compute,
                   const MakeParticlesPart& make_part)
      : settings_(settings), flat_(skeleton), make_part_(make_part), parts_(compute.devices, compute.losses) {
    parts_.on_failure([this] { meeting_->end(); });
    make();
    wait();
  }

  PointCount set_points(PointsView points, const PointNoise& noise) override {
    check_points(points);
    noise_ = noise;
    const auto count = std::make_shared<std::vector<PointCount>>(room());
    PointsView view = points;
    std::shared_ptr<const KeptPoints> kept;
    if (parts_.recovers()) {
      kept = std::make_shared<const KeptPoints>(points);
      view = kept->view();
    }
    points_call_ = [view, kept, noise, count](Particles& particles, int part) {
      (*count)[static_cast<std::size_t>(part)] = particles.set_points(view, noise);
    };
    each(points_call_);
    wait();
    return count->front();
  }
  const PointNoise& noise() const override { return noise_; }

  void place(std::span<const float> state, std::size_t count) override {
    count_ = count;
    mean_.assign(state.begin(), state.end());
    velocity_.assign(static_cast<std::size_t>(tangent_size(flat_.view())), 0);
    predicted_ = mean_;
    calls_.clear();
    each([state = mean_, count](Particles& particles, int) { particles.place(state, count); });
  }

  void predict(double seconds) override {
    // as the parts do it, which may be waiting for their devices
    const double keep = velocity_kept(settings_.motion) * seconds;
    std::vector<float> drift;
    for (float v : velocity_) drift.push_back(static_cast<float>(keep * v));
    predicted_ = mean_;
    move_state(flat_.view(), drift.data(), predicted_.data());
    each([seconds](Particles& particles, int) { particles.predict(seconds); });
  }
  void diffuse(double seconds, int block) override {
    each([seconds, block](Particles& particles, int) { particles.diffuse(seconds, block); });
  }
  void weigh() override {
    each([](Particles& particles, int) { particles.weigh(); });
  }
  void anneal(double survival, double most) override {
    each([survival, most](Particles& particles, int) { particles.anneal(survival, most); });
  }
  void resample() override {
    each([](Particles& particles, int) { particles.resample(); });
  }
  void refine(int count, double seconds) override {
    each([count, seconds](Particles& particles, int) { particles.refine(count, seconds); });
  }

  Moments moments(double seconds) override {
    const auto found = std::make_shared<std::vector<Moments>>(room());
    each([found, seconds](Particles& particles, int part) {
      (*found)[static_cast<std::size_t>(part)] = particles.moments(seconds);
    });
    wait();
    Moments moments = std::move(found->front());
    state_difference(flat_.view(), mean_.data(), moments.state.data(), velocity_.data());
    for (float& v : velocity_) v /= static_cast<float>(seconds);
    mean_ = moments.state;
    calls_.clear();
    return moments;
  }

  const std::vector<float>& predicted() const override { return predicted_; }

  void refine_poses(std::span<PoseCandidate> poses, const RefineSettings& settings, PointShare share) override {
    if (parts_[0].poses_apart()) {
      refine_apart(poses, settings, share);
      return;
    }
    using Candidates = std::vector<PoseCandidate>;
    const auto all = std::make_shared<std::vector<Candidates>>(room(), Candidates(poses.begin(), poses.end()));
    const Candidates given(poses.begin(), poses.end());
    each([all, given, settings, share](Particles& particles, int part) {
      Candidates& own = (*all)[static_cast<std::size_t>(part)] = given;
      particles.refine_poses(own, settings, share);
    });
    wait();
    std::move(all->front().begin(), all->front().end(), poses.begin());
  }

  std::vector<double> weigh_poses(std::span<const std::vector<float>> states) override {
    if (parts_[0].poses_apart()) return weigh_apart(states);
    const auto found = std::make_shared<std::vector<std::vector<double>>>(room());
    const std::vector<std::vector<float>> given(states.begin(), states.end());
    each([found, given](Particles& particles, int part) {
      (*found)[static_cast<std::size_t>(part)] = particles.weigh_poses(given);
    });
    wait();
    return std::move(found->front());
  }

  void set_velocity(std::span<const float> velocity) override {
    velocity_.assign(velocity.begin(), velocity.end());
    each([given = velocity_](Particles& particles, int) { particles.set_velocity(given); });
  }

  std::uint64_t exchanged_bytes() const override { return before_ + (meeting_ ? meeting_->exchange(0).bytes() : 0); }

  std::vector<float> states() override {
    const auto found = std::make_shared<std::vector<std::vector<float>>>(room());
    each([found](Particles& particles, int part) { (*found)[static_cast<std::size_t>(part)] = particles.states(); });
    wait();
    return std::move(found->front());
  }
  std::vector<double> log_likelihoods() override {
    wait();
    return parts_[0].log_likelihoods();
  }

private:
  using Call = std::function<void(Particles&, int part)>;

  // For a result of each part.
  std::size_t room() const { return static_cast<std::size_t>(parts_.count()); }

  void make() {
    if (meeting_) before_ += meeting_->exchange(0).bytes();
    meeting_ = std::make_shared<Meeting>(parts_.count());
    parts_.make([this, meeting = meeting_](int device, int part, int) {
      TrackerSettings settings = settings_;
      settings.exchange = {meeting, &meeting->exchange(part)};
      return make_part_(device, settings);
    });
  }

  void each(Call call) {
    parts_.each(call);
    if (parts_.recovers()) calls_.push_back(std::move(call));
  }

  // Until all calls are done, by the devices that are left where some failed.
  void wait() {
    try {
      while (!parts_.wait()) begin_again();
    } catch (const DeviceFailure&) {
      throw;
    } catch (...) {
      // a part that throws leaves the others in the middle of a call; the points may be the caller's no longer
      calls_.clear();
      points_call_ = nullptr;
      begin_again();
      if (!parts_.wait()) throw DeviceFailure("a device has failed");
      throw;
    }
  }

  // With new parts, at the last mean.
  void begin_again() {
    make();
    if (points_call_) parts_.each(points_call_);
    if (count_ > 0) {
      parts_.each([state = mean_, count = count_, velocity = velocity_](Particles& particles, int) {
        particles.place(state, count);
        particles.set_velocity(velocity);
      });
    }
    for (const Call& call : calls_) parts_.each(call);
  }

  // In this thread, while the devices weigh particles.
  void refine_apart(std::span<PoseCandidate> poses, const RefineSettings& settings, PointShare share) {
    const std::vector<PoseCandidate> given(poses.begin(), poses.end());
    for (;;) {
      try {
        const cuda::DeviceGuard guard(parts_.device(0));
        parts_[0].refine_poses(poses, settings, share);
        return;
      } catch (const DeviceFailure&) {
        std::copy(given.begin(), given.end(), poses.begin());
        leave_out_first();
      }
    }
  }

  std::vector<double> weigh_apart(std::span<const std::vector<float>> states) {
    for (;;) {
      try {
        const cuda::DeviceGuard guard(parts_.device(0));
        return parts_[0].weigh_poses(states);
      } catch (const DeviceFailure&) {
        leave_out_first();
      }
    }
  }

  // The first device has failed outside its own thread: it fails there too, and the others go on, or this throws.
  void leave_out_first() {
    const std::exception_ptr failure = std::current_exception();
    parts_.each([failure](Particles&, int part) {
      if (part == 0) std::rethrow_exception(failure);
    });
    wait();
  }

  TrackerSettings settings_;  // of a part
  FlatSkeleton flat_;
  MakeParticlesPart make_part_;
  PointNoise noise_;
  std::size_t count_ = 0;
  std::vector<float> mean_, velocity_;  // the last ones
  std::vector<float> predicted_;
  std::vector<Call> calls_;   // since then
  Call points_call_;          // the last set_points()
  std::uint64_t before_ = 0;  // exchanged by parts that were replaced
  std::shared_ptr<Meeting> meeting_;
  DeviceParts<Particles> parts_;  // last: its threads use the others
};

}  // namespace

std::unique_ptr<Particles> make_particles_devices(const Skeleton& skeleton, const TrackerSettings& settings,
                                                  const Compute& compute, const MakeParticlesPart& make_part) {
  return std::make_unique<ParticlesDevices>(skeleton, settings, compute, make_part);
}

}  // namespace kinema::body
