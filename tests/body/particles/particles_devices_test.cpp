// Divided particles give the bits of undivided ones, and survive the loss of a part.
#include "body/particles/motion.h"
#include "body/particles/particles.h"
#include "core/device_failure.h"
#include "core/meeting.h"
#include "filter_scene.h"
#include "problems.h"
#include "tracker_scene.h"

#include <array>
#include <atomic>
#include <thread>

namespace kinema::body {
namespace {

constexpr double frame = 1.0 / 30;

struct Tracked {
  std::vector<float> states;
  std::vector<double> log_likelihoods;
  std::vector<Moments> moments;
  std::vector<PoseCandidate> refined;
  std::vector<double> weighed;
};

// Three frames as the tracker makes them, with everything that it asks of particles.
Tracked run_frames(const FilterScene& scene, Particles& particles, const TrackerSettings& settings, std::size_t count) {
  Tracked run;
  particles.set_points(scene.seen.view());
  particles.place(scene.perturbed(0.05, 0.02), count);
  for (int t = 0; t < 3; ++t) {
    particles.predict(frame);
    particles.set_points(scene.seen.view());
    for (int layer = 0; layer < 2; ++layer) {
      if (layer > 0) {
        particles.resample();
        particles.diffuse(frame / 2, -1);
      }
      particles.weigh();
      particles.anneal(layer == 0 ? 0.3 : 0, 0.05);
    }
    particles.refine(settings.refined, frame);
    run.refined = {{scene.perturbed(0.1, 0.02), {scene.state, {}}}, {scene.state, {scene.state, {}}}};
    for (PoseCandidate& pose : run.refined) {
      pose.prior.precision.assign(static_cast<std::size_t>(tangent_size(scene.kinematics)), 1.0);
    }
    particles.refine_poses(run.refined, refine_settings(settings, 1, {}), {500, 200});
    run.weighed = particles.weigh_poses(std::vector<std::vector<float>>{scene.state, particles.predicted()});
    run.moments.push_back(particles.moments(frame));
    if (t == 0) particles.resample();  // after the others the weights are carried
  }
  run.states = particles.states();
  run.log_likelihoods = particles.log_likelihoods();
  return run;
}

void expect_same_bits(const Tracked& one, const Tracked& other, const std::string& where) {
  EXPECT_EQ(one.states, other.states) << where;
  EXPECT_EQ(one.log_likelihoods, other.log_likelihoods) << where;
  EXPECT_EQ(one.weighed, other.weighed) << where;
  for (std::size_t i = 0; i < one.refined.size(); ++i) {
    EXPECT_EQ(one.refined[i].state, other.refined[i].state) << where;
    EXPECT_EQ(one.refined[i].cost, other.refined[i].cost) << where;
  }
  for (std::size_t t = 0; t < one.moments.size(); ++t) {
    EXPECT_EQ(one.moments[t].state, other.moments[t].state) << where << ", frame " << t;
    EXPECT_EQ(one.moments[t].joint_variance, other.moments[t].joint_variance) << where << ", frame " << t;
    EXPECT_EQ(one.moments[t].log_likelihood, other.moments[t].log_likelihood) << where;
    EXPECT_EQ(one.moments[t].effective_sample_size, other.moments[t].effective_sample_size) << where;
    EXPECT_EQ(one.moments[t].exponent, other.moments[t].exponent) << where;
  }
}

class ParticlesDevices : public OnBackend {
protected:
  ParticlesDevices() : scene_(default_human(), 80, 60) { settings_.seed = 3; }
  Compute in_parts(std::size_t parts) const { return {GetParam(), 0, std::vector<int>(parts, 0)}; }

