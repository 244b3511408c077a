// Particles that several devices or processes weigh have the bits of those weighed by one, and survive the loss of a device.
#include "body/particles/motion.h"
#include "body/particles/particles.h"
#include "core/device_failure.h"
#include "filter_scene.h"
#include "problems.h"
#include "tracker_scene.h"

#include <algorithm>

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

// A likelihood that somebody else computes, sample by sample and from the last to the first.
class Helped final : public Likelihood {
public:
  explicit Helped(std::unique_ptr<Likelihood> own) : own_(std::move(own)) {}
  PointCount set_points(PointsView points) override { return own_->set_points(points); }
  void evaluate(CapsulesView capsules, std::span<double> out) override {
    for (std::size_t j = capsules.rows; j-- > 0;)
      own_->evaluate({capsules.row(j), 1, capsules.columns, capsules.depth}, out.subspan(j, 1));
    exchanged_ += capsules.rows;
  }
  std::uint64_t exchanged_bytes() const override { return exchanged_; }

private:
  std::unique_ptr<Likelihood> own_;
  std::uint64_t exchanged_ = 0;
};

TEST_P(ParticlesDevices, WeighedByOthersTheyHaveTheSameBits) {
  const Tracked one = run_frames(scene_, *make_particles(scene_.skeleton, settings_, GetParam()), settings_, 30);
  int made = 0;
  settings_.share_weighing = [&](const LikelihoodSettings& settings, std::unique_ptr<Likelihood> own) {
    ++made;
    EXPECT_EQ(settings.sigma, settings_.likelihood.sigma);
    return std::make_unique<Helped>(std::move(own));
  };
  const auto particles = make_particles(scene_.skeleton, settings_, GetParam());
  EXPECT_EQ(made, 1);
  expect_same_bits(one, run_frames(scene_, *particles, settings_, 30), "weighed by others");
  EXPECT_GT(particles->exchanged_bytes(), 0u);
}

TEST_P(ParticlesDevices, ATrackerGivesTheBitsOfOneDevice) {
  TrackerSettings settings;
  settings.particles = 30;
  settings.lag = 2;
  const Skeleton person = default_human(1.7);
  const auto follow = [&](const Compute& compute) {
    Tracker tracker(settings, compute);
    std::vector<Estimate> all;
    all.reserve(6);
    for (int t = 0; t < 6; ++t) all.push_back(tracker.track(see(person, walking(person, t * frame)).view(), t * frame));
    for (Estimate& estimate : tracker.finish()) all.push_back(std::move(estimate));
    return all;
  };
  const std::vector<Estimate> alone = follow(GetParam());
  for (std::size_t parts : {2, 3}) {
    const std::vector<Estimate> found = follow(in_parts(parts));
    ASSERT_EQ(found.size(), alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      EXPECT_TRUE(alone[i].found);
      EXPECT_EQ(alone[i].pose.angles, found[i].pose.angles) << i;
      EXPECT_EQ(alone[i].deviation, found[i].deviation) << i;
      EXPECT_EQ(alone[i].log_likelihood, found[i].log_likelihood) << i;
    }
    EXPECT_GT(found[3].exchanged_bytes, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, ParticlesDevices, ::testing::Values(Backend::cpu, Backend::cuda), backend_name);

// Particles that lose one of their devices in their n-th weighing.
class FailingParticles final : public Particles {
public:
  FailingParticles(std::unique_ptr<Particles> inner, int device, int calls)
      : inner_(std::move(inner)), device_(device), calls_(calls) {}

  PointCount set_points(PointsView points, const PointNoise& noise) override {
    return inner_->set_points(points, noise);
  }
  const PointNoise& noise() const override { return inner_->noise(); }
  void place(std::span<const float> state, std::size_t count) override { inner_->place(state, count); }
  void predict(double seconds) override { inner_->predict(seconds); }
  void diffuse(double seconds, int block) override { inner_->diffuse(seconds, block); }
  void weigh() override {
    if (calls_-- == 0)
      throw DeviceFailure("GPU " + std::to_string(device_) + " failed while weighing: it is lost", device_);
    inner_->weigh();
  }
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
  std::unique_ptr<Particles> inner_;
  int device_, calls_;
};

class ParticlesLoss : public ::testing::Test {
protected:
  // Ten frames of somebody who walks. `failing`, one of the devices 0, 1 and 2, is lost in weighing number `calls`; -1: none.
  std::vector<Moments> follow(int failing, int calls, bool leave) {
    const TrackerSettings settings;
    const Compute compute(Backend::cpu, 0, {0, 1, 2}, leave ? losses_ : nullptr);
    const auto particles = make_particles_devices(person_, compute, [&](const std::vector<int>& devices) {
      made_.push_back(devices);
      const bool fails = std::count(devices.begin(), devices.end(), failing) > 0;
      return std::make_unique<FailingParticles>(make_particles_cpu(person_, settings, Backend::cpu), failing,
                                                fails ? calls : -1);
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
  std::vector<std::vector<int>> made_;  // on which devices, each time
  std::vector<std::string> lines_;
  std::shared_ptr<DeviceLosses> losses_ =
      std::make_shared<DeviceLosses>([this](const std::string& line) { lines_.push_back(line); });
};

// The first device, where the particles are, or one that weighs: what is lost is the same.
TEST_F(ParticlesLoss, TheOthersGoOnWithoutAJump) {
  const std::vector<Moments> whole = follow(0, -1, true);
  EXPECT_TRUE(lines_.empty());
  for (const int failing : {0, 1}) {
    losses_ = std::make_shared<DeviceLosses>([this](const std::string& line) { lines_.push_back(line); });
    lines_.clear();
    made_.clear();
    const std::vector<Moments> lost = follow(failing, 2 * 5 + 1, true);  // in the second layer of the sixth frame
    ASSERT_EQ(lines_.size(), 1u);
    EXPECT_EQ(lines_[0], "GPU " + std::to_string(failing) +
                             " failed while weighing: it is lost; the others take its part (2 left)");
    EXPECT_EQ(made_, (std::vector<std::vector<int>>{{0, 1, 2}, failing == 0 ? std::vector{1, 2} : std::vector{0, 2}}));
    ASSERT_EQ(lost.size(), whole.size());
    for (std::size_t t = 0; t < 5; ++t) EXPECT_EQ(lost[t].state, whole[t].state) << t;
    // afterwards other random numbers are drawn: two seeds differ by a few millimetres too
    for (std::size_t t = 5; t < lost.size(); ++t) EXPECT_LT(apart(lost[t], whole[t]), 0.015) << t;
  }
}

TEST_F(ParticlesLoss, WhereNoneIsLeftItIsAnError) {
  losses_->add(1, "GPU 1 failed");
  losses_->add(2, "GPU 2 failed");
  EXPECT_THROW(follow(0, 3, true), DeviceFailure);
  EXPECT_EQ(made_, (std::vector<std::vector<int>>{{0}}));
  losses_->add(0, "GPU 0 failed");
  EXPECT_THROW(follow(0, 3, true), DeviceFailure);
}

TEST_F(ParticlesLoss, WithoutLeaveItIsAnErrorThatNamesTheDevice) {
  try {
    follow(0, 3, false);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.cause(), Error::Cause::running);
    EXPECT_EQ(std::string(error.what()), "GPU 0 failed while weighing: it is lost");
  }
}

}  // namespace
}  // namespace kinema::body
