// What a particle filter does with a set of poses, on every backend.
#include "body/particles/particles.h"
#include "bench/body/tracker_problem.h"
#include "body/particles/mean_state.h"
#include "body/particles/motion.h"
#include "body/particles/weights.h"
#include "body/skeleton/joint_axes.h"
#include "filter_scene.h"
#include "problems.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace kinema::body {
namespace {

class Filter : public OnBackend {
protected:
  Filter() : scene_(default_human(), 80, 60) { settings_.seed = 11; }

  std::unique_ptr<Particles> make(std::size_t count) const { return scene_.make(settings_, GetParam(), count); }

  // Spread about the true pose as in a frame, and weighed.
  std::unique_ptr<Particles> weighed(std::size_t count, double survival) const {
    auto particles = make(count);
    particles->diffuse(frame, -1);
    particles->weigh();
    particles->anneal(survival, 1);
    return particles;
  }

  static constexpr double frame = 1.0 / 30;
  FilterScene scene_;
  TrackerSettings settings_;
};

TEST_P(Filter, WeighsTheSkinOfEveryPose) {
  const auto particles = make(50);
  particles->diffuse(frame, -1);
  particles->weigh();
  const std::vector<float> states = particles->states();
  std::vector<float> capsules;
  for (std::size_t j = 0; j < 50; ++j) {
    const std::vector<float> own = pose_capsules(scene_.skeleton, to_pose(scene_.state_of(states, j)));
    capsules.insert(capsules.end(), own.begin(), own.end());
  }
  const auto likelihood = make_likelihood(settings_.likelihood, GetParam());
  likelihood->set_points(scene_.seen.view());
  std::vector<double> expected(50);
  likelihood->evaluate({capsules.data(), 50, scene_.skeleton.capsules.size(), capsule_floats}, expected);
  const std::vector<double> found = particles->log_likelihoods();
  // sines of host and device differ in the last bit, a capsule then by 1e-6 m, far less than the distances
  for (std::size_t j = 0; j < 50; ++j) EXPECT_NEAR(found[j], expected[j], 1e-4 * std::fabs(expected[j]) + 1e-6) << j;
}

TEST_P(Filter, NoPointsWeighNothing) {
  const auto particles = make(5);
  particles->set_points({});
  particles->weigh();
  for (double value : particles->log_likelihoods()) EXPECT_EQ(value, 0);
}

TEST_P(Filter, DiffusionHasItsDeviations) {
  constexpr std::size_t count = 4000;
  for (const Motion motion : {Motion::random_walk, Motion::spatial}) {
    settings_.motion = motion;
    const auto particles = make(count);
    const std::vector<float> start = scene_.middle();  // far from all limits
    particles->place(start, count);
    particles->diffuse(0.01, -1);
    const std::vector<float> states = particles->states();
    EXPECT_EQ(scene_.state_of(states, 0), start);
    std::vector<double> expected;
    const std::vector<float> walk = walk_deviation(scene_.skeleton, 0.01);
    const auto size = walk.size();
    if (motion == Motion::spatial) {
      const std::vector<float> factor = spatial_factor(scene_.kinematics, start, 0.01 * root_speed, walk);
      for (std::size_t i = 0; i < size; ++i) {
        double sum = 0;
        for (std::size_t l = 0; l < size; ++l) sum += static_cast<double>(factor[i * size + l]) * factor[i * size + l];
        expected.push_back(std::sqrt(sum));
      }
    } else {
      expected.assign(walk.begin(), walk.end());
    }
    std::vector<double> squares(size, 0), sums(size, 0);
    std::vector<float> away(size);
    for (std::size_t j = 1; j < count; ++j) {
      state_difference(scene_.kinematics, start.data(), scene_.state_of(states, j).data(), away.data());
      for (std::size_t i = 0; i < size; ++i) {
        sums[i] += away[i];
        squares[i] += static_cast<double>(away[i]) * away[i];
      }
    }
    // five of the sample's own deviations: 5 / sqrt(2 n) of a deviation, 5 / sqrt(n) of a mean
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_NEAR(std::sqrt(squares[i] / count) / expected[i], 1, 0.056) << i;
      EXPECT_NEAR(sums[i] / count / expected[i], 0, 0.08) << i;
    }
  }
}

