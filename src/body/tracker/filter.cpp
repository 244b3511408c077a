// The tracking loop: sample, weigh, mean (section 2 of the paper), with optional annealing layers, limb-wise blocks and
// refinement, a search where there is no previous pose, and a fit of the person's shape in the first frames.
#include "body/constants.h"
#include "body/constants_mechanisms.h"
#include "body/likelihood/likelihood_backends.h"
#include "body/particles/motion.h"
#include "body/particles/particles.h"
#include "body/refine/denoised_points.h"
#include "body/skeleton/shape_space.h"
#include "body/smoothing/anatomical_joints.h"
#include "body/smoothing/causal_smoother.h"
#include "body/smoothing/constants_smoothing.h"
#include "body/smoothing/deviation.h"
#include "body/tracker/pose_filter.h"
#include "body/tracker/rival_monitor.h"
#include "body/tracker/search.h"
#include "body/tracker/shape_learner.h"
#include "body/tracker/stage_clock.h"
#include "core/threads.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kinema::body {
namespace {

using namespace constants::pipeline;
using namespace constants::filter;

void check(const TrackerSettings& settings) {
  check_settings(settings.likelihood);
  const auto need = [](bool sensible, const char* what, double value, const char* mend) {
    if (!sensible) throw Error(fmt::format("tracker: {} {}: give {}", what, value, mend));
  };
  const double survival = settings.survival, evidence = settings.independent_points, noise = settings.sensor_noise,
               shared = settings.shared_noise;
  need(settings.layers >= 1, "annealing layers", settings.layers, "1 or more");
  need(survival >= 0 && survival <= 1, "the share that survives a layer is", survival, "0 to 1");
  need(settings.refined >= 0, "refined poses", settings.refined, "0 or more");
  need(settings.refine_steps >= 0, "steps of refinement", settings.refine_steps, "0 or more");
  need(settings.rivals >= 0, "rivals", settings.rivals, "0 or more");
  need(evidence > 0 && std::isfinite(evidence), "independent points", evidence, "a number above 0");
  need(noise >= 0 && noise <= 1, "the sensor's noise at 1 m is", noise, "metres, 0 to 1");
  need(shared >= 0 && shared <= 1, "the noise that points share at 1 m is", shared, "metres, 0 to 1");
  need(!std::isnan(settings.resample_below), "the share to resample below is", settings.resample_below, "a number");
}

// A valid initial pose of a tracker.
void check(const Pose& pose) {
  const auto& [position, q, angles] = pose;
  const double length = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  if (!std::isfinite(position.x + position.y + position.z) || !std::isfinite(length) || length <= 0 ||
      std::any_of(angles.begin(), angles.end(), [](double angle) { return !std::isfinite(angle); })) {
    throw Error("a pose to start from has finite numbers and a rotation that is not 0");
  }
}

void check(const Frame& frame) {
  if (!std::isfinite(frame.time)) throw Error("the time of a frame is not finite: give seconds");
  for (const FaceObservation& face : frame.faces) check(face);
  if (!frame.floor) return;
  const auto& [normal, offset, floor] = *frame.floor;
  const double length = std::hypot(normal.x, normal.y, normal.z);
  if (!(std::abs(length - 1) < 1e-3) || !std::isfinite(offset))
    throw Error(
        fmt::format("the floor of a frame has a normal of length {} and the offset {}: give a unit normal and a "
                    "finite offset",
                    length, offset));
}

// The direction in which a person looks.
Vec3f front_of(std::span<const float> state) {
  return rotate(Quaternionf{state[3], state[4], state[5], state[6]}, Vec3f{0, 0, 1});
}

class ParticleFilter final : public PoseFilter {
public:
  ParticleFilter(const TrackerSettings& settings, const Compute& compute)
      : settings_(settings),
        compute_(choose(compute)),
        threads_(compute.threads),
        learner_(settings.skeleton,
                 settings.height_known ? constants::shape::known_size_deviation : constants::shape::size_deviation),
        monitor_(settings.skeleton, settings) {
    check(settings);
    if (settings.skeleton.capsules.empty())
      throw Error("the skeleton has no capsule: there is no skin to hold against points");
    fill_in(settings_, compute_.backend);
    set_skeleton(settings.skeleton);
  }

  void start(const Pose& pose) override {
    check(pose);
    begin_at(to_state(skeleton_, pose));
  }

