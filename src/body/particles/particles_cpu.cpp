// Particles in host memory, for the cpu and reference backends. Where their weighing is divided, the likelihood divides it.
#include "body/constants_mechanisms.h"
#include "body/particles/mean_state.h"
#include "body/particles/motion.h"
#include "body/particles/particles.h"
#include "body/particles/weights.h"
#include "body/refine/refine.h"
#include "body/skeleton/tangent.h"
#include "core/random.h"
#include "core/threads.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace kinema::body {
namespace {

class ParticlesCpu final : public Particles {
public:
  ParticlesCpu(const Skeleton& skeleton, const TrackerSettings& settings, const Compute& compute)
      : settings_(settings),
        skeleton_(skeleton),
        flat_(skeleton),
        kinematics_(flat_.view()),
        blocks_(limb_blocks(skeleton)),
        likelihood_(make_likelihood(settings.likelihood, compute)),
        threads_(compute.threads) {
    if (settings.share_weighing) likelihood_ = settings.share_weighing(settings.likelihood, std::move(likelihood_));
  }

  PointCount set_points(PointsView points, const PointNoise& noise) override {
    PointCloud copy;
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
    peak_.reset();
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

  void weigh() override { weigh(size()); }

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
    rearrange(index);
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
      results[j] = body::refine(kinematics_, points_, prior, refinement, std::span(state(j), state_floats()));
    });
    weigh(refined);
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
    moments.joint_variance = joint_variance(moments.state);
    if (mechanisms::peak_width && peak_ && peak_->information.size() > 0) {
      const std::vector<double> width = joint_deviations(kinematics_, moments.state, peak_->information);
      for (std::size_t i = 0; i < width.size(); ++i) moments.joint_variance[i] += width[i] * width[i];
    }
    moments.log_likelihood = *std::max_element(log_likelihood_.begin(), log_likelihood_.end());

    state_difference(kinematics_, mean_.data(), moments.state.data(), velocity_.data());
    for (float& v : velocity_) v /= static_cast<float>(seconds);
    mean_ = moments.state;
    return moments;
  }

  const std::vector<float>& predicted() const override { return predicted_; }

  void set_velocity(std::span<const float> velocity) override { velocity_.assign(velocity.begin(), velocity.end()); }

  void refine_poses(std::span<PoseCandidate> poses, const RefineSettings& settings, PointShare share) override {
    refine_candidates(kinematics_, points_, settings, share, threads_, poses);
  }

  std::vector<double> weigh_poses(std::span<const std::vector<float>> states) override {
    std::vector<double> log_likelihood(states.size());
    weigh([&](std::size_t j) { return states[j].data(); }, log_likelihood);
    return log_likelihood;
  }

  std::uint64_t exchanged_bytes() const override { return likelihood_->exchanged_bytes(); }

  std::vector<float> states() override { return states_; }
  std::vector<double> log_likelihoods() override { return log_likelihood_; }

private:
  std::size_t tangent() const { return static_cast<std::size_t>(tangent_size(kinematics_)); }
  std::size_t size() const { return log_likelihood_.size(); }
  std::size_t state_floats() const { return static_cast<std::size_t>(kinematics_.state_floats()); }

  // See weights.h.
  void update_weights() {
    normalise(log_likelihood_, exponent_, carried_, weight_);
    normalised_logarithms(log_likelihood_, exponent_, carried_, log_weight_);
  }
  float* state(std::size_t j) { return &states_[j * state_floats()]; }

  // Of the joints' places about those of the mean.
  std::vector<double> joint_variance(const std::vector<float>& mean_state) {
    const auto joints = static_cast<std::size_t>(kinematics_.joint_count);
    std::vector<Place> mean(joints);
    place_joints(kinematics_, mean_state.data(), mean.data());
    std::vector<float> squares(size() * joints);
    threads_.for_each(size(), [&](std::size_t j) {
      std::vector<Place> places(joints);
      place_joints(kinematics_, state(j), places.data());
      for (std::size_t i = 0; i < joints; ++i) {
        const Vec3f away = places[i].origin - mean[i].origin;
        squares[j * joints + i] = dot(away, away);
      }
    });
    std::vector<double> variance(joints, 0);
    for (std::size_t j = 0; j < size(); ++j) {
      for (std::size_t i = 0; i < joints; ++i) variance[i] += weight_[j] * squares[j * joints + i] / 3;
    }
    return variance;
  }

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
      const bool rests = mechanisms::unperturbed_particle && j == 0 && settings_.unperturbed_particle;
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

  // The first `count` particles.
  void weigh(std::size_t count) {
    weigh([&](std::size_t j) { return state(j); }, std::span(log_likelihood_).first(count));
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
    std::vector<int> order;
    double least = INFINITY;
    while (order.size() < count) {
      std::size_t best = size();
      double greatest = -INFINITY;
      for (std::size_t j = 0; j < size(); ++j) {
        if (log_likelihood_[j] < least && log_likelihood_[j] > greatest) greatest = log_likelihood_[best = j];
      }
      if (best == size()) break;
      order.push_back(static_cast<int>(best));
      least = greatest;
    }
    std::vector<std::uint8_t> taken(size(), 0);
    for (int j : order) taken[static_cast<std::size_t>(j)] = 1;
    for (std::size_t j = 0; j < size(); ++j) {
      if (taken[j] == 0) order.push_back(static_cast<int>(j));
    }
    rearrange(order);
  }

  // Particle j becomes particle order[j]; weights must then be recomputed.
  void rearrange(const std::vector<int>& order) {
    const std::size_t floats = state_floats();
    std::vector<float> states(states_.size());
    std::vector<double> log_likelihood(size()), carried(size());
    for (std::size_t j = 0; j < order.size(); ++j) {
      const auto from = static_cast<std::size_t>(order[j]);
      std::copy_n(&states_[from * floats], floats, &states[j * floats]);
      log_likelihood[j] = log_likelihood_[from];
      carried[j] = carried_[from];
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
  std::optional<Refined> peak_;  // the best refinement of this frame
  std::uint32_t step_ = 0;       // counts the calls that draw random numbers
};

}  // namespace

std::unique_ptr<Particles> make_particles_cpu(const Skeleton& skeleton, const TrackerSettings& settings,
                                              const Compute& compute) {
  return std::make_unique<ParticlesCpu>(skeleton, settings, compute);
}

}  // namespace kinema::body