TEST_P(Filter, DiffusionKeepsLimits) {
  const auto particles = make(300);
  particles->diffuse(0.5, -1);
  const std::vector<float> states = particles->states();
  for (std::size_t j = 0; j < 300; ++j) {
    const std::vector<float> state = scene_.state_of(states, j);
    for (int i = 0; i < scene_.kinematics.angle_count; ++i) {
      EXPECT_GE(state[static_cast<std::size_t>(root_floats + i)], scene_.kinematics.lower[i]);
      EXPECT_LE(state[static_cast<std::size_t>(root_floats + i)], scene_.kinematics.upper[i]);
    }
    EXPECT_NEAR(state[3] * state[3] + state[4] * state[4] + state[5] * state[5] + state[6] * state[6], 1, 1e-6);
  }
}

TEST_P(Filter, DiffusionOfALimbMovesNothingElse) {
  const LimbBlocks blocks = limb_blocks(scene_.skeleton);
  for (std::size_t block = 0; block < blocks.moves.size(); ++block) {
    const auto particles = make(4);
    const std::vector<float> before = scene_.middle();
    particles->place(before, 4);
    particles->diffuse(frame, static_cast<int>(block));
    const std::vector<float> after = scene_.state_of(particles->states(), 2);
    for (std::size_t i = 0; i < scene_.skeleton.angle_count(); ++i) {
      EXPECT_EQ(after[root_floats + i] != before[root_floats + i], blocks.moves[block][root_tangent + i] != 0);
    }
    EXPECT_EQ(after[0] != before[0], block == 0);
  }
}

TEST_P(Filter, PredictionGoesOnWithTheVelocity) {
  settings_.motion = Motion::constant_velocity;
  const auto particles = make(20);
  const std::vector<float> start = scene_.middle();
  particles->place(start, 20);
  particles->diffuse(0.05, -1);
  const Moments moments = particles->moments(0.1);
  particles->predict(0.05);
  // the first did not wander: it went on for half of the time, with most of the velocity
  const std::vector<float> first = scene_.state_of(particles->states(), 0);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (i >= 3 && i < 7) continue;
    const double velocity = (moments.state[i] - start[i]) / 0.1;
    EXPECT_NEAR(first[i], start[i] + velocity_kept(settings_.motion) * 0.05 * velocity, 1e-5) << i;
  }
}

TEST_P(Filter, AnnealingLeavesTheShare) {
  for (const double survival : {0.1, 0.3, 0.7}) {
    const Moments moments = weighed(1500, survival)->moments(frame);
    EXPECT_LT(moments.exponent, 1);
    EXPECT_NEAR(moments.effective_sample_size, survival * 1500, 0.05);  // single precision knows the size to 1e-5
  }
  EXPECT_EQ(weighed(100, 0)->moments(frame).exponent, 1);
}

TEST_P(Filter, ResamplingIsUnbiased) {
  constexpr std::size_t count = 200, repeats = 20;
  const FilterScene coarse(default_human(), 40, 30);
  for (const Resampling scheme :
       {Resampling::systematic, Resampling::stratified, Resampling::residual, Resampling::multinomial}) {
    settings_.resampling = scheme;
    const auto particles = coarse.make(settings_, GetParam(), count);
    double more = 0;
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
      particles->place(coarse.state, count);
      particles->diffuse(frame, -1);
      particles->weigh();
      particles->anneal(0.2, 1);
      const std::vector<double> before = particles->log_likelihoods();
      std::vector<double> weight(count);
      normalise(before, particles->moments(frame).exponent, std::vector<double>(count, 0), weight);
      particles->resample();
      std::map<double, double> copies;
      for (double value : particles->log_likelihoods()) ++copies[value];
      double expected_even = 0, even = 0;
      for (std::size_t j = 0; j < count; ++j) {
        const double expected = count * weight[j], found = copies[before[j]];
        // what each scheme promises of a single particle
        const double most_off = scheme == Resampling::systematic ? 1 : scheme == Resampling::stratified ? 2 : count;
        EXPECT_LT(std::fabs(found - expected), most_off + 1e-6);
        EXPECT_GE(found, scheme == Resampling::residual ? std::floor(expected - 1e-6) : 0);
        if (j % 2 == 0) expected_even += expected, even += found;
      }
      more += even - expected_even;
    }
    // of 200 draws at most 7 is the deviation of half of them; five of the mean's own
    EXPECT_LT(std::fabs(more) / repeats, 5 * 7.1 / std::sqrt(repeats));
  }
}

