// The tracking loop: sample, weigh, mean (section 2 of the paper), with annealing layers, limb-wise blocks and refinement
// as switches, a search where there is no pose to go on from, and a fit of the person's shape in the first frames.
#include "body/motion.h"
#include "body/particles.h"
#include "body/rivals.h"
#include "body/search.h"
#include "body/shape.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace kinema::body {
namespace {

// Measures stages by name.
class Stages {
public:
  // The time since the last call.
  void add(const std::string& name) {
    const auto now = std::chrono::steady_clock::now();
    add(name, std::chrono::duration<double, std::milli>(now - last_).count());
    last_ = now;
  }
  // What somebody else measured.
  void add(const std::vector<StageTime>& times) {
    for (const StageTime& time : times) add(time.stage, time.ms);
  }
  std::vector<StageTime> times() const { return times_; }

private:
  void add(const std::string& name, double ms) {
    for (StageTime& time : times_) {
      if (time.stage == name) {
        time.ms += ms;
        return;
      }
    }
    times_.push_back({name, ms});
  }

  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::vector<StageTime> times_;
};

// Of the cost of a frame in which nobody is where the pose says, this share is saved by the pose: 1 is a perfect fit.
constexpr double lost_below = 0.6;   // of its running level
constexpr double least_fit = 0.2;    // whatever the level
constexpr double believable = 0.35;  // for a find

// Points by which rivals are refined; twice as many judge them.
constexpr std::size_t judge_points = 600;

// A rival must be so much more likely, logarithmically.
constexpr double clearly = 5;

// A find is as far off as a pose wanders in so many seconds.
constexpr double found_spread = 0.1;

// What capsules cannot tell about a body of flesh: added to every joint's deviation, metres.
constexpr double model_error = 0.015;

void check(const TrackerSettings& settings) {
  const auto need = [](bool sensible, const char* what, double value, const char* mend) {
    if (!sensible) throw Error(fmt::format("tracker: {} {}: give {}", what, value, mend));
  };
  const double survival = settings.survival, evidence = settings.independent_points, noise = settings.sensor_noise;
  need(settings.layers >= 1, "annealing layers", settings.layers, "1 or more");
  need(survival >= 0 && survival <= 1, "the share that survives a layer is", survival, "0 to 1");
  need(settings.refined >= 0, "refined poses", settings.refined, "0 or more");
  need(settings.refine_steps >= 0, "steps of refinement", settings.refine_steps, "0 or more");
  need(settings.rivals >= 0, "rivals", settings.rivals, "0 or more");
  need(evidence > 0 && std::isfinite(evidence), "independent points", evidence, "a number above 0");
  need(noise >= 0 && noise <= 1, "the sensor's noise at 1 m is", noise, "metres, 0 to 1");
  need(!std::isnan(settings.resample_below), "the share to resample below is", settings.resample_below, "a number");
}

// A pose that a tracker can start from.
void check(const Pose& pose) {
  const auto& [position, q, angles] = pose;
  const double length = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  if (!std::isfinite(position.x + position.y + position.z) || !std::isfinite(length) || length <= 0 ||
      std::any_of(angles.begin(), angles.end(), [](double angle) { return !std::isfinite(angle); })) {
    throw Error("a pose to start from has finite numbers and a rotation that is not 0");
  }
}

class BodyTracker final : public Tracker {
public:
  BodyTracker(const Skeleton& skeleton, const TrackerSettings& settings, Backend backend)
      : settings_(settings), backend_(choose(backend)), threads_(settings.likelihood.threads) {
    check(settings);
    if (skeleton.capsules.empty()) throw Error("the skeleton has no capsule: there is no skin to hold against points");
    fill_in(settings_, backend_);
    judge_ = make_likelihood(settings.likelihood, Backend::cpu);
    set_skeleton(skeleton);
  }

  void start(const Pose& pose) override {
    check(pose);
    begin_at(to_state(skeleton_, pose));
  }

  const Skeleton& skeleton() const override { return skeleton_; }

  Estimate track(const Frame& frame) override {
    if (!std::isfinite(frame.time)) throw Error("the time of a frame is not finite: give seconds");
    stages_ = {};
    const double seconds = std::clamp(last_time_ ? frame.time - *last_time_ : 1.0 / 30, 1e-3, 0.5);
    last_time_ = frame.time;
    frame_points_ = frame.points;
    points_known_ = false;
    particles_->set_points(frame.points);
    stages_.add("points");

    Estimate estimate;
    if (tracking_) {
      particles_->predict(seconds);
      estimate = filter(seconds);
      tracking_ = !lost(estimate);
      if (tracking_ && challenge()) {
        estimate = filter(seconds);
        stages_.add("rivals");
      }
    }
    // at first, and where the person was lost: look for it in this very frame
    if (!tracking_) {
      const Skeleton own = skeleton_;
      const double size = find();
      if (size > 0) {
        particles_->diffuse(found_spread, -1);
        estimate = filter(seconds);
        tracking_ = fit(estimate) > believable;
      }
      // a size that nobody has must not stay, or such sizes would add up
      if (size > 0 && size != 1 && !tracking_) set_skeleton(own);
      if (size != 1 && tracking_) shape_frames_.clear();
    }
    estimate.found = tracking_;
    if (tracking_) learn_shape();
    estimate.times = stages_.times();
    return estimate;
  }

private:
  void set_skeleton(const Skeleton& skeleton) {
    skeleton_ = skeleton;
    flat_ = std::make_unique<FlatSkeleton>(skeleton_);
    rivals_ = std::make_unique<Rivals>(skeleton_);
    particles_ = make_particles(skeleton_, settings_, backend_);
  }