  FilterScene scene_;
  TrackerSettings settings_;
};

TEST_P(ParticlesDevices, AnyNumberOfPartsGivesTheSameBits) {
  for (const Motion motion : {Motion::constant_velocity, Motion::spatial}) {
    for (const Resampling resampling : {Resampling::systematic, Resampling::residual}) {
      settings_.motion = motion;
      settings_.resampling = resampling;
      const Tracked one = run_frames(scene_, *make_particles(scene_.skeleton, settings_, GetParam()), settings_, 60);
      for (std::size_t parts : {1, 2, 3, 4, 7}) {
        const auto particles = make_particles(scene_.skeleton, settings_, in_parts(parts));
        expect_same_bits(one, run_frames(scene_, *particles, settings_, 60), std::to_string(parts) + " parts");
        EXPECT_EQ(particles->exchanged_bytes() > 0, parts > 1);
      }
    }
  }
}

TEST_P(ParticlesDevices, FewerParticlesThanParts) {
  const Tracked one = run_frames(scene_, *make_particles(scene_.skeleton, settings_, GetParam()), settings_, 3);
  expect_same_bits(one, run_frames(scene_, *make_particles(scene_.skeleton, settings_, in_parts(5)), settings_, 3),
                   "3 particles in 5 parts");
}

TEST_P(ParticlesDevices, OfUnweighedPointsAndWithoutRefinement) {
  settings_.refined = 0;
  const auto free = make_particles(scene_.skeleton, settings_, GetParam());
  const auto divided = make_particles(scene_.skeleton, settings_, in_parts(3));
  expect_same_bits(run_frames(scene_, *free, settings_, 20), run_frames(scene_, *divided, settings_, 20), "unrefined");
  divided->set_points({});
  divided->weigh();
  for (double value : divided->log_likelihoods()) EXPECT_EQ(value, 0);
}

TEST_P(ParticlesDevices, IsUsableAfterAnError) {
  const auto particles = make_particles(scene_.skeleton, settings_, in_parts(3));
  EXPECT_THROW(particles->set_points({nullptr, 5, {}}), Error);
  expect_same_bits(run_frames(scene_, *make_particles(scene_.skeleton, settings_, GetParam()), settings_, 30),
                   run_frames(scene_, *particles, settings_, 30), "after an error");
}

// Trackers in several threads that share particles, as processes under MPI do.
TEST_P(ParticlesDevices, TrackersThatShareParticlesGiveTheBitsOfOne) {
  TrackerSettings settings;
  settings.particles = 30;
  settings.lag = 2;
  const Skeleton person = default_human(1.7);
  const auto follow = [&](const TrackerSettings& of, const Compute& compute) {
    Tracker tracker(of, compute);
    std::vector<Estimate> all;
    all.reserve(6);
    for (int t = 0; t < 6; ++t) all.push_back(tracker.track(see(person, walking(person, t * frame)).view(), t * frame));
    for (Estimate& estimate : tracker.finish()) all.push_back(std::move(estimate));
    return all;
  };
  const auto same = [](const std::vector<Estimate>& one, const std::vector<Estimate>& other) {
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_TRUE(one[i].found);
      EXPECT_EQ(one[i].pose.angles, other[i].pose.angles) << i;
      EXPECT_EQ(one[i].deviation, other[i].deviation) << i;
      EXPECT_EQ(one[i].log_likelihood, other[i].log_likelihood) << i;
    }
  };
  const std::vector<Estimate> alone = follow(settings, GetParam());
  for (std::size_t parts : {2, 3}) {
    const std::vector<Estimate> found = follow(settings, in_parts(parts));
    same(alone, found);
    EXPECT_GT(found[3].exchanged_bytes, 0u);

    Meeting meeting(static_cast<int>(parts));
    std::vector<std::vector<Estimate>> each(parts);
    std::vector<std::thread> threads;
    for (std::size_t p = 0; p < parts; ++p) {
      threads.emplace_back([&, p] {
        TrackerSettings own = settings;
        own.exchange = {std::shared_ptr<void>(), &meeting.exchange(static_cast<int>(p))};
        each[p] = follow(own, GetParam());
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const auto& of_part : each) same(alone, of_part);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, ParticlesDevices, ::testing::Values(Backend::cpu, Backend::cuda), backend_name);

// Devices that have work which may read what another one has; and how often memory was freed meanwhile. Where devices
// begin again, the new parts may work before the last of the old ones is freed: they read each other only.
struct DeviceWork {
  struct Devices {
    std::array<std::atomic<bool>, 3> busy = {};
  };
  std::array<Devices, 2> before_and_after_loss = {};
  std::array<std::atomic<std::size_t>, 3> made = {};  // how often, by device
  std::atomic<int> freed_too_early = 0;
};

// Particles of a device that is lost in its n-th weighing.
class FailingParticles final : public Particles {
public:
  FailingParticles(std::unique_ptr<Particles> inner, int device, int calls, DeviceWork& work)
      : inner_(std::move(inner)),
        device_(device),
        calls_(calls),
        work_(work),
        devices_(work.before_and_after_loss.at(work.made[static_cast<std::size_t>(device)]++)) {}
  ~FailingParticles() override {
    for (const auto& busy : devices_.busy) work_.freed_too_early += busy;
  }
  FailingParticles(const FailingParticles&) = delete;
  FailingParticles& operator=(const FailingParticles&) = delete;

  PointCount set_points(PointsView points, const PointNoise& noise) override {
    return inner_->set_points(points, noise);
  }
  const PointNoise& noise() const override { return inner_->noise(); }
  void place(std::span<const float> state, std::size_t count) override { inner_->place(state, count); }
  void predict(double seconds) override { inner_->predict(seconds); }
  void diffuse(double seconds, int block) override { inner_->diffuse(seconds, block); }
  void weigh() override {
    if (calls_-- == 0) throw DeviceFailure("GPU " + std::to_string(device_) + " failed while weighing: it is lost");
    busy() = true;
    inner_->weigh();
  }
  void finish() override { busy() = false; }
  void anneal(double survival, double most) override { inner_->anneal(survival, most); }
  void resample() override { inner_->resample(); }
  void refine(int count, double seconds) override { inner_->refine(count, seconds); }
  Moments moments(double seconds) override { return inner_->moments(seconds); }
  const std::vector<float>& predicted() const override { return inner_->predicted(); }
  void refine_poses(std::span<PoseCandidate> poses, const RefineSettings& settings, PointShare share) override {
    inner_->refine_poses(poses, settings, share);
  }
  std::vector<double> weigh_poses(std::span<const std::vector<float>> states) override {
    return inner_->weigh_poses(states);
  }
  void set_velocity(std::span<const float> velocity) override { inner_->set_velocity(velocity); }
  std::vector<float> states() override { return inner_->states(); }
  std::vector<double> log_likelihoods() override { return inner_->log_likelihoods(); }

private:
  std::atomic<bool>& busy() { return devices_.busy[static_cast<std::size_t>(device_)]; }

  std::unique_ptr<Particles> inner_;
  int device_, calls_;
  DeviceWork& work_;
  DeviceWork::Devices& devices_;
};

class ParticlesLoss : public ::testing::Test {
protected:
  // Ten frames of somebody who walks. The first device is lost in weighing number `calls` of a part; -1: none is.
  std::vector<Moments> follow(int calls, bool leave) {
    for (auto& made : work_.made) made = 0;
    TrackerSettings settings;
    const Compute compute(Backend::cpu, 0, {0, 1, 2}, leave ? losses_ : nullptr);
    const auto particles =
        make_particles_devices(person_, settings, compute, [&](int device, const TrackerSettings& own) {
          return std::make_unique<FailingParticles>(make_particles_cpu(person_, own, Backend::cpu), device,
                                                    device == 0 ? calls : -1, work_);
        });
    particles->place(to_state(person_, walking(person_, 0)), 100);
    std::vector<Moments> all;
    for (int t = 1; t <= 10; ++t) {
      const SeenPoints seen = see(person_, walking(person_, t * frame));
      particles->predict(frame);
      particles->set_points(seen.view());
      particles->weigh();
      particles->anneal(0.3, 0.02);
      particles->resample();
      particles->diffuse(frame / 2, -1);
      particles->weigh();
      particles->anneal(0, 0.02);
      particles->refine(settings.refined, frame);
      all.push_back(particles->moments(frame));
    }
    return all;
  }

  double apart(const Moments& one, const Moments& other) {
    return mean_error(joint_positions(person_, to_pose(one.state)), joint_positions(person_, to_pose(other.state)));
  }

  const Skeleton person_ = default_human();
  DeviceWork work_;
  std::vector<std::string> lines_;
  std::shared_ptr<DeviceLosses> losses_ =
      std::make_shared<DeviceLosses>([this](const std::string& line) { lines_.push_back(line); });
};

TEST_F(ParticlesLoss, TheOthersGoOnWithoutAJump) {
  const std::vector<Moments> whole = follow(-1, true);
  EXPECT_TRUE(lines_.empty());
  const std::vector<Moments> lost = follow(2 * 5 + 1, true);  // in the second layer of the sixth frame
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_EQ(lines_[0], "GPU 0 failed while weighing: it is lost; the others take its part (2 left)");
  ASSERT_EQ(lost.size(), whole.size());
  for (std::size_t t = 0; t < 5; ++t) EXPECT_EQ(lost[t].state, whole[t].state) << t;
  // afterwards other random numbers are drawn: two seeds differ by a few millimetres too
  for (std::size_t t = 5; t < lost.size(); ++t) EXPECT_LT(apart(lost[t], whole[t]), 0.015) << t;
}

TEST_F(ParticlesLoss, NothingIsFreedThatAnotherDeviceMayRead) {
  follow(3, true);
  EXPECT_EQ(lines_.size(), 1u);
  EXPECT_EQ(work_.freed_too_early, 0);
  EXPECT_THROW(follow(3, false), Error);
  EXPECT_EQ(work_.freed_too_early, 0);
}

TEST_F(ParticlesLoss, WithoutLeaveItIsAnErrorThatNamesTheDevice) {
  try {
    follow(3, false);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.cause(), Error::Cause::running);
    EXPECT_EQ(std::string(error.what()), "GPU 0 failed while weighing: it is lost");
  }
}

}  // namespace
}  // namespace kinema::body
