#include "body/smoothing/trajectory.h"

#include "body/constants_mechanisms.h"
#include "body/particles/motion.h"
#include "body/smoothing/block_band.h"

#include <algorithm>
#include <array>

namespace kinema::body {
namespace {

using namespace constants::motion;

// The frames linearised about their poses.
struct Linearisation {
  std::vector<std::vector<float>> states;
  std::vector<PointEvidence> evidence;      // of points and comfort
  std::vector<Eigen::VectorXd> innovation;  // of the motion that led to each frame
  double cost = 0;
};

class Fit {
public:
  Fit(const TrajectoryModel& model, std::span<TrajectoryFrame> frames, std::size_t settled, const Threads& threads,
      const TrajectorySettings& settings)
      : model_(model), frames_(frames), settled_(settled), threads_(threads), settings_(settings) {}

  void run() {
    std::vector<std::vector<float>> states;
    states.reserve(frames_.size());
    for (const TrajectoryFrame& frame : frames_) states.emplace_back(frame.state);
    Linearisation linearised;
    for (int pass = 0; pass < settings_.passes; ++pass) {
      precision_.clear();
      for (std::size_t t = 0; t < frames_.size(); ++t) precision_.emplace_back(variance(states, t).cwiseInverse());
      if (pass == 0)
        linearised = linearise(states);
      else
        add_up(linearised);
      bool moved = true;
      for (int step = 0; step < settings_.steps && moved; ++step) moved = improve(linearised);
      states = linearised.states;
    }
    std::vector<Eigen::MatrixXd> covariance;
    if (settings_.covariances) covariance = factored(linearised, gradient(linearised)).inverse_diagonal();
    for (std::size_t t = settled_; t < frames_.size(); ++t) {
      frames_[t].state = linearised.states[t];
      frames_[t].information = std::move(linearised.evidence[t].information);
      if (settings_.covariances) frames_[t].covariance = covariance[t - settled_];
    }
  }

private:
  int size() const { return tangent_size(model_.kinematics); }

  // x_t = c[0] follows from x_t-1 and x_t-2: the innovation is the sum of all three with these factors.
  std::array<double, 3> factors(std::size_t t) const {
    if (t < 2) return {1, -1, 0};
    const double kept = settings_.velocity_kept * frames_[t].seconds / frames_[t - 1].seconds;
    return {1, -(1 + kept), kept};
  }

