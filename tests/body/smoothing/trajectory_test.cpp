// Courses of poses through several frames.
#include "body/smoothing/trajectory.h"
#include "body/particles/motion.h"
#include "core/geometry.h"
#include "tracker_scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace kinema::body {
namespace {

class BodyTrajectory : public ::testing::Test {
protected:
  TrajectoryModel model() const { return TrajectoryModel(skeleton, flat.view()); }
  Vec3 place(std::span<const float> state, const char* joint) const {
    return joint_positions(skeleton, to_pose(state)).at(static_cast<std::size_t>(skeleton.find(joint)));
  }

  const Skeleton skeleton = default_human();
  const FlatSkeleton flat{skeleton};
  const Threads threads{1};
};

// A number that goes on as x_t = x_t-1 + k (x_t-1 - x_t-2) + noise from two that are known, and is measured in every frame:
// the Kalman filter, and back through it the smoother of Rauch, Tung and Striebel, for the state (x_t, x_t-1).
struct Belief {
  double mean, variance;
};
std::vector<Belief> kalman_smoother(double before, double last, std::size_t count, double kept, double walk,
                                    double measured, double precision) {
  using Matrix = Eigen::Matrix2d;
  using Vector = Eigen::Vector2d;
  const Matrix go = (Matrix() << 1 + kept, -kept, 1, 0).finished();
  const Matrix noise = (Matrix() << walk * walk, 0, 0, 0).finished();
  std::vector<Vector> mean, predicted_mean;
  std::vector<Matrix> covariance, predicted;
  Vector x(last, before);
  Matrix p = Matrix::Zero();
  for (std::size_t t = 0; t < count; ++t) {
    x = go * x;
    p = go * p * go.transpose() + noise;
    predicted_mean.push_back(x);
    predicted.push_back(p);
    const double gain_below = p(0, 0) + (precision > 0 ? 1 / precision : INFINITY);
    const Vector gain = p.col(0) / gain_below;
    x += gain * (measured - x[0]);
    p -= gain * p.row(0);
    mean.push_back(x);
    covariance.push_back(p);
  }
  for (std::size_t t = count - 1; t-- > 0;) {
    // the older half of the first prediction is known, so the covariance has no inverse there
    const Matrix back =
        covariance[t] * go.transpose() * predicted[t + 1].completeOrthogonalDecomposition().pseudoInverse();
    mean[t] += back * (mean[t + 1] - predicted_mean[t + 1]);
    covariance[t] += back * (covariance[t + 1] - predicted[t + 1]) * back.transpose();
  }
  std::vector<Belief> beliefs;
  for (std::size_t t = 0; t < count; ++t) beliefs.push_back({mean[t][0], covariance[t](0, 0)});
  return beliefs;
}

TEST_F(BodyTrajectory, WithoutPointsItIsAKalmanSmoother) {
  constexpr double seconds = 0.4;  // long enough for the weak pull of the rest pose to matter
  constexpr std::size_t count = 6;
  TrajectorySettings settings;
  settings.still_share = 1;  // as fast as it can, whatever the speed
  std::vector<float> before = to_state(skeleton, standing(skeleton, 2.5, 0)), last = before;
  for (std::size_t i = root_floats; i < last.size(); ++i) {
    const std::size_t angle = i - root_floats;
    const float middle = 0.5F * (flat.view().lower[angle] + flat.view().upper[angle]);
    before[i] = 0.9F * before[i] + 0.1F * middle;
    last[i] = 0.85F * last[i] + 0.15F * middle;
  }
  last[0] += 0.1F;
  std::vector<TrajectoryFrame> frames(2 + count);
  for (std::size_t t = 0; t < frames.size(); ++t) frames[t] = {seconds, {}, {}, t == 0 ? before : last, {}, {}};
  fit_trajectory(model(), frames, 2, threads, settings);

  EXPECT_EQ(frames[0].state, before);
  EXPECT_EQ(frames[1].state, last);
  const std::vector<double> rest = model().comfort.angles, comfort = model().comfort.precision, speed = model().speed;
  const auto expect = [&](std::size_t number, std::size_t tangent, double measured, double precision) {
    const std::vector<Belief> beliefs = kalman_smoother(before[number], last[number], count, settings.velocity_kept,
                                                        speed[tangent] * seconds, measured, precision);
    const auto at = static_cast<Eigen::Index>(tangent);
    for (std::size_t t = 0; t < count; ++t) {
      // states are floats
      EXPECT_NEAR(frames[2 + t].state[number], beliefs[t].mean, 2e-5) << number << ' ' << t;
      EXPECT_NEAR(frames[2 + t].covariance(at, at) / beliefs[t].variance, 1, 1e-6) << number << ' ' << t;
    }
  };
  for (std::size_t i = 0; i < 3; ++i) expect(i, i, 0, 0);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    // limits are not linear
    const auto outside = [&](const TrajectoryFrame& frame) {
      const float angle = frame.state[root_floats + i];
      return angle <= flat.view().lower[i] || angle >= flat.view().upper[i];
    };
    if (std::any_of(frames.begin(), frames.end(), outside)) continue;
    expect(root_floats + i, root_tangent + i, rest[i], comfort[i]);
  }
}