  void begin_at(const std::vector<float>& state) {
    particles_->place(state, settings_.particles);
    state_ = state;
    tracking_ = true;
    level_ = 0;
    age_ = 0;
  }

  // Begins at the likeliest pose that a search finds. Returns the size of the person against the skeleton before, which
  // is scaled by it; 0 where nobody was found.
  double find() {
    SearchSettings settings;
    settings.noise = sensor_deviation(settings_, distance());
    if (settings_.fit_shape && !shape_known_) settings.sizes = {0.88, 0.96, 1.04, 1.12};
    const std::vector<Found> found = search(skeleton_, points(), settings, threads_);
    if (!found.empty()) {
      if (found.front().size != 1) {
        set_skeleton(scaled(skeleton_, found.front().size));
        particles_->set_points(frame_points_);
      }
      std::vector<std::vector<float>> states;
      for (const Found& one : found) {
        if (one.size == found.front().size) states.push_back(one.state);
      }
      const std::vector<double> likelihood = judge(states);
      const auto best = std::max_element(likelihood.begin(), likelihood.end()) - likelihood.begin();
      begin_at(states[static_cast<std::size_t>(best)]);
    }
    stages_.add("search");
    return found.empty() ? 0 : found.front().size;
  }

  // Weigh, and let the particles gather where the weights are, layer by layer (the paper's filter has one layer); then
  // refine the best, and take the mean (eq. 1).
  Estimate filter(double seconds) {
    const int blocks = settings_.limbs ? 5 : 1;
    for (int layer = 0; layer < settings_.layers; ++layer) {
      for (int block = 0; block < blocks; ++block) {
        if (layer > 0 || block > 0) {
          particles_->resample();
          particles_->diffuse(seconds * std::pow(0.5, layer), settings_.limbs ? block : -1);
        }
        particles_->weigh();
        const bool last = layer + 1 == settings_.layers && block + 1 == blocks;
        particles_->anneal(last ? 0 : settings_.survival, evidence());
      }
    }
    stages_.add("weigh");
    if (settings_.refined > 0) particles_->refine(settings_.refined, seconds);
    stages_.add("refine");

    const Moments moments = particles_->moments(seconds);
    Estimate estimate;
    state_ = moments.state;
    estimate.pose = to_pose(moments.state);
    places_.resize(skeleton_.joints.size());
    place_joints(flat_->view(), state_.data(), places_.data());
    for (const Place& place : places_) estimate.joints.push_back({place.origin.x, place.origin.y, place.origin.z});
    for (double variance : moments.joint_variance) {
      estimate.deviation.push_back(std::sqrt(variance + model_error * model_error));
    }
    estimate.log_likelihood = moments.log_likelihood;
    estimate.effective_sample_size = moments.effective_sample_size;
    if (moments.effective_sample_size < settings_.resample_below * static_cast<double>(settings_.particles)) {
      particles_->resample();
    }
    stages_.add("mean");
    stages_.add(moments.times);
    return estimate;
  }

  // Holds poses elsewhere against the mean: each frame a few rivals in turn, and now and then, more often at first, all
  // that a search finds. True where one of them is clearly more likely and took the mean's place.
  bool challenge() {
    if (settings_.rivals <= 0) return false;
    ++age_;
    const RefinePoints few{points().person.thinned(judge_points), points().background.thinned(judge_points / 2)};
    RefineSettings refinement = refine_settings(settings_, few.person.size(), state_[2]);
    refinement.tau += 0.08;
    std::vector<std::vector<float>> states{state_};
    for (int i = 0; i < settings_.rivals; ++i)
      states.push_back(rivals_->make(state_, next_rival_++ % rivals_->count()));
    threads_.for_each(states.size(), [&](std::size_t i) {
      // the prior is as loose for all, so that poses, not distances from the last one, are compared
      refine(flat_->view(), few, {states[i], walk_precision(skeleton_, 0.3)}, refinement, states[i]);
    });
    stages_.add("rivals");
    const int every = age_ < 30 ? 5 : 15;
    if (age_ % every == every - 1) {
      SearchSettings search_settings;
      search_settings.pelvis = Vector3f{state_[0], state_[1], state_[2]};
      search_settings.points = 300;
      search_settings.noise = sensor_deviation(settings_, distance());
      for (const Found& found : search(skeleton_, points(), search_settings, threads_)) states.push_back(found.state);
      stages_.add("search");
    }
    const std::vector<double> likelihood = judge(states);
    const auto best =
        static_cast<std::size_t>(std::max_element(likelihood.begin(), likelihood.end()) - likelihood.begin());
    if (likelihood[best] < likelihood[0] + clearly) return false;
    particles_->place(states[best], settings_.particles);
    return true;
  }

