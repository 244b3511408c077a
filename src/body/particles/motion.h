// Motion models: the noise of a pose from one frame to the next, p(theta_t | theta_t-1) of section 2.
#pragma once

#include "body/constants.h"
#include "body/refine/refine_settings.h"
#include "body/skeleton/tangent.h"
#include "kinema/body_tracker.h"

#include <span>
#include <vector>

namespace kinema::body {

using constants::motion::root_speed;
using constants::motion::root_turn_speed;

/// The most common rest pose, and the precision with which each angle is held to it: little in joints with a wide range.
struct Comfort {
  std::vector<double> angles, precision;

  explicit Comfort(const Skeleton& skeleton);

  /// -log p of the angles of a state, up to a constant: how unusual a posture is.
  double cost(std::span<const float> state) const;
};

/// The prior of a refinement: the predicted state, with the precision of a walk of `seconds`, and, far weaker, the most
/// common rest pose: a limb that is hidden for a while goes there instead of drifting.
PosePrior expected_pose(const Skeleton& skeleton, std::span<const float> predicted, double seconds);

/// Share of the last velocity that a pose keeps.
double velocity_kept(Motion motion);

/// The number of noise-free points that are as informative as a frame with this noise.
double independent_points(const TrackerSettings& settings, const PointNoise& noise);

/// The refinement settings for a tracker's settings and a frame with this number of points and this noise.
RefineSettings refine_settings(const TrackerSettings& settings, std::size_t points, const PointNoise& noise);

/// The spatial prior: noise that displaces every bone end by about `deviation` metres whatever the pose, instead of
/// noise of a fixed size in the angles, which displaces a hand far and a head hardly. With J the derivative of all
/// joints' places by the tangent, samples have the covariance (J^T J / deviation^2 + D)^-1, where D limits numbers that
/// move no joint (twists of straight limbs) to their walk. Linearised at `state` and shared by all particles. Returns
/// the factor (tangent, tangent), row-major, that turns independent normal numbers into such a sample.
std::vector<float> spatial_factor(const Kinematics& kinematics, std::span<const float> state, double deviation,
                                  std::span<const float> walk);

}  // namespace kinema::body
