// Constants of poses that other frames correct: see constants.h.
#pragma once

#include "core/constant.h"

#include <cstddef>

namespace kinema::body::constants {

// smoother.cpp, causal_smoother.cpp, trajectory.cpp
namespace smoothing {

/// Points of the person that are kept of a frame.
KINEMA_CONSTANT(std::size_t, smoothed_points, 3000);  // points
/// Rays past the person that are kept of a frame.
KINEMA_CONSTANT(std::size_t, smoothed_background_points, 1500);  // points
/// However well points fit, they do not count for more than this allows; see evidence_shared(). [CMU clips]
KINEMA_CONSTANT(double, least_evidence_shared, 0.1);  // ratio
/// Whoever moves further from one frame to the next than this and `fastest` allow was found anew. [CMU clips, before:
/// 0.5]
KINEMA_CONSTANT(double, jump, 0.3);  // metres
/// See jump. [CMU clips]
KINEMA_CONSTANT(double, fastest, 5);  // metres per second
/// Likewise of turns. [CMU clips, before: 1]
KINEMA_CONSTANT(double, spin, 0.7);  // radians
/// See spin. [CMU clips]
KINEMA_CONSTANT(double, fastest_turn, 6);  // radians per second
/// As still_share, where the estimate of the current frame is held to the motion. [real Kinect recordings of UTD-MHAD,
/// subjects 1 to 4]
KINEMA_CONSTANT(double, causal_still_share, 0.01);  // share of the deviation of fast motion
/// Gauss-Newton steps of that. [time of a frame]
KINEMA_CONSTANT(int, causal_steps, 3);  // steps
/// Time in which that estimate takes a shape over that was fitted again. [real Kinect recordings of UTD-MHAD, subjects
/// 1 to 4]
KINEMA_CONSTANT(double, shape_transition, 0.5);  // seconds
/// Gain of a step below which a trajectory is left as it is: half of all steps, which gain 0.4 in all of a cost of 80.
/// [time of a frame]
KINEMA_CONSTANT(double, least_gain, 0.2);  // natural logarithm of the likelihood
/// Times that a trajectory is fitted: how fast joints move is taken from the poses given at first, which tremble, and
/// then from the trajectory found before. [real Kinect recordings of UTD-MHAD, subjects 1 to 4]
KINEMA_CONSTANT(int, speed_passes, 2);  // fits
/// A pose that is followed back from later frames replaces the one found at first if it explains the frame so much better.
/// [realistic pairs]
KINEMA_CONSTANT(double, clearly_better, 0.5);  // natural logarithm of the likelihood
/// The same of the points of a depth camera. [realistic scenes of several people; with 0.5 hidden arms are led astray]
KINEMA_CONSTANT(double, clearly_better_seen, 2);  // natural logarithm of the likelihood
/// Of several people: a joint is seen where so many points
KINEMA_CONSTANT(std::size_t, seen_points, 10);  // points
/// are within this of its flesh.
KINEMA_CONSTANT(double, seen_within, 0.1);  // metres
/// One that is not seen may be off by this much of the way that it went since. [realistic scenes of several people]
KINEMA_CONSTANT(double, unseen_share, 0.5);  // share
/// Gauss-Newton steps of a trajectory, at most.
KINEMA_CONSTANT(int, trajectory_steps, 4);  // steps

}  // namespace smoothing

}  // namespace kinema::body::constants