  void restart() override { tracking_ = false; }

  void set_particles(std::size_t count) override {
    settings_.particles = count;
    if (tracking_) particles_->place(state_, count);
  }

  void set_search_rest(int factor) override { monitor_.set_search_rest(factor); }

  const Skeleton& skeleton() const override { return skeleton_; }
  bool undecided() const override { return false; }
  std::vector<Estimate> revised() override { return {}; }
  std::unique_ptr<PoseFilter> take_other_facing() override { return std::move(other_facing_); }
  double log_posterior() override { return evidence() * log_likelihood_ - monitor_.frame_cost(state_); }
  double facing_cost() const override { return constants::search::away_cost * away_from_camera(state_); }
  void keep_facing(bool keep) override { keep_facing_ = keep; }

  std::vector<Vec3> particle_joints(std::size_t most) override {
    std::vector<Vec3> joints;
    watched_ = true;
    if (!tracking_ || most == 0) return joints;
    const std::vector<float> states = cloud_.empty() ? particles_->states() : cloud_;
    const std::size_t count = states.size() / state_.size(), shown = std::min(most, count);
    places_.resize(skeleton_.joints.size());
    for (std::size_t i = 0; i < shown; ++i) {
      place_joints(flat_->view(), states.data() + i * count / shown * state_.size(), places_.data());
      for (const Place& place : places_) joints.push_back({place.origin.x, place.origin.y, place.origin.z});
    }
    return joints;
  }

  Estimate track(const Frame& frame) override {
    check(frame);
    stages_ = {};
    searched_ = shape_fitted_ = false;
    const double seconds =
        std::clamp(last_time_ ? frame.time - *last_time_ : usual_interval, shortest_interval, longest_interval);
    last_time_ = frame.time;
    floor_ = frame.floor;
    monitor_.set_faces(frame.faces);
    other_facing_.reset();
    other_start_.clear();
    if (tracking_) particles_->predict(seconds);  // on a device, while points are uploaded
    set_points(frame.points);
    stages_.add("points");

    Estimate estimate;
    if (tracking_) {
      gather(seconds);
      Hypotheses others = evaluate_rivals();
      estimate = conclude(seconds);
      tracking_ = !lost(estimate);
      if (tracking_ && switch_to_rival(std::move(others), estimate)) {
        gather(seconds);
        estimate = conclude(seconds);
        stages_.add("rivals");
      }
      if (tracking_ && settings_.rivals > 0 && !keep_facing_ && other_start_.empty()) {
        other_start_ = monitor_.facing_of_face(*particles_, points(), state_, evidence());
        if (!other_start_.empty()) stages_.add("rivals");
      }
    }
    // initially, and after a loss: search this very frame
    if (!tracking_) {
      const Skeleton own = skeleton_;
      causal_.restart();
      const double size = search_person();
      if (size > 0) {
        particles_->diffuse(found_spread, -1);
        gather(seconds);
        estimate = conclude(seconds);
        tracking_ = fit(estimate) > found_fit;
      }
      // an implausible size must not persist
      if (mechanisms::restored_size && size > 0 && !tracking_) set_skeleton(own);
      if (tracking_ && unknown_size()) learner_.begin_at_size(size);
    }
    if (tracking_ && !other_start_.empty()) {
      other_facing_ = std::make_unique<ParticleFilter>(settings_, compute_);
      other_facing_->learner_ = learner_;
      other_facing_->set_skeleton(skeleton_);
      other_facing_->begin_at(other_start_);
    }
    estimate.time = frame.time;
    estimate.faces.assign(frame.faces.begin(), frame.faces.end());
    estimate.found = tracking_;
    if (tracking_) {
      estimate.confidence = std::clamp(fit(estimate), 0.0, 1.0);
      add_angles(estimate,
                 settings_.steady && mechanisms::held_to_motion ? hold_to_motion(estimate, seconds) : information(),
                 seconds);
      learn_shape();
    }
    estimate.searched = searched_;
    estimate.shape_fitted = shape_fitted_;
    estimate.times = stages_.times();
    const std::uint64_t exchanged = exchanged_before_ + particles_->exchanged_bytes();
    estimate.exchanged_bytes = exchanged - std::exchange(exchanged_, exchanged);
    return estimate;
  }

private:
  void set_skeleton(const Skeleton& skeleton) {
    skeleton_ = skeleton;
    flat_ = std::make_unique<FlatSkeleton>(skeleton_);
    flesh_radii_ = flesh_radii(skeleton_);
    anatomical_.emplace(skeleton_);
    monitor_.set_skeleton(skeleton_);
    causal_.set_skeleton(skeleton_);
    if (particles_) exchanged_before_ += particles_->exchanged_bytes();
    particles_ = make_particles(skeleton_, settings_, compute_);
  }

