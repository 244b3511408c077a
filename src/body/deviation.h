// How sure the joints are, as it is stated: the filter's own spread holds if points err as the settings say. Here it is
// brought to how they err in the frame, and what a skin of capsules cannot tell is added.
#pragma once

#include "body/refine.h"

#include <span>
#include <vector>

namespace kinema::body {

/// How far points lie from the skin of a pose: the standard deviation of a normal distribution with the same median, to
/// which outliers do nothing. It holds the sensor's noise and the misfit of the capsules alike. So many points, evenly
/// chosen, are enough; 0 where there are none.
inline constexpr std::size_t residual_points = 1000;
double residual_deviation(const Kinematics& kinematics, const PointList& points, std::span<const float> state,
                          const Threads& threads);

/// Radius of the thickest capsule about each joint: its own, or those of the joint that it hangs from.
std::vector<double> flesh_radii(const Skeleton& skeleton);

/// What the variance of a joint's place is seen in the light of.
struct ErrorSources {
  double residual = 0;        ///< residual_deviation() of the frame, metres
  double assumed = 0;         ///< what the filter took it for
  double shared = 0;          ///< deviation of the depth of all points together
  bool shape_fitted = false;  ///< lengths and radii are fitted, not given
};

/// The standard deviation that is stated, along an axis, of a joint with such flesh about it. `variance`: the filter's.
double stated_deviation(double variance, double flesh_radius, const ErrorSources& sources);

/// Independent points of a frame are so many times fewer than the settings say: points of one limb err together, and by as
/// much as in this frame.
double evidence_shared(const ErrorSources& sources);

/// The same where the variance is that of a smoother, which had evidence_shared() and knew the frames before and after.
double smoothed_deviation(double variance, double flesh_radius, const ErrorSources& sources);

}  // namespace kinema::body