TEST_F(BodyTrajectory, WhoRestsIsStillAndWhoMovesIsNotHeldBack) {
  // noise on the poses of a filter, of somebody who stands, then raises an arm in half a second
  std::vector<TrajectoryFrame> frames;
  std::vector<Pose> truth;
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.01);
  for (int t = 0; t < 30; ++t) {
    Pose pose = standing(skeleton, 2.5, 0);
    const double raised = std::clamp((t - 14) / 15.0, 0.0, 1.0);
    turn(skeleton, pose, "left_shoulder", 1, 1.2 * (3 - 2 * raised) * raised * raised);
    truth.push_back(pose);
    TrajectoryFrame frame;
    frame.seconds = 1.0 / 30;
    frame.points = see(skeleton, pose).refine_points();
    frame.refinement.evidence = 10.0 / static_cast<double>(frame.points.person.size());
    for (double& angle : pose.angles) angle += noise(random);
    frame.state = to_state(skeleton, pose);
    frames.push_back(std::move(frame));
  }
  const auto unrest = [&](const char* joint) {
    double sum = 0;
    for (std::size_t t = 1; t < 12; ++t)
      sum += norm(place(frames[t + 1].state, joint) - 2 * place(frames[t].state, joint) +
                  place(frames[t - 1].state, joint));
    return sum / 11;
  };
  const double before = unrest("right_wrist");
  fit_trajectory(model(), frames, 0, threads);
  EXPECT_LT(unrest("right_wrist"), before / 5);
  for (std::size_t t = 0; t < frames.size(); ++t)
    EXPECT_LT(distance(place(frames[t].state, "left_wrist"), place(to_state(skeleton, truth[t]), "left_wrist")), 0.03)
        << t;
}

TEST_F(BodyTrajectory, AHiddenLimbIsPutBetweenWhereItWasSeen) {
  // a walker whose forearm nobody sees for a while, during which a filter left it behind
  Skeleton armless = skeleton;
  const int elbow = skeleton.find("left_elbow");
  std::erase_if(armless.capsules,
                [&](const SkinCapsule& capsule) { return capsule.joint >= elbow && capsule.joint <= elbow + 1; });
  std::vector<TrajectoryFrame> frames;
  std::vector<Pose> truth;
  const auto hidden = [](std::size_t t) { return t >= 4 && t < 8; };
  for (std::size_t t = 0; t < 12; ++t) {
    truth.push_back(walking(skeleton, static_cast<double>(t) / 30));
    TrajectoryFrame frame;
    frame.seconds = 1.0 / 30;
    frame.points = see(hidden(t) ? armless : skeleton, truth.back()).refine_points();
    if (hidden(t)) frame.points.background = {};  // something stands before it
    frame.refinement.evidence = 150.0 / static_cast<double>(frame.points.person.size());
    Pose filtered = truth.back();
    if (hidden(t)) turn(skeleton, filtered, "left_elbow", 0, 1.2);
    frame.state = to_state(skeleton, filtered);
    frames.push_back(std::move(frame));
  }
  const auto error = [&](std::size_t t) {
    return distance(place(frames[t].state, "left_wrist"), place(to_state(skeleton, truth[t]), "left_wrist"));
  };
  std::vector<double> before;
  for (std::size_t t = 0; t < frames.size(); ++t) before.push_back(error(t));
  fit_trajectory(model(), frames, 0, threads);

  const auto wrist = static_cast<std::size_t>(skeleton.find("left_wrist"));
  const auto deviation = [&](std::size_t t) {
    return std::sqrt(joint_variances(flat.view(), frames[t].state, frames[t].covariance)[wrist]);
  };
  for (std::size_t t = 0; t < frames.size(); ++t) {
    if (!hidden(t)) {
      EXPECT_LT(error(t), 0.02) << t;  // a pixel is 2 cm wide there
      continue;
    }
    EXPECT_GT(before[t], 0.1) << t;
    EXPECT_LT(error(t), 0.04) << t;
    EXPECT_GT(deviation(t), deviation(1)) << t;  // and it says that it was not seen
    EXPECT_TRUE(within_limits(skeleton, frames[t].state));
  }
}

TEST_F(BodyTrajectory, SettledFramesAndNoFramesAreLeftAlone) {
  std::vector<TrajectoryFrame> frames;
  fit_trajectory(model(), frames, 0, threads);
  frames.push_back({1.0 / 30,
                    see(skeleton, walking(skeleton, 0)).refine_points(),
                    {},
                    to_state(skeleton, walking(skeleton, 0)),
                    {},
                    {}});
  const std::vector<float> state = frames[0].state;
  fit_trajectory(model(), frames, 1, threads);
  EXPECT_EQ(frames[0].state, state);
  EXPECT_EQ(frames[0].covariance.size(), 0);
}

}  // namespace
}  // namespace kinema::body