TEST_P(Filter, ResamplingLeavesEqualWeights) {
  const auto particles = weighed(300, 0.2);
  particles->resample();
  EXPECT_NEAR(particles->moments(frame).effective_sample_size, 300, 1e-9);
}

TEST_P(Filter, WeightsAreCarriedUntilParticlesAreResampled) {
  constexpr std::size_t count = 200;
  constexpr double exponent = 0.004;  // leaves many particles effective, for some frames
  settings_.motion = Motion::random_walk;
  const auto particles = make(count);
  std::vector<double> logs(count, 0), weight(count);
  const auto expect_weights = [&](const Moments& moments) {
    normalise(logs, exponent, std::vector<double>(count, 0), weight);
    // the same numbers, multiplied here and added there
    EXPECT_NEAR(moments.effective_sample_size, effective_sample_size(weight), 1e-6 * count);
    const std::vector<float> mean = mean_state(scene_.kinematics, particles->states(), weight);
    for (std::size_t i = 0; i < mean.size(); ++i) EXPECT_NEAR(moments.state[i], mean[i], 1e-5) << i;  // sines
  };
  const auto track = [&] {
    particles->predict(0.3 * frame);
    particles->weigh();
    particles->anneal(0, exponent);
    const std::vector<double> own = particles->log_likelihoods();
    for (std::size_t j = 0; j < count; ++j) logs[j] += own[j];
    expect_weights(particles->moments(frame));
  };
  for (int t = 0; t < 3; ++t) track();
  EXPECT_LT(effective_sample_size(weight), 0.95 * count) << "else the test shows nothing";
  particles->resample();
  logs.assign(count, 0);
  for (int t = 0; t < 2; ++t) track();
  particles->place(scene_.state, count);
  logs.assign(count, 0);
  track();
}

TEST_P(Filter, RefinedParticlesKeepTheWeightsThatTheyCarry) {
  constexpr std::size_t count = 100, refined = 3;
  constexpr double exponent = 0.01;
  settings_.motion = Motion::random_walk;
  settings_.refine_steps = 2;
  const auto particles = make(count);
  std::vector<double> carried(count), weight(count);
  for (int t = 0; t < 2; ++t) {
    particles->predict(0.3 * frame);
    particles->weigh();
    particles->anneal(0, exponent);
    if (t > 0) break;
    const std::vector<double> logs = particles->log_likelihoods();
    for (std::size_t j = 0; j < count; ++j) carried[j] = exponent * logs[j];
    particles->moments(frame);
  }
  // the best come to the front, the others keep their order
  const std::vector<double> before = particles->log_likelihoods();
  std::vector<std::size_t> order(count);
  for (std::size_t j = 0; j < count; ++j) order[j] = j;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return before[a] > before[b]; });
  std::sort(order.begin() + refined, order.end());
  particles->refine(static_cast<int>(refined), frame);
  std::vector<double> own(count);
  for (std::size_t j = 0; j < count; ++j) own[j] = carried[order[j]];
  normalise(particles->log_likelihoods(), exponent, own, weight);
  EXPECT_NEAR(particles->moments(frame).effective_sample_size, effective_sample_size(weight), 1e-6 * count);
}

