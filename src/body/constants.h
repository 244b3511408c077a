// Constants of the body tracker that were chosen by trial: see core/constant.h. Those of the foreground are in
// constants_foreground.h, those of floor, walls and seats in constants_scene.h, those of stereo pairs in constants_pairs.h, those
// of the search for a person in constants_search.h, those of poses that other frames correct in constants_smoothing.h and
// constants_steady.h. Names are unique across all of them.
//
// "CMU clips": the clips of docs/accuracy.md, with which the others were measured too; "before" is an earlier value that did
// worse there.
#pragma once

#include "core/constant.h"

#include <cstddef>

namespace kinema::body::constants {

// One frame after another: tracker.cpp, filter.cpp.
namespace pipeline {

/// Standard deviation of the error that matching and calibration leave in all disparities of a person together.
/// [realistic pairs: the mean square of errors over stated deviations is 2.1 (2.6 with 0.1)]
KINEMA_CONSTANT(double, shared_disparity, 0.15);  // pixels
/// Fewer points than this are nobody.
KINEMA_CONSTANT(std::size_t, fewest_person_points, 60);  // points
/// Time before the first frame, where there is none to measure it from. [frame rate of common cameras]
KINEMA_CONSTANT(double, usual_interval, 1.0 / 30);  // seconds
/// Frames that follow each other faster, or whose times go backwards, count as this far apart.
KINEMA_CONSTANT(double, shortest_interval, 1e-3);  // seconds
/// After a longer gap a pose is expected as after this one.
KINEMA_CONSTANT(double, longest_interval, 0.5);  // seconds
/// Particles of the cuda backend, where the caller leaves them open. [time of a frame; more do not lessen errors, see
/// core_particles]
KINEMA_CONSTANT(std::size_t, gpu_particles, 1000);  // particles
/// Particles of the other backends, likewise. [time of a frame; realistic people and real Kinect recordings: 50 to 400
/// are equally accurate]
KINEMA_CONSTANT(std::size_t, core_particles, 50);  // particles per core
/// Particles of the other backends, at least. [time of a frame; realistic people and real Kinect recordings: 50 to 400
/// are equally accurate]
KINEMA_CONSTANT(std::size_t, fewest_particles, 100);  // particles
/// Particles of the other backends, at most.
KINEMA_CONSTANT(std::size_t, most_particles, 2000);  // particles
/// Points of the person with the cuda backend, where the caller leaves them open. [the paper, which has as many]
KINEMA_CONSTANT(std::size_t, gpu_points, 43000);  // points
/// Points of the person with the other backends, likewise.
KINEMA_CONSTANT(std::size_t, cpu_points, 3000);  // points
/// Points of the person that are used on the host beside a device, and half as many rays past it. [as cpu_points]
KINEMA_CONSTANT(std::size_t, host_points, 3000);  // points
/// Rays past the person, at most, likewise. They say whether there is somebody, not where the skin is: a few thousand
/// draw the outline, and more of them take a fifth of a GPU's frame. [time of a frame on a GPU]
KINEMA_CONSTANT(std::size_t, most_background_points, 3000);  // points

}  // namespace pipeline

// How many particles and points a live camera leaves time for: pace.cpp.
namespace pace {

/// Frames are judged together for this long.
KINEMA_CONSTANT(double, window, 1.0);  // seconds
/// Fewer frames than this say nothing about the time of a frame.
KINEMA_CONSTANT(std::size_t, fewest_frames, 5);  // frames
/// Share of the time between two frames of the camera that tracking may take; the rest is for other programs.
KINEMA_CONSTANT(double, budget, 0.8);  // share
/// If more frames than this are late though the median is within the budget, the counts are lowered all the same.
KINEMA_CONSTANT(double, most_late, 0.1);  // share of the frames
/// The counts are then multiplied by this.
KINEMA_CONSTANT(double, lowering, 0.8);  // ratio
/// Where counts below `judged_below` of the first leave the median above `helps_below` of what it was, they are restored: time goes
/// elsewhere. They are judged anew once the median is `other_load` of that. [one H200, a camera of 240 frames per second]
KINEMA_CONSTANT(double, judged_below, 0.5);  // share
/// [likewise]
KINEMA_CONSTANT(double, helps_below, 0.85);  // share
KINEMA_CONSTANT(double, other_load, 1.3);    // ratio
/// Counts are raised again by `raising` after `patience` windows in which the median was below this share of the
/// budget.
KINEMA_CONSTANT(double, raise_below, 0.7);  // share
KINEMA_CONSTANT(double, raising, 1.25);     // ratio
/// Doubled each time that they had to be lowered again.
KINEMA_CONSTANT(int, patience, 3);        // windows
KINEMA_CONSTANT(int, most_patience, 48);  // windows
/// Counts are never lowered below these. [realistic people and real Kinect recordings: 50 to 400 are equally accurate]
KINEMA_CONSTANT(std::size_t, least_particles, 50);  // particles
KINEMA_CONSTANT(std::size_t, least_points, 700);    // points
/// Share of the budget that searches for rivals may take; they become rarer where they would take more.
KINEMA_CONSTANT(double, search_share, 0.2);  // share
/// At most this many times rarer than usual.
KINEMA_CONSTANT(int, most_search_rest, 6);  // ratio

}  // namespace pace

// The particle filter, and when a person is lost: filter.cpp. The fit of a pose is its reduction of the cost of a
// frame, as a share of the cost with nobody at the pose: 1 is perfect.
namespace filter {

/// Below this the person is lost.
KINEMA_CONSTANT(double, lost_below, 0.6);  // share of the running level of the fit
/// Below this the person is lost, whatever the level.
KINEMA_CONSTANT(double, least_fit, 0.2);  // fit
/// A person who is found by a search fits at least this well.
KINEMA_CONSTANT(double, found_fit, 0.35);  // fit
/// Rate at which the running level follows the fit.
KINEMA_CONSTANT(double, level_rate, 0.1);  // share per frame
/// A rival takes over if it is this much more likely. [CMU clips, before: 2]
KINEMA_CONSTANT(double, clear_log_ratio, 5);  // logarithm of the ratio of likelihoods
/// A pose that a search found is as uncertain as one that wandered for this time. [CMU clips]
KINEMA_CONSTANT(double, found_spread, 0.1);  // seconds
/// Spread of the particles in an annealing layer, over that in the layer before.
KINEMA_CONSTANT(double, layer_spread, 0.5);  // ratio
/// Statures of a person who is not known at which a search starts. [children of three years to tall adults, in steps
/// that the first fit of the shape can correct]
inline constexpr double searched_statures[] = {0.95, 1.08, 1.22, 1.38, 1.52, 1.65, 1.78, 1.92};  // metres

}  // namespace filter

// Process noise of poses: motion.cpp, trajectory.cpp.
namespace motion {

/// How fast the first joint wanders.
KINEMA_CONSTANT(double, root_speed, 1.5);  // metres, standard deviation over a second
/// How fast it turns.
KINEMA_CONSTANT(double, root_turn_speed, 2.5);  // radians, standard deviation over a second
/// Share of its last velocity that a pose keeps, with Motion::constant_velocity and in the smoother.
KINEMA_CONSTANT(double, kept_velocity, 0.8);  // share per frame
/// Deviation of the motion of somebody at rest, in the smoother. [realistic people, and real Kinect recordings of
/// UTD-MHAD, subjects 1 to 4]
KINEMA_CONSTANT(double, still_share, 0.01);  // share of the deviation of fast motion
/// Change of a joint's speed from frame to frame, in the smoother. [realistic people, and real Kinect recordings of
/// UTD-MHAD, subjects 1 to 4]
KINEMA_CONSTANT(double, speed_change, 1.2);  // share of the speed
/// The speed of a joint is measured over as many frames before and after.
KINEMA_CONSTANT(std::size_t, speed_window, 3);  // frames
/// How far angles usually are from the most common rest pose, in joints with a wide range, at all times. [CMU clips,
/// before: 0.6, which pulled a runner's shins to where a standing person's are]
KINEMA_CONSTANT(double, comfort_deviation, 2);  // radians
/// The same in joints of little range, of spine, neck, clavicles and feet: people seldom use all of it, and a free neck
/// hides which way somebody faces. [real Kinect recordings of UTD-MHAD, subjects 1 to 4]
KINEMA_CONSTANT(double, comfort_share, 0.22);  // share of the range
/// A range up to this is little. [between that of spines and that of wrists]
KINEMA_CONSTANT(double, little_range, 1.85);  // radians

}  // namespace motion

// Gauss-Newton steps of a pose: refine.cpp and likewise refine_cuda.cu.
namespace refinement {

/// Beyond this distance from the skin a point has no weight.
KINEMA_CONSTANT(double, contact_reach, 0.12);  // metres
/// Standard deviation of a point about the skin of capsules.
KINEMA_CONSTANT(double, skin_deviation, 0.02);  // metres
/// As contact_reach, where points belong to what their rays meet. [realistic pairs]
KINEMA_CONSTANT(double, projective_reach, 0.08);  // metres
/// Their noise over the median of the deviations that they state. [realistic pairs]
KINEMA_CONSTANT(double, projective_noise, 0.5);  // ratio
/// Weight of a ray that saw past the person.
KINEMA_CONSTANT(double, free_space_weight, 6);  // weight of a point
/// Floors are uneven and soles thin: the end of a capsule may go this far under the floor. [CMU clips]
KINEMA_CONSTANT(double, into_floor, 0.02);  // metres
/// Damping of the first step (Levenberg and Marquardt).
KINEMA_CONSTANT(double, first_damping, 1e-3);  // share of the diagonal
/// Damping after steps that helped, at least.
KINEMA_CONSTANT(double, least_damping, 1e-6);  // share of the diagonal
/// Damping after a step that did not help, at least.
KINEMA_CONSTANT(double, least_raised_damping, 1e-3);  // share of the diagonal
/// Change of the damping by a step that helped.
KINEMA_CONSTANT(double, damping_decrease, 0.3);  // ratio
/// Change of the damping by a step that did not help.
KINEMA_CONSTANT(double, damping_increase, 10);  // ratio
/// After this many attempts that did not help a pose has converged.
KINEMA_CONSTANT(int, attempts, 4);  // attempts

}  // namespace refinement

// Averaging of the points of a distant person with their neighbours: denoised_points.cpp.
namespace denoising {

/// Points with no more noise stay as they are. [CMU clips; a skin of capsules is as uneven]
KINEMA_CONSTANT(double, negligible_noise, 0.02);  // metres
/// Distance from a point to a neighbour, at most. [CMU clips]
KINEMA_CONSTANT(double, averaging_reach, 0.06);  // metres
/// Two points further apart in inverse depth lie on different limbs. [three deviations of a difference]
KINEMA_CONSTANT(double, same_skin, 4.2);  // standard deviations
/// Neighbours are sought at least this far, which is to the next pixels.
KINEMA_CONSTANT(double, neighbour_spacing, 1.2);  // spacings of points
/// Points of a larger extent are nobody's, and are left as they are.
KINEMA_CONSTANT(double, widest_person, 10);  // metres
/// Side of a cell of the grid in which neighbours are sought.
KINEMA_CONSTANT(float, ray_cell, 0.03f);  // metres

}  // namespace denoising

// Reported deviations of joints: deviation.cpp. Chosen so that the normalised errors of docs/accuracy.md are near 1.
namespace deviation {

/// Points by which the residual of a frame is measured.
KINEMA_CONSTANT(std::size_t, residual_points, 1000);  // points
/// Points of one limb err together, and again in the next frame: their errors count for more than the number of
/// independent points lets expect. [CMU clips]
KINEMA_CONSTANT(double, error_together, 2);  // ratio
/// A peak wider than this is held by the last frame rather than by points, and has that frame's error too. [CMU clips]
KINEMA_CONSTANT(double, held_by_points, 0.04);  // metres
/// The points of somebody in clothes who is not known err alike in consecutive frames, which neither the filter nor the
/// smoother expects: so much larger is the variance. [realistic people]
KINEMA_CONSTANT(double, lasting_error, 2.5);  // ratio
/// Flesh is no capsule: a joint lies this far from where a skin of capsules puts it. [CMU clips on anatomical people,
/// before: 0.13]
KINEMA_CONSTANT(double, flesh_share, 0.08);  // share of the radius of the capsules
/// The same where lengths are fitted, which are off besides. [CMU clips, before: 0.18 and 0.17]
KINEMA_CONSTANT(double, fitted_flesh_share, 0.16);  // share of the radius of the capsules

}  // namespace deviation

// How people differ from the skeleton, and when they are measured: shape.cpp, shape_learner.cpp.
namespace shape {

/// Of the size of a person about the one at which a search found it. [half the step between two searched statures]
KINEMA_CONSTANT(double, size_deviation, 0.06);  // share
/// The same where the height was given: shoes, hair and how straight somebody stands.
KINEMA_CONSTANT(double, known_size_deviation, 0.015);  // share
/// Steps of a fit.
KINEMA_CONSTANT(int, shape_steps, 6);  // steps
/// How far a fit may move the poses of its frames.
KINEMA_CONSTANT(double, shape_pose_deviation, 0.2);  // metres and radians
/// At first, frames from one that is kept to the next. [CMU clips]
KINEMA_CONSTANT(int, shape_interval, 3);  // frames
/// A first fit is made with this many, so that the person is followed well enough to be measured. [CMU clips]
KINEMA_CONSTANT(std::size_t, early_shape_frames, 4);  // frames
/// A second one is made with this many, which a second shows. [CMU clips]
KINEMA_CONSTANT(std::size_t, enough_shape_frames, 10);  // frames
/// A further one is made with this many; then every second frame is dropped, and the interval doubles. [CMU clips]
KINEMA_CONSTANT(std::size_t, most_shape_frames, 20);  // frames
/// Points of the person that are kept of a frame.
KINEMA_CONSTANT(std::size_t, shape_points, 1500);  // points
/// Rays past the person that are kept of a frame.
KINEMA_CONSTANT(std::size_t, shape_background_points, 750);  // points
/// Flesh that is no capsule errs alike in all frames, so points say less about a shape than about a pose. [CMU clips]
KINEMA_CONSTANT(double, shape_evidence_together, 3);  // ratio

}  // namespace shape

}  // namespace kinema::body::constants
