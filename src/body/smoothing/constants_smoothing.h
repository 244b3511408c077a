// Constants of poses that other frames correct; see constants.h for the tags.
#pragma once

#include "core/constant.h"

#include <cstddef>

namespace kinema::body::constants {

// smoother.cpp, causal_smoother.cpp, trajectory.cpp
namespace smoothing {

/// Points of the person that are kept of a frame.
/// @unit points
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, smoothed_points, 3000);

/// Rays past the person that are kept of a frame.
/// @unit points
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, smoothed_background_points, 1500);

/// However well points fit, they do not count for more than this allows; see evidence_shared().
/// @unit ratio
/// @chosen CMU clips
KINEMA_CONSTANT(double, least_evidence_shared, 0.1);

/// Whoever moves further from one frame to the next than this and `fastest` allow was found anew.
/// @unit metres
/// @chosen CMU clips, before: 0.5
KINEMA_CONSTANT(double, jump, 0.3);

/// See jump.
/// @unit metres per second
/// @chosen CMU clips
KINEMA_CONSTANT(double, fastest, 5);

/// Likewise of turns.
/// @unit radians
/// @chosen CMU clips, before: 1
KINEMA_CONSTANT(double, spin, 0.7);

/// See spin.
/// @unit radians per second
/// @chosen CMU clips
KINEMA_CONSTANT(double, fastest_turn, 6);

/// As still_share, where the estimate of the current frame is held to the motion.
/// @unit share of the deviation of fast motion
/// @chosen real Kinect recordings of UTD-MHAD, subjects 1 to 4
KINEMA_CONSTANT(double, causal_still_share, 0.01);

/// Gauss-Newton steps of that.
/// @unit steps
/// @chosen time of a frame
KINEMA_CONSTANT(int, causal_steps, 3);

/// Time in which that estimate takes a shape over that was fitted again.
/// @unit seconds
/// @chosen real Kinect recordings of UTD-MHAD, subjects 1 to 4
KINEMA_CONSTANT(double, shape_transition, 0.5);

/// Gain of a step below which a trajectory is left as it is: half of all steps, which gain 0.4 in all of a cost of 80.
/// @unit natural logarithm of the likelihood
/// @chosen time of a frame
KINEMA_CONSTANT(double, least_gain, 0.2);

/// Times that a trajectory is fitted: how fast joints move is taken from the poses given at first, which tremble, and
/// then from the trajectory found before.
/// @unit fits
/// @chosen real Kinect recordings of UTD-MHAD, subjects 1 to 4
KINEMA_CONSTANT(int, speed_passes, 2);

/// Gauss-Newton steps of a trajectory, at most.
/// @unit steps
/// @chosen as first written
KINEMA_CONSTANT(int, trajectory_steps, 4);

}  // namespace smoothing

}  // namespace kinema::body::constants
