// The likeliest trajectory of poses through consecutive frames: the filter's estimates, corrected by what was seen
// later. A limb that is hidden for a while is placed between where it was seen before and after.
//
// Minimises  sum_t [ points_t(x_t) + comfort(x_t) ] + 1/2 sum_t |x_t - x_t-1 - k (x_t-1 - x_t-2)|^2_Qt,  over the poses
// x_t of all frames, where points_t is the sum of refine.h, the weak comfort that of expected_pose(), k the share of
// its velocity that a pose keeps, and Qt the precision of the motion. People rest most of the time and then move fast: a
// joint changes its speed in proportion to it, so Qt is high for one that rests, which is then still. Each Gauss-Newton
// step is a smoother of Rauch, Tung and Striebel about the previous iterate, with three consecutive poses coupled.
#pragma once

#include "body/constants.h"
#include "body/particles/motion.h"
#include "body/refine/refine.h"
#include "body/smoothing/constants_smoothing.h"

#include <span>
#include <vector>

namespace kinema::body {

struct TrajectoryFrame {
  double seconds = 0;           ///< since the previous frame
  RefinePoints points;          ///< what was seen
  RefineSettings refinement;    ///< how points are weighed
  std::vector<float> state;     ///< improved in place
  Eigen::MatrixXd information;  ///< of its points and of comfort about the pose's tangent
  Eigen::MatrixXd covariance;   ///< of that tangent, given all frames
};

struct TrajectoryModel {
  Kinematics kinematics;
  std::vector<double> speed;  ///< walk_speed()
  std::vector<int> joint;     ///< joint_of_tangent()
  Comfort comfort;

  explicit TrajectoryModel(const Skeleton& skeleton, Kinematics view)
      : kinematics(view), speed(walk_speed(skeleton)), joint(joint_of_tangent(skeleton)), comfort(skeleton) {}
};

struct TrajectorySettings {
  double still_share = constants::motion::still_share;
  double velocity_kept = constants::motion::kept_velocity;
  int steps = constants::smoothing::trajectory_steps;
  int passes = 1;  ///< each after the first takes the speeds of joints from the trajectory found before
  bool covariances = true;
};

/// Corrects frames, all except the first `settled`, which stay fixed.
void fit_trajectory(const TrajectoryModel& model, std::span<TrajectoryFrame> frames, std::size_t settled,
                    const Threads& threads, const TrajectorySettings& settings = {});

/// Variance of each joint's place along an axis, from a covariance of the tangent.
std::vector<double> joint_variances(const Kinematics& kinematics, std::span<const float> state,
                                    const Eigen::MatrixXd& covariance);

}  // namespace kinema::body
