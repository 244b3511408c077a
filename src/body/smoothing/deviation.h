// The reported deviations of joints. The filter's own spread is correct where points err as the settings say. Here it
// is scaled by their residuals in the frame, and the error of a skin of capsules is added.
#pragma once

#include "body/refine/refine.h"

#include <span>
#include <vector>

namespace kinema::body {

/// The deviation of points from the skin of a pose: the standard deviation of a normal distribution with the same
/// median, which is robust against outliers. It includes the sensor's noise and the misfit of the capsules.
/// constants::deviation::residual_points points, evenly chosen, suffice; 0 where there are none.
double residual_deviation(const Kinematics& kinematics, const PointList& points, std::span<const float> state,
                          const Threads& threads);

/// Radius of the thickest capsule about each joint: its own, or those of its parent.
std::vector<double> flesh_radii(const Skeleton& skeleton);

/// What scales the filter's variance of a joint, or is missing from it.
struct ErrorSources {
  double residual = 0;        ///< residual_deviation() of the frame, metres
  double assumed = 0;         ///< the value that the filter assumed
  double shared = 0;          ///< deviation of the depth of all points together
  bool shape_fitted = false;  ///< lengths and radii are fitted, not given
};

/// The reported standard deviation, along an axis, of a joint with this flesh about it. `variance`: the filter's.
double stated_deviation(double variance, double flesh_radius, const ErrorSources& sources);

/// The factor by which a frame has fewer independent points than the settings say: points of one limb have correlated
/// errors, as large as in this frame.
double evidence_shared(const ErrorSources& sources);

/// The same for the variance of a smoother, which used evidence_shared() and the frames before and after.
double smoothed_deviation(double variance, double flesh_radius, const ErrorSources& sources);

/// The same for an angle between two bones, in radians. `flesh_turn`: by how much they turn if each of their ends is off
/// by the radius of the flesh about it. Errors that all points share move the person, but do not turn bones.
double smoothed_angle_deviation(double variance, double flesh_turn, const ErrorSources& sources);

}  // namespace kinema::body