TEST_P(Filter, AnnealingLeavesTheShareOfWhatIsCarried) {
  const auto particles = weighed(1500, 0.6);
  const double carried = particles->moments(frame).effective_sample_size;
  particles->predict(frame);
  particles->weigh();
  particles->anneal(0.3, 1);
  // single precision knows the size to 1e-5
  EXPECT_NEAR(particles->moments(frame).effective_sample_size, 0.3 * carried, 0.05);
}

TEST_P(Filter, SamplesEveryParticleWhereNoneIsToRest) {
  settings_.unperturbed_particle = false;
  const auto particles = make(3);
  particles->predict(frame);
  EXPECT_NE(scene_.state_of(particles->states(), 0), scene_.state);
}

TEST_P(Filter, WithoutFreeSpaceOnlyThePersonIsWeighed) {
  settings_.likelihood.free_space = false;
  const PointsView all = scene_.seen.view();
  std::vector<float> person;
  for (std::size_t i = 0; i < all.size; ++i) {
    if (all.background[i] == 0) person.insert(person.end(), all.xyz + 3 * i, all.xyz + 3 * i + 3);
  }
  ASSERT_LT(person.size() / 3, all.size);
  const auto marked = make(5), alone = make(5);
  alone->set_points({person.data(), person.size() / 3, {}});
  for (Particles* particles : {marked.get(), alone.get()}) {
    particles->diffuse(frame, -1);
    particles->weigh();
  }
  EXPECT_EQ(marked->log_likelihoods(), alone->log_likelihoods());
}

TEST_P(Filter, MeanAndSpreadAreThoseOfTheParticles) {
  const auto particles = weighed(400, 0.5);
  const std::vector<float> states = particles->states();
  const std::vector<double> logs = particles->log_likelihoods();
  const Moments moments = particles->moments(frame);
  std::vector<double> weight(400);
  normalise(logs, moments.exponent, std::vector<double>(400, 0), weight);
  const std::vector<float> mean = mean_state(scene_.kinematics, states, weight);
  for (std::size_t i = 0; i < mean.size(); ++i) EXPECT_NEAR(moments.state[i], mean[i], 1e-5) << i;  // sines, as above
  EXPECT_EQ(moments.log_likelihood, *std::max_element(logs.begin(), logs.end()));
  const std::vector<Place> centre = scene_.places(mean);
  std::vector<double> variance(centre.size(), 0);
  for (std::size_t n = 0; n < 400; ++n) {
    const std::vector<Place> places = scene_.places(scene_.state_of(states, n));
    for (std::size_t j = 0; j < centre.size(); ++j) {
      const Vec3f away = places[j].origin - centre[j].origin;
      variance[j] += weight[n] * dot(away, away) / 3;
    }
  }
  for (std::size_t j = 0; j < centre.size(); ++j) {
    EXPECT_NEAR(moments.joint_variance[j], variance[j], 1e-3 * variance[j]) << j;  // squares of float differences
  }
}

TEST_P(Filter, RefinementFindsThePoseBehindThePoints) {
  settings_.refine_steps = 20;
  // points without noise, that outweigh the pull to a rest pose
  settings_.sensor_noise = 0;
  settings_.independent_points = 3000;
  const FilterScene sharp(default_human(), 160, 120);
  for (const bool free_space : {true, false}) {
    settings_.likelihood.free_space = free_space;  // off: the rays past the person must not count as its points
    const auto particles = sharp.make(settings_, GetParam(), 3);
    particles->place(sharp.perturbed(0.07, 0.03), 3);
    particles->weigh();
    particles->anneal(0, 1);
    const double before = particles->log_likelihoods()[0];
    EXPECT_GT(sharp.error(sharp.state_of(particles->states(), 0)), 0.03);
    particles->refine(1, 0.5);
    EXPECT_GT(particles->log_likelihoods()[0], before);
    EXPECT_LT(sharp.error(sharp.state_of(particles->states(), 0)), 0.01);
  }
}

