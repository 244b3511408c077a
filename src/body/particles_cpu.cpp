// Particles in host memory, for the cpu and reference backends.
#include "body/mean_state.h"
#include "body/motion.h"
#include "body/particles.h"
#include "body/refine.h"
#include "body/weights.h"
#include "core/random.h"
#include "core/threads.h"

#include <algorithm>
#include <cmath>

namespace kinema::body {
namespace {

class ParticlesCpu final : public Particles {
public:
  ParticlesCpu(const Skeleton& skeleton, const TrackerSettings& settings, Backend backend)
      : settings_(settings),
        skeleton_(skeleton),
        flat_(skeleton),
        kinematics_(flat_.view()),
        blocks_(limb_blocks(skeleton)),
        likelihood_(make_likelihood(settings.likelihood, backend)),
        threads_(settings.likelihood.threads) {}

  PointCount set_points(PointsView points, const PointNoise& noise) override {
    std::vector<float> copy;
    const PointsView weighed = weighed_points(points, settings_.likelihood.free_space, copy);
    points_.set(weighed);
    noise_ = noise;
    return likelihood_->set_points(weighed);
  }
  const PointNoise& noise() const override { return noise_; }

  void place(std::span<const float> state, std::size_t count) override {
    states_.clear();
    for (std::size_t j = 0; j < count; ++j) states_.insert(states_.end(), state.begin(), state.end());
    log_likelihood_.assign(count, 0);
    weight_.assign(count, 1 / static_cast<double>(count));
    log_weight_.assign(count, 0);
    carried_.assign(count, 0);
    mean_.assign(state.begin(), state.end());
    predicted_ = mean_;
    velocity_.assign(tangent(), 0);
    peak_ = {};
  }

  void predict(double seconds) override {
    const double keep = velocity_kept(settings_.motion) * seconds;
    std::vector<float> drift;
    for (float v : velocity_) drift.push_back(static_cast<float>(keep * v));
    predicted_ = mean_;
    move_state(kinematics_, drift.data(), predicted_.data());
    carried_ = log_weight_;
    move(seconds, -1, drift);
  }

  void diffuse(double seconds, int block) override { move(seconds, block, std::vector<float>(tangent(), 0)); }

  void weigh() override { weigh(0, size()); }

  void anneal(double survival, double most) override {
    exponent_ = survival > 0 ? annealing_exponent(log_likelihood_, survival, most, carried_, weight_) : most;
    update_weights();
  }

  void resample() override {
    const Random random{settings_.seed, step_++, 0};
    std::vector<int> index(size());
    body::resample(
        settings_.resampling, std::span<const double>(weight_),
        [&](std::size_t i) { return random.uniform(static_cast<std::uint32_t>(i)); }, std::span(index));
    std::vector<std::size_t> order(index.begin(), index.end());
    rearrange(order);
    std::fill(weight_.begin(), weight_.end(), 1 / static_cast<double>(size()));
    std::fill(log_weight_.begin(), log_weight_.end(), 0);
    std::fill(carried_.begin(), carried_.end(), 0);
  }

  void refine(int count, double seconds) override {
    // the best go to the front, so that they can be weighed in one call
    const std::size_t refined = std::min(size(), static_cast<std::size_t>(count));
    bring_best_forward(refined);
    const PosePrior prior = expected_pose(skeleton_, predicted_, seconds);
    const RefineSettings refinement = refine_settings(settings_, points_.person.size(), noise_);
    std::vector<Refined> results(refined);
    threads_.for_each(refined, [&](std::size_t j) {
      results[j] = body::refine(kinematics_, points_, prior, refinement,
                                std::span(state(j), static_cast<std::size_t>(kinematics_.state_floats())));
    });
    weigh(0, refined);
    update_weights();
    if (refined == 0) return;
    const auto best = std::max_element(log_likelihood_.begin(), log_likelihood_.begin() + static_cast<long>(refined));
    peak_ = results[static_cast<std::size_t>(best - log_likelihood_.begin())];
  }

  Moments moments(double seconds) override {
    Moments moments;
    moments.state = mean_state(kinematics_, states_, weight_);
    moments.effective_sample_size = effective_sample_size(weight_);
    moments.exponent = exponent_;
    const auto joints = static_cast<std::size_t>(kinematics_.joint_count);
    std::vector<Place> mean(joints), places(joints);
    place_joints(kinematics_, moments.state.data(), mean.data());
    moments.joint_variance.assign(joints, 0);
    for (std::size_t j = 0; j < size(); ++j) {
      place_joints(kinematics_, state(j), places.data());
      for (std::size_t i = 0; i < joints; ++i) {
        const Vec3f away = places[i].origin - mean[i].origin;
        moments.joint_variance[i] += weight_[j] * dot(away, away) / 3;
      }
    }
    if (peak_.information.size() > 0) {
      const std::vector<double> width = joint_deviations(kinematics_, moments.state, peak_.information);
      for (std::size_t i = 0; i < joints; ++i) moments.joint_variance[i] += width[i] * width[i];
    }
    moments.log_likelihood = *std::max_element(log_likelihood_.begin(), log_likelihood_.end());

    state_difference(kinematics_, mean_.data(), moments.state.data(), velocity_.data());
    for (float& v : velocity_) v /= static_cast<float>(seconds);
    mean_ = moments.state;
    return moments;
  }

  const std::vector<float>& predicted() const override { return predicted_; }

  void refine_poses(std::span<PoseCandidate> poses, const RefineSettings& settings, PointShare share) override {
    refine_candidates(kinematics_, points_, settings, share, threads_, poses);
  }