  // Log-likelihoods of poses by a part of the points, as much as their independent evidence allows.
  std::vector<double> judge(const std::vector<std::vector<float>>& states) {
    std::vector<float> xyz, capsules;
    std::vector<std::uint8_t> background;
    for (const bool behind : {false, true}) {
      const PointList some =
          (behind ? points().background : points().person).thinned(behind ? judge_points : 2 * judge_points);
      for (std::size_t i = 0; i < some.size(); ++i) {
        xyz.insert(xyz.end(), {some[i].x, some[i].y, some[i].z});
        background.push_back(behind ? 1 : 0);
      }
    }
    for (const std::vector<float>& state : states) {
      const std::vector<float> skin = pose_capsules(skeleton_, to_pose(state));
      capsules.insert(capsules.end(), skin.begin(), skin.end());
    }
    std::vector<double> likelihood(states.size());
    judge_->set_points({xyz.data(), background.size(), background});
    judge_->evaluate({capsules.data(), states.size(), skeleton_.capsules.size(), capsule_floats}, likelihood);
    for (double& value : likelihood)
      value *= evidence_at(settings_, states.front()[2]) * settings_.independent_points / (2.0 * judge_points);
    return likelihood;
  }

  // The frame's points for refinements on the host. They are arranged when first asked for: a device weighs meanwhile.
  const RefinePoints& points() {
    if (!points_known_) points_.set(frame_points_);
    points_known_ = true;
    return points_;
  }

  // Of the points of the person, the one in the middle.
  double distance() { return points().person.size() == 0 ? 0 : points().person[points().person.size() / 2].z; }

  // Independent points a point.
  double evidence() {
    return evidence_at(settings_, state_[2]) * settings_.independent_points /
           static_cast<double>(std::max<std::size_t>(1, points().person.size()));
  }

  double fit(const Estimate& estimate) {
    const LikelihoodSettings& likelihood = settings_.likelihood;
    const double squares = -2 * likelihood.sigma * likelihood.sigma * estimate.log_likelihood;
    const double worst = static_cast<double>(points().person.size()) * likelihood.tau * likelihood.tau;
    return worst > 0 ? 1 - squares / worst : 0;
  }

  bool lost(const Estimate& estimate) {
    const double now = fit(estimate);
    if (now < std::max(least_fit, lost_below * level_)) return true;
    level_ = level_ == 0 ? now : 0.9 * level_ + 0.1 * now;
    return false;
  }

  // Every third frame is kept until there are enough of them; the shape is fitted early, and once more with all.
  void learn_shape() {
    if (!settings_.fit_shape || shape_known_ || frames_++ % 3 != 0) return;
    shape_frames_.push_back({{points().person.thinned(1500), points().background.thinned(750)}, state_});
    const std::size_t kept = shape_frames_.size();
    if (kept != 4 && kept != 10) return;
    const ShapeFit fit = fit_shape(skeleton_, shape_frames_, threads_);
    for (std::size_t f = 0; f < kept; ++f) shape_frames_[f].state = fit.states[f];
    set_skeleton(fit.skeleton);
    particles_->place(fit.states.back(), settings_.particles);
    shape_known_ = kept >= 10;
    stages_.add("shape");
  }

  TrackerSettings settings_;
  Skeleton skeleton_;
  Backend backend_;
  Threads threads_;
  std::unique_ptr<FlatSkeleton> flat_;
  std::unique_ptr<Rivals> rivals_;
  std::size_t next_rival_ = 0;
  int age_ = 0;  // frames since the person was found
  std::unique_ptr<Likelihood> judge_;
  std::unique_ptr<Particles> particles_;
  PointsView frame_points_;  // of the frame under way
  RefinePoints points_;      // see points()
  bool points_known_ = false;
  std::vector<float> state_;
  std::vector<Place> places_;  // of its joints
  Stages stages_;
  bool tracking_ = false;
  std::optional<double> last_time_;
  double level_ = 0;  // running level of fit()
  int frames_ = 0;
  bool shape_known_ = false;
  std::vector<ShapeFrame> shape_frames_;
};

}  // namespace

void fill_in(TrackerSettings& settings, Backend backend) {
  const auto cores = static_cast<std::size_t>(std::max(1U, std::thread::hardware_concurrency()));
  const bool gpu = choose(backend) == Backend::cuda;
  if (settings.particles == 0) settings.particles = gpu ? 2000 : std::clamp<std::size_t>(100 * cores, 200, 2000);
  if (settings.points == 0) settings.points = gpu ? 43000 : 3000;
}

std::unique_ptr<Tracker> make_tracker(const Skeleton& skeleton, const TrackerSettings& settings, Backend backend) {
  return std::make_unique<BodyTracker>(skeleton, settings, backend);
}

}  // namespace kinema::body