TEST_P(Filter, RefinementTakesTheBestAndLeavesTheOthers) {
  settings_.refine_steps = 2;
  const auto particles = weighed(100, 0.5);
  const std::vector<double> before = particles->log_likelihoods();
  std::vector<double> sorted = before;
  std::sort(sorted.rbegin(), sorted.rend());
  particles->refine(3, frame);
  const std::vector<double> after = particles->log_likelihoods();
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NE(after[j], sorted[j]);
  std::size_t at = 3;
  for (double value : before) {
    if (value >= sorted[2]) continue;
    EXPECT_EQ(after[at++], value);
  }
  EXPECT_EQ(at, 100u);
}

TEST_P(Filter, PosesThatAreNoParticlesWeighAsParticlesDo) {
  const auto particles = make(5);
  particles->diffuse(frame, -1);
  particles->weigh();
  const std::vector<float> states = particles->states();
  const std::vector<double> expected = particles->log_likelihoods();
  std::vector<std::vector<float>> poses;
  for (std::size_t j = 0; j < 5; ++j) poses.push_back(scene_.state_of(states, j));
  const std::vector<double> found = particles->weigh_poses(poses);
  for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(found[j], expected[j], 1e-9 * std::fabs(expected[j])) << j;
  EXPECT_TRUE(particles->weigh_poses({}).empty());
  particles->set_points({});
  EXPECT_EQ(particles->weigh_poses(poses), std::vector<double>(5, 0.0));
}

TEST_P(Filter, PosesThatAreNoParticlesAreRefinedApart) {
  settings_.independent_points = 3000;
  settings_.refine_steps = 20;
  const FilterScene sharp(default_human(), 160, 120);
  const auto particles = sharp.make(settings_, GetParam(), 3);
  const std::vector<float> before = particles->states();
  const RefineSettings refinement = refine_settings(settings_, 1, {});
  const std::vector<double> loose = walk_precision(sharp.skeleton, 0.5), tight = walk_precision(sharp.skeleton, 1e-5);
  const std::vector<float> start = sharp.perturbed(0.07, 0.03);
  std::vector<PoseCandidate> poses{{start, {start, loose}}, {start, {start, tight}}, {sharp.state, {start, loose}}};
  EXPECT_GT(sharp.error(start), 0.03);
  particles->refine_poses(poses, refinement, {2000, 1000});
  // each has its own prior: one holds a pose where it is
  EXPECT_LT(sharp.error(poses[0].state), 0.015);
  EXPECT_NEAR(sharp.error(poses[1].state), sharp.error(start), 1e-3);
  EXPECT_LT(sharp.error(poses[2].state), 0.015);
  EXPECT_GT(poses[0].cost, 0);
  EXPECT_GT(poses[1].cost, 2 * poses[0].cost);
  EXPECT_EQ(particles->states(), before);
  particles->refine_poses({}, refinement, {1500, 700});
}

TEST_P(Filter, RunsGiveTheSameBits) {
  const auto run = [&] {
    const auto particles = make(200);
    return scene_.frame_of(*particles, settings_, frame);
  };
  const FilterScene::Frame first = run();
  for (int repeat = 0; repeat < 2; ++repeat) {
    const FilterScene::Frame again = run();
    EXPECT_EQ(again.states, first.states);
    EXPECT_EQ(again.log_likelihoods, first.log_likelihoods);
    EXPECT_EQ(again.moments.state, first.moments.state);
    EXPECT_EQ(again.moments.joint_variance, first.moments.joint_variance);
  }
}