  std::vector<double> weigh_poses(std::span<const std::vector<float>> states) override {
    std::vector<double> log_likelihood(states.size());
    weigh([&](std::size_t j) { return states[j].data(); }, log_likelihood);
    return log_likelihood;
  }

  std::vector<float> states() override { return states_; }
  std::vector<double> log_likelihoods() override { return log_likelihood_; }

private:
  std::size_t tangent() const { return static_cast<std::size_t>(tangent_size(kinematics_)); }
  std::size_t size() const { return log_likelihood_.size(); }

  // See weights.h.
  void update_weights() {
    normalise(log_likelihood_, exponent_, carried_, weight_);
    normalised_logarithms(log_likelihood_, exponent_, carried_, log_weight_);
  }
  float* state(std::size_t j) { return &states_[j * static_cast<std::size_t>(kinematics_.state_floats())]; }

  void move(double seconds, int block, const std::vector<float>& drift) {
    std::vector<float> deviation = walk_deviation(skeleton_, seconds);
    std::vector<float> factor;
    if (settings_.motion == Motion::spatial) {
      factor = spatial_factor(kinematics_, mean_, seconds * root_speed, deviation);
    }
    const std::uint8_t* moves = block < 0 ? nullptr : blocks_.moves[static_cast<std::size_t>(block)].data();
    const std::uint32_t step = step_++;
    threads_.for_each(size(), [&](std::size_t j) {
      const Random random{settings_.seed, step, static_cast<std::uint32_t>(j)};
      const bool rests = j == 0 && settings_.unperturbed_particle;
      std::vector<float> normal(tangent()), change(drift);
      for (std::size_t i = 0; i < normal.size(); ++i) {
        normal[i] = rests ? 0 : static_cast<float>(random.normal(static_cast<std::uint32_t>(i)));
      }
      for (std::size_t i = 0; i < normal.size(); ++i) {
        if (moves != nullptr && moves[i] == 0) continue;
        if (factor.empty()) {
          change[i] += deviation[i] * normal[i];
        } else {
          for (std::size_t l = i; l < normal.size(); ++l) change[i] += factor[i * normal.size() + l] * normal[l];
        }
      }
      move_state(kinematics_, change.data(), state(j));
    });
  }

  void weigh(std::size_t begin, std::size_t end) {
    weigh([&](std::size_t j) { return state(begin + j); }, std::span(log_likelihood_).subspan(begin, end - begin));
  }

  // Log-likelihoods of the poses state_of(0), state_of(1)...
  template <class StateOf>
  void weigh(StateOf&& state_of, std::span<double> out) {
    const auto capsules = static_cast<std::size_t>(kinematics_.capsule_count);
    capsules_.resize(out.size() * capsules * capsule_floats);
    threads_.for_each(out.size(), [&](std::size_t j) {
      std::vector<Place> places(static_cast<std::size_t>(kinematics_.joint_count));
      place_joints(kinematics_, state_of(j), places.data());
      for (std::size_t k = 0; k < capsules; ++k) {
        place_capsule(kinematics_, places.data(), static_cast<int>(k), &capsules_[(j * capsules + k) * capsule_floats]);
      }
    });
    likelihood_->evaluate({capsules_.data(), out.size(), capsules, capsule_floats}, out);
  }

  void bring_best_forward(std::size_t count) {
    // of copies of one particle only the first is refined
    std::vector<std::size_t> order;
    double least = INFINITY;
    while (order.size() < count) {
      std::size_t best = size();
      double greatest = -INFINITY;
      for (std::size_t j = 0; j < size(); ++j) {
        if (log_likelihood_[j] < least && log_likelihood_[j] > greatest) greatest = log_likelihood_[best = j];
      }
      if (best == size()) break;
      order.push_back(best);
      least = greatest;
    }
    std::vector<std::uint8_t> taken(size(), 0);
    for (std::size_t j : order) taken[j] = 1;
    for (std::size_t j = 0; j < size(); ++j) {
      if (taken[j] == 0) order.push_back(j);
    }
    rearrange(order);
  }

  // Particle j becomes particle order[j]; weights must then be recomputed.
  void rearrange(const std::vector<std::size_t>& order) {
    const auto floats = static_cast<std::size_t>(kinematics_.state_floats());
    std::vector<float> states(states_.size());
    std::vector<double> log_likelihood(size()), carried(size());
    for (std::size_t j = 0; j < order.size(); ++j) {
      std::copy_n(&states_[order[j] * floats], floats, &states[j * floats]);
      log_likelihood[j] = log_likelihood_[order[j]];
      carried[j] = carried_[order[j]];
    }
    states_ = std::move(states);
    log_likelihood_ = std::move(log_likelihood);
    carried_ = std::move(carried);
  }

  TrackerSettings settings_;
  Skeleton skeleton_;
  FlatSkeleton flat_;
  Kinematics kinematics_;
  LimbBlocks blocks_;
  std::unique_ptr<Likelihood> likelihood_;
  Threads threads_;
  RefinePoints points_;
  PointNoise noise_;           // of the points
  std::vector<float> states_;  // (n, state)
  std::vector<float> capsules_;
  std::vector<double> log_likelihood_, weight_;
  std::vector<double> log_weight_, carried_;  // of this frame, and of the previous one: see weights.h
  double exponent_ = 1;
  std::vector<float> mean_, predicted_, velocity_;
  Refined peak_;            // the best refinement of this frame
  std::uint32_t step_ = 0;  // counts the calls that draw random numbers
};

}  // namespace

std::unique_ptr<Particles> make_particles_cpu(const Skeleton& skeleton, const TrackerSettings& settings,
                                              Backend backend) {
  return std::make_unique<ParticlesCpu>(skeleton, settings, backend);
}

}  // namespace kinema::body