  void set_points(PointsView points) {
    double distance = state_.empty() ? 0 : state_[2];
    if (!tracking_) {
      // one of the person's points
      points_.set(points, host_points, host_points / 2);
      if (points_.person.size() > 0) distance = points_.person[points_.person.size() / 2].z;
    }
    denoised_.set(points, settings_.sensor_noise, distance);
    points_known_ = false;
    particles_->set_points(denoised_.view(), denoised_.noise());
  }

  void begin_at(const std::vector<float>& state) {
    particles_->place(state, settings_.particles);
    state_ = state;
    tracking_ = true;
    level_ = 0;
    monitor_.restart();
  }

  // Whether a person who is found may be of any size.
  bool unknown_size() const {
    return mechanisms::searched_sizes && settings_.fit_shape && !settings_.height_known && !learner_.known();
  }

  // Starts at the likeliest pose found by a search. Returns the size of the person relative to the skeleton of the
  // settings, if it is unknown_size(), else 1; 0 where nobody was found.
  double search_person() {
    SearchSettings settings;
    settings.noise = search_noise(denoised_.noise());
    RefinePoints seen = points();
    const Skeleton& average = unknown_size() ? settings_.skeleton : skeleton_;
    if (unknown_size()) {
      settings.sizes.clear();
      for (const double tall : searched_statures) settings.sizes.push_back(tall / stature(average));
      seen.floor = floor_;
    }
    const std::vector<SearchResult> found = search(average, seen, settings, threads_);
    if (!found.empty()) {
      if (unknown_size()) {
        set_skeleton(resized(average, found.front().size));
        particles_->set_points(denoised_.view(), denoised_.noise());
      }
      std::vector<std::vector<float>> states;
      for (const SearchResult& one : found) {
        if (one.size == found.front().size) states.push_back(one.state);
      }
      const auto [own, turned] = monitor_.compare_facings(*particles_, states);
      // a search has priors on posture, which the points of a distant person hardly determine
      const std::size_t best = own.best(evidence()), rival = turned.best(evidence());
      const double likelier = turned.log_posterior(rival, evidence()) - own.log_posterior(best, evidence());
      const bool other = mechanisms::turned_results && likelier >= clear_log_ratio;
      begin_at(other ? turned.states[rival] : own.states[best]);
      if (mechanisms::both_facings && settings_.rivals > 0 &&
          std::abs(likelier) < constants::facing::followed_log_ratio)
        other_start_ = other ? own.states[best] : turned.states[rival];
    }
    stages_.add("search");
    searched_ = true;
    return found.empty() ? 0 : found.front().size;
  }

  // Weighs, and concentrates the particles where the weights are, layer by layer (the paper's filter has one layer);
  // then refines the best.
  void gather(double seconds) {
    const int blocks = settings_.limbs ? 5 : 1;
    for (int layer = 0; layer < settings_.layers; ++layer) {
      for (int block = 0; block < blocks; ++block) {
        if (layer > 0 || block > 0) {
          particles_->resample();
          particles_->diffuse(seconds * std::pow(layer_spread, layer), settings_.limbs ? block : -1);
        }
        particles_->weigh();
        const bool last = layer + 1 == settings_.layers && block + 1 == blocks;
        particles_->anneal(last ? 0 : settings_.survival, settings_.tempered && mechanisms::tempering ? evidence() : 1);
      }
    }
    stages_.add("weigh");
    if (settings_.refined > 0) particles_->refine(settings_.refined, seconds);
    stages_.add("refine");
  }