TEST_P(Filter, CornerFrame) {
  settings_.refine_steps = 2;
  settings_.refined = 2;
  settings_.motion = Motion::spatial;
  const FilterScene small(default_human(), 40, 30);
  for (const Resampling scheme : {Resampling::systematic, Resampling::residual}) {
    settings_.resampling = scheme;
    const auto particles = small.make(settings_, GetParam(), 20);
    const FilterScene::Frame found = small.frame_of(*particles, settings_, frame);
    EXPECT_TRUE(std::all_of(found.states.begin(), found.states.end(), [](float x) { return std::isfinite(x); }));
    std::vector<PoseCandidate> poses{{small.state, {small.state, walk_precision(small.skeleton, 0.3)}}};
    particles->refine_poses(poses, refine_settings(settings_, 1, {.deviation = 0.01}), {100, 50});
    const std::vector<std::vector<float>> states{small.state, poses[0].state};
    for (double value : particles->weigh_poses(states)) EXPECT_TRUE(std::isfinite(value));
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Filter, ::testing::Values(Backend::reference, Backend::cpu, Backend::cuda),
                         backend_name);

// The fast backends against the host's, with the same random numbers.
class FilterAgreement : public OnBackend {
protected:
  static constexpr double frame = 1.0 / 30;

  void expect_refined_alike(const FilterScene& scene, TrackerSettings settings, double closeness,
                            const PointNoise& noise = {}) {
    settings.refine_steps = 8;
    std::vector<Moments> moments;
    std::vector<std::vector<float>> states;
    for (const Backend backend : {Backend::reference, GetParam()}) {
      const auto particles = scene.make(settings, backend, 1);
      particles->set_points(scene.seen.view(), noise);
      particles->place(scene.perturbed(0.05, 0.02), 1);
      particles->weigh();
      particles->anneal(0, 1);
      particles->refine(1, frame);
      states.push_back(particles->states());
      moments.push_back(particles->moments(frame));
    }
    const std::vector<Place> one = scene.places(states[0]), other = scene.places(states[1]);
    for (std::size_t j = 0; j < one.size(); ++j) {
      EXPECT_LT(norm(one[j].origin - other[j].origin), closeness) << j;
      EXPECT_NEAR(moments[1].joint_variance[j], moments[0].joint_variance[j], 0.02 * moments[0].joint_variance[j]);
    }
  }
};

TEST_P(FilterAgreement, AFrameUpToTheFirstResampling) {
  const FilterScene scene(default_human());
  TrackerSettings settings;
  const auto one = scene.make(settings, Backend::reference, 500), other = scene.make(settings, GetParam(), 500);
  for (Particles* particles : {one.get(), other.get()}) {
    particles->predict(frame);
    particles->weigh();
  }
  const std::vector<float> expected = one->states(), found = other->states();
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(found[i], expected[i], 2e-6) << i;  // sines
  const std::vector<double> logs = one->log_likelihoods(), own = other->log_likelihoods();
  for (std::size_t j = 0; j < logs.size(); ++j) ASSERT_NEAR(own[j], logs[j], 2e-4 * std::fabs(logs[j]) + 1e-6) << j;
  for (Particles* particles : {one.get(), other.get()}) {
    particles->anneal(0.3, 1);
    particles->resample();
  }
  EXPECT_NEAR(other->moments(frame).exponent / one->moments(frame).exponent, 1, 1e-3);
  // weights differ by what log-likelihoods do, so a few draws fall on the neighbour
  const std::vector<float> drawn = one->states(), drawn_too = other->states();
  const std::size_t floats = drawn.size() / 500;
  std::size_t same = 0;
  for (std::size_t j = 0; j < 500; ++j) same += std::fabs(drawn[j * floats] - drawn_too[j * floats]) < 1e-5;
  EXPECT_GT(same, 490u);
}

// A step is taken or left by a cost that is summed in another order and in single precision: near the bottom the two may
// stop a step apart, where a step is shorter than a millimetre.
TEST_P(FilterAgreement, RefinementOfAHuman) { expect_refined_alike(FilterScene(default_human()), {}, 2e-3); }

TEST_P(FilterAgreement, RefinementWithASensorsNoise) {
  expect_refined_alike(FilterScene(default_human()), {}, 2e-3, {.deviation = 0.05});
}

TEST_P(FilterAgreement, RefinementAlongTheRaysOfMatchedPoints) {
  expect_refined_alike(FilterScene(default_human()), {}, 2e-3, {.deviation = 0.03, .projective = true});
}

TEST_P(FilterAgreement, RefinementOfTheLargestSkeleton) { expect_refined_alike(FilterScene(largest()), {}, 2e-3); }

INSTANTIATE_TEST_SUITE_P(Backends, FilterAgreement, ::testing::Values(Backend::cpu, Backend::cuda), backend_name);

}  // namespace
}  // namespace kinema::body