  // The variance of the motion that led to frame t: a joint changes its speed in proportion to it.
  Eigen::VectorXd variance(const std::vector<std::vector<float>>& states, std::size_t t) const {
    std::vector<double> share(static_cast<std::size_t>(model_.joint.back()) + 1, 0);  // of the fastest motion
    // before and after apart: a hand that goes out and comes back is fast
    const auto add = [&](std::size_t from, std::size_t to) {
      double seconds = 0;
      for (std::size_t i = from + 1; i <= to; ++i) seconds += frames_[i].seconds;
      if (seconds <= 0) return;
      const Eigen::VectorXd way = difference(states[from], states[to]);
      for (int i = 0; i < size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        double& own = share[static_cast<std::size_t>(model_.joint[at])];
        own = std::max(own, std::abs(way[i]) / seconds / model_.speed[at]);
      }
    };
    add(t > speed_window ? t - speed_window : 0, t);
    add(t, std::min(t + speed_window, frames_.size() - 1));
    Eigen::VectorXd result(size());
    for (int i = 0; i < size(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double part = settings_.still_share + speed_change * share[static_cast<std::size_t>(model_.joint[at])];
      const double deviation = std::min(1.0, part) * model_.speed[at] * frames_[t].seconds;
      result[i] = deviation * deviation + 1e-12;
    }
    return result;
  }

  Eigen::VectorXd difference(const std::vector<float>& from, const std::vector<float>& to) const {
    Eigen::VectorXf tangent(size());
    state_difference(model_.kinematics, from.data(), to.data(), tangent.data());
    return tangent.cast<double>();
  }

  Linearisation linearise(std::vector<std::vector<float>> states) const {
    Linearisation linearised;
    linearised.states = std::move(states);
    linearised.evidence.resize(frames_.size());
    linearised.innovation.resize(frames_.size());
    threads_.for_each(frames_.size() - settled_, [&](std::size_t i) {
      const std::size_t t = settled_ + i;
      linearised.evidence[t] =
          point_evidence(model_.kinematics, frames_[t].points, frames_[t].refinement, linearised.states[t], threads_);
      if (mechanisms::smoothed_comfort) add_comfort(linearised.states[t], linearised.evidence[t]);
      if (t == 0) return;
      linearised.innovation[t] = difference(linearised.states[t - 1], linearised.states[t]);
      if (t > 1)
        linearised.innovation[t] -= factors(t)[2] * difference(linearised.states[t - 2], linearised.states[t - 1]);
    });
    add_up(linearised);
    return linearised;
  }

  void add_up(Linearisation& linearised) const {
    linearised.cost = 0;
    for (std::size_t t = settled_; t < frames_.size(); ++t) {
      linearised.cost += linearised.evidence[t].cost;
      if (t > 0) linearised.cost += 0.5 * precision_[t].dot(linearised.innovation[t].cwiseAbs2());
    }
  }

  void add_comfort(const std::vector<float>& state, PointEvidence& evidence) const {
    const Comfort& comfort = model_.comfort;
    evidence.cost += comfort.cost(state);
    for (std::size_t i = 0; i < comfort.angles.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(root_tangent + i);
      evidence.gradient[at] += comfort.precision[i] * (state[root_floats + i] - comfort.angles[i]);
      evidence.information(at, at) += comfort.precision[i];
    }
  }

  Eigen::VectorXd gradient(const Linearisation& linearised) const {
    Eigen::VectorXd sum(static_cast<Eigen::Index>(frames_.size() - settled_) * size());
    const auto part = [&](std::size_t t) {
      return sum.segment(static_cast<Eigen::Index>(t - settled_) * size(), size());
    };
    for (std::size_t t = settled_; t < frames_.size(); ++t) {
      part(t) = linearised.evidence[t].gradient;
      if (t == 0) continue;
      const Eigen::VectorXd force = precision_[t].cwiseProduct(linearised.innovation[t]);
      for (std::size_t a = 0; a < 3 && settled_ + a <= t; ++a) part(t - a) += factors(t)[a] * force;
    }
    return sum;
  }

  BlockBand factored(const Linearisation& linearised, const Eigen::VectorXd& gradient) const {
    BlockBand matrix(frames_.size() - settled_, size());
    for (std::size_t t = settled_; t < frames_.size(); ++t) {
      matrix.block(t - settled_, 0) += linearised.evidence[t].information;
      if (t == 0) continue;
      const std::array<double, 3> factor = factors(t);
      for (std::size_t a = 0; a < 3 && settled_ + a <= t; ++a) {
        for (std::size_t b = a; b < 3 && settled_ + b <= t; ++b) {
          matrix.block(t - settled_ - a, b - a).diagonal() += factor[a] * factor[b] * precision_[t];
        }
      }
    }
    // an angle that is pushed beyond its limit stays there, and the others move without it
    for (std::size_t t = settled_; t < frames_.size(); ++t) {
      Eigen::MatrixXd& own = matrix.block(t - settled_, 0);
      for (int i = root_tangent; i < size(); ++i) {
        const float angle = linearised.states[t][static_cast<std::size_t>(root_floats + i - root_tangent)];
        const double slope = gradient[static_cast<Eigen::Index>(t - settled_) * size() + i];
        const bool low = angle <= model_.kinematics.lower[i - root_tangent] && slope > 0;
        const bool high = angle >= model_.kinematics.upper[i - root_tangent] && slope < 0;
        if (low || high) own(i, i) *= 1e6;
      }
    }
    matrix.factor();
    return matrix;
  }

  // One step, shortened until it helps; false where none does, or none is expected to.
  bool improve(Linearisation& linearised) const {
    const Eigen::VectorXd slope = gradient(linearised);
    Eigen::VectorXd step = slope;
    factored(linearised, slope).solve(step);
    if (0.5 * slope.dot(step) < constants::smoothing::least_gain) return false;
    for (double share : {1.0, 0.5, 0.25}) {
      std::vector<std::vector<float>> states = linearised.states;
      for (std::size_t t = settled_; t < frames_.size(); ++t) {
        const Eigen::VectorXf tangent =
            (-share * step.segment(static_cast<Eigen::Index>(t - settled_) * size(), size())).cast<float>();
        move_state(model_.kinematics, tangent.data(), states[t].data());
      }
      Linearisation next = linearise(std::move(states));
      if (next.cost >= linearised.cost) continue;
      linearised = std::move(next);
      return true;
    }
    return false;
  }

  const TrajectoryModel& model_;
  std::span<TrajectoryFrame> frames_;
  std::size_t settled_;
  const Threads& threads_;
  TrajectorySettings settings_;
  std::vector<Eigen::VectorXd> precision_;  // of the motion that led to each frame
};

}  // namespace

void fit_trajectory(const TrajectoryModel& model, std::span<TrajectoryFrame> frames, std::size_t settled,
                    const Threads& threads, const TrajectorySettings& settings) {
  if (settled < frames.size()) Fit(model, frames, settled, threads, settings).run();
}

std::vector<double> joint_variances(const Kinematics& kinematics, std::span<const float> state,
                                    const Eigen::MatrixXd& covariance) {
  const Eigen::MatrixXd moves = joint_derivatives(kinematics, state);
  const Eigen::MatrixXd spread = covariance * moves.transpose();
  std::vector<double> variances;
  for (int j = 0; j < kinematics.joint_count; ++j) {
    const double trace = (moves.middleRows<3>(3 * j) * spread.middleCols<3>(3 * j)).trace();
    variances.push_back(std::max(0.0, trace / 3));
  }
  return variances;
}

}  // namespace kinema::body