  // Takes the mean (eq. 1).
  Estimate conclude(double seconds) {
    const PointList some = points().person.thinned(constants::deviation::residual_points);  // while a device works
    const Moments moments = particles_->moments(seconds);
    Estimate estimate;
    state_ = moments.state;
    estimate.pose = to_pose(moments.state);
    places_.resize(skeleton_.joints.size());
    place_joints(flat_->view(), state_.data(), places_.data());
    for (const Place& place : places_) estimate.joints.push_back({place.origin.x, place.origin.y, place.origin.z});
    sources_ = {residual_deviation(flat_->view(), some, state_, threads_),
                refine_settings(settings_, 1, denoised_.noise()).deviation(),
                settings_.shared_noise * state_[2] * state_[2], settings_.fit_shape};
    const std::vector<double>& shape = learner_.joint_variance();
    for (std::size_t j = 0; j < flesh_radii_.size(); ++j) {
      const double deviation = stated_deviation(moments.joint_variance[j], flesh_radii_[j], sources_);
      if (j < shape.size()) estimate.shape_deviation.push_back(mechanisms::shape_deviation ? std::sqrt(shape[j]) : 0);
      estimate.deviation.push_back(j < shape.size() ? std::hypot(deviation, estimate.shape_deviation[j]) : deviation);
    }
    log_likelihood_ = moments.log_likelihood;
    estimate.log_likelihood = moments.log_likelihood;
    estimate.effective_sample_size = moments.effective_sample_size;
    if (watched_) cloud_ = particles_->states();  // after resampling they would be copies of a few poses
    if (!mechanisms::kept_weights ||
        moments.effective_sample_size < settings_.resample_below * static_cast<double>(settings_.particles)) {
      particles_->resample();
    }
    stages_.add("mean");
    stages_.add(moments.times);
    return estimate;
  }

  // How points are weighed where errors that they share are in the stated deviations.
  RefineSettings shared_refinement(std::size_t count) {
    RefineSettings refinement = refine_settings(settings_, count, denoised_.noise());
    refinement.evidence /= std::max(constants::smoothing::least_evidence_shared, evidence_shared(sources_));
    return refinement;
  }

  // Replaces the pose by one that follows from the last ones, where the points allow it. Returns the information about
  // it.
  const Eigen::MatrixXd& hold_to_motion(Estimate& estimate, double seconds) {
    const TrajectoryFrame& frame = causal_.add(points(), shared_refinement(1), state_, seconds, threads_);
    estimate.skeleton = causal_.skeleton();
    estimate.pose = to_pose(frame.state);
    place_joints(causal_.kinematics(), frame.state.data(), places_.data());
    for (std::size_t j = 0; j < places_.size(); ++j) {
      const Vec3f at = places_[j].origin;
      estimate.joints[j] = {at.x, at.y, at.z};
    }
    stages_.add("steady");
    return frame.information;
  }

  // Of the points about the pose of the filter.
  Eigen::MatrixXd information() {
    const RefinePoints some{points().person.thinned(constants::deviation::residual_points),
                            points().background.thinned(constants::deviation::residual_points / 2)};
    return point_evidence(flat_->view(), some, shared_refinement(std::max<std::size_t>(1, some.person.size())), state_,
                          threads_)
        .information;
  }

  // The angles of the pose, with deviations from the points and the prediction.
  void add_angles(Estimate& estimate, Eigen::MatrixXd information, double seconds) {
    const std::vector<float> state = to_state(skeleton_, estimate.pose);
    const std::vector<double> precision = expected_pose(skeleton_, state, seconds).precision;
    for (std::size_t i = 0; i < precision.size(); ++i) {
      information(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)) += precision[i];
    }
    const auto size = information.rows();
    const Eigen::MatrixXd covariance = information.ldlt().solve(Eigen::MatrixXd::Identity(size, size));
    estimate.anatomical = anatomical_->angles(estimate.pose.angles, covariance, sources_);
    stages_.add("angles");
  }

  // Rival poses, while a device weighs the particles and refines the best.
  Hypotheses evaluate_rivals() {
    if (settings_.rivals <= 0) return {};
    Hypotheses others = monitor_.evaluate_rivals(*particles_, points());
    searched_ = monitor_.searched();
    stages_.add(searched_ ? "search" : "rivals");
    return others;
  }

  // Whether one of them is clearly more likely than the tracked pose, and more likely than the filter's result; it then
  // replaces the particles, unless it faces the other way: nobody turns round from one frame to the next, so another
  // filter is to follow it until the two can be told apart. Where the tracked pose was refined as rivals were, they are
  // compared with that result.
  bool switch_to_rival(Hypotheses others, const Estimate& estimate) {
    if (others.states.empty()) return false;
    if (keep_facing_) others.keep_if([&](const auto& state) { return dot(front_of(state_), front_of(state)) >= 0; });
    const double share = evidence();
    const std::size_t best = others.best(share);
    const double found = others.log_posterior(best, share);
    const double filtered = share * estimate.log_likelihood - monitor_.posture_cost(state_);
    const double own = monitor_.searched() ? filtered : others.log_posterior(0, share);
    if (best == 0 || found < filtered || found - own < clear_log_ratio) return false;
    if (mechanisms::both_facings && dot(front_of(state_), front_of(others.states[best])) < 0) {
      other_start_ = others.states[best];
      return false;
    }
    particles_->place(others.states[best], settings_.particles);
    return true;
  }

  // The frame's points for refinements on the host. Arranged on first use: a device weighs meanwhile.
  const RefinePoints& points() {
    if (!points_known_) points_.set(denoised_.view(), host_points, host_points / 2);
    points_known_ = true;
    return points_;
  }

  // Independent points per point.
  double evidence() {
    return independent_points(settings_, denoised_.noise()) /
           static_cast<double>(std::max<std::size_t>(1, points().given));
  }

  double fit(const Estimate& estimate) {
    const LikelihoodSettings& likelihood = settings_.likelihood;
    const double squares = -2 * likelihood.sigma * likelihood.sigma * estimate.log_likelihood;
    const double worst = static_cast<double>(points().given) * likelihood.tau * likelihood.tau;
    return worst > 0 ? 1 - squares / worst : 0;
  }

  bool lost(const Estimate& estimate) {
    const double now = fit(estimate);
    if (now < std::max(least_fit, lost_below * level_)) return true;
    level_ = level_ == 0 ? now : (1 - level_rate) * level_ + level_rate * now;
    return false;
  }

  void learn_shape() {
    if (!settings_.fit_shape || !learner_.due()) return;
    const std::optional<ShapeFit> fit =
        learner_.add(points(), floor_, state_, refine_settings(settings_, 1, denoised_.noise()), threads_);
    if (!fit) return;
    set_skeleton(fit->skeleton);
    particles_->place(fit->states.back(), settings_.particles);
    stages_.add("shape");
    shape_fitted_ = true;
  }

  TrackerSettings settings_;
  Skeleton skeleton_;
  Compute compute_;
  Threads threads_;
  ShapeLearner learner_;
  std::unique_ptr<FlatSkeleton> flat_;
  std::vector<double> flesh_radii_;  // (joints)
  std::optional<AnatomicalJoints> anatomical_;
  RivalMonitor monitor_;
  CausalSmoother causal_;
  std::unique_ptr<Particles> particles_;
  DenoisedPoints denoised_;  // of the current frame
  std::optional<Plane> floor_;
  RefinePoints points_;  // see points()
  bool points_known_ = false;
  std::vector<float> state_;
  ErrorSources sources_;       // of its errors
  std::vector<Place> places_;  // of its joints
  bool watched_ = false;       // the caller reads the particles
  std::vector<float> cloud_;   // their states as weighed in the last frame, where watched
  StageClock stages_;
  bool searched_ = false, shape_fitted_ = false;  // in this frame
  bool tracking_ = false;
  std::optional<double> last_time_;
  double level_ = 0;           // running level of fit()
  double log_likelihood_ = 0;  // of the last estimate
  bool keep_facing_ = false;
  std::uint64_t exchanged_ = 0, exchanged_before_ = 0;  // by particles so far, and by those that were replaced
  std::vector<float> other_start_;                      // the best pose of the other facing, where it may be right
  std::unique_ptr<ParticleFilter> other_facing_;
};

}  // namespace

void fill_in(TrackerSettings& settings, Backend backend) {
  const auto cores = static_cast<std::size_t>(usable_cores());
  const bool gpu = choose(backend) == Backend::cuda;
  if (settings.particles == 0)
    settings.particles = gpu ? gpu_particles : std::clamp(core_particles * cores, fewest_particles, most_particles);
  if (settings.points == 0) settings.points = gpu ? gpu_points : cpu_points;
  if (settings.background_points == 0)
    settings.background_points = std::clamp<std::size_t>(settings.points / 2, 1, most_background_points);
}

std::unique_ptr<PoseFilter> make_pose_filter(const TrackerSettings& settings, const Compute& compute) {
  return std::make_unique<ParticleFilter>(settings, compute);
}

}  // namespace kinema::body
