// Constants of the search for a person and of rival poses that were chosen by trial: see constants.h.
#pragma once

#include "core/constant.h"

#include <cstddef>

namespace kinema::body::constants {

// Finding a person without an initial pose: search.cpp.
namespace search {

/// Facings of a person at which a search starts.
KINEMA_CONSTANT(int, facings, 12);  // directions
/// Points of the person in the first round. The second has twice as many, the third four times.
KINEMA_CONSTANT(std::size_t, search_points, 500);  // points
/// The points of a person lie this far before its middle.
KINEMA_CONSTANT(float, half_depth, 0.07f);  // metres
/// Of this many points, one may lie above the crown.
KINEMA_CONSTANT(std::size_t, crown_outliers, 100);  // points
/// How far angles may be from those of a rest pose.
KINEMA_CONSTANT(double, start_angle_deviation, 0.6);  // radians
/// How far the pelvis may be from where the points put it.
KINEMA_CONSTANT(double, start_position_deviation, 0.5);  // metres
/// How far from upright people stand.
KINEMA_CONSTANT(double, start_tilt_deviation, 0.2);  // radians
/// Before the first round of a search over many sizes, one pose in this many is kept of each, by a look at one point in
/// this many. [time of a search, on starts in real recordings]
KINEMA_CONSTANT(std::size_t, weeding, 3);  // ratio
/// Steps of that look. [time of a search, on starts in real recordings]
KINEMA_CONSTANT(int, weeding_steps, 2);  // steps
/// Distance from the skin beyond which points have no weight, in the first round.
KINEMA_CONSTANT(double, first_round_reach, 0.4);  // metres
/// Steps of that round.
KINEMA_CONSTANT(int, first_round_steps, 4);  // steps
/// Candidates of the second round.
KINEMA_CONSTANT(std::size_t, second_round_candidates, 40);  // poses
/// As first_round_reach.
KINEMA_CONSTANT(double, second_round_reach, 0.25);  // metres
/// Steps of that round.
KINEMA_CONSTANT(int, second_round_steps, 6);  // steps
/// Candidates of the third round.
KINEMA_CONSTANT(std::size_t, third_round_candidates, 10);  // poses
/// As first_round_reach.
KINEMA_CONSTANT(double, third_round_reach, 0.15);  // metres
/// Steps of that round.
KINEMA_CONSTANT(int, third_round_steps, 12);  // steps
/// Standard deviation of a point about the skin of somebody who is not known yet.
KINEMA_CONSTANT(double, search_skin_deviation, 0.03);  // metres
/// Weight of a ray that saw past the person: rays are fewer than points, and say where a limb ends. [real Kinect
/// recordings of UTD-MHAD, subjects 1 to 4]
KINEMA_CONSTANT(double, search_free_space, 40);  // weight of a point
/// People in front of a camera mostly face it: the back is less likely by this, more than its share, since points err together.
/// [starts in real Kinect recordings of UTD-MHAD, subjects 1 to 4, all from the front, and 21 of realistic people]
KINEMA_CONSTANT(double, away_cost, 7);  // logarithm of the ratio of probabilities
/// Independent points of a frame, as many in every round.
KINEMA_CONSTANT(double, search_evidence, 150);  // points

}  // namespace search

// Rival poses that are compared with the tracked one: rival_monitor.cpp.
namespace rivals {

/// Points of the person with which rivals are refined.
KINEMA_CONSTANT(std::size_t, rival_points, 600);  // points
/// By this much further from its skin points attract a rival than a tracked pose.
KINEMA_CONSTANT(double, rival_reach, 0.08);  // metres
/// The prior of a rival is as wide as the motion model spreads a pose in this time.
KINEMA_CONSTANT(double, rival_spread, 0.3);  // seconds
/// Age up to which a tracked pose is searched again more often.
KINEMA_CONSTANT(int, young_age, 30);  // frames
/// Frames from one search to the next, of a young pose.
KINEMA_CONSTANT(int, young_search_interval, 5);  // frames
/// Frames from one search to the next, later.
KINEMA_CONSTANT(int, search_interval, 15);  // frames
/// Points of the person in the first round of such a search.
KINEMA_CONSTANT(std::size_t, rival_search_points, 300);  // points
/// Poses between which a comparison decides are refined with this many points of the person, at most. [CMU clips]
KINEMA_CONSTANT(std::size_t, compared_points, 3000);  // points
/// Steps of that refinement. [CMU clips]
KINEMA_CONSTANT(int, compared_steps, 10);  // steps
/// Results of a search that are compared with each other and turned round, at most. [CMU clips]
KINEMA_CONSTANT(std::size_t, compared_results, 5);  // poses

}  // namespace rivals

// Which way somebody faces who was just found: facing_filter.cpp.
namespace facing {

/// Both facings are followed if the other one is less likely by no more than this in the first frame. [starts in real
/// Kinect recordings of UTD-MHAD, subjects 1 to 4]
KINEMA_CONSTANT(double, followed_log_ratio, 60);  // logarithm of the ratio of probabilities
/// The other facing is given out once it is likelier by this. [starts in real Kinect recordings of UTD-MHAD, subjects 1
/// to 4]
KINEMA_CONSTANT(double, change_log_ratio, 3);  // logarithm of the ratio of probabilities
/// A facing is dropped once it is less likely by this. [starts in real Kinect recordings of UTD-MHAD, subjects 1 to 4]
KINEMA_CONSTANT(double, decided_log_ratio, 15);  // logarithm of the ratio of probabilities
/// By this factor, the logarithm of that ratio is too large for a probability: points and frames err together.
KINEMA_CONSTANT(double, ratio_together, 4);  // ratio
/// Frames in which both facings are followed, at most. [starts in real Kinect recordings of UTD-MHAD, subjects 1 to 4]
KINEMA_CONSTANT(std::size_t, longest, 8);  // frames

}  // namespace facing

// Faces seen in a colour picture: face_evidence.cpp.
namespace seen_face {

/// How far the middle of a head may be from the place of its face, beyond the deviations of that place.
KINEMA_CONSTANT(double, head_reach, 0.12);  // metres
/// Heads turn on their necks: standard deviation of a face's direction about that of the chest. [a real Kinect
/// recording of somebody who turns round; wide, since faces count in the measure of points]
KINEMA_CONSTANT(double, neck_turn, 0.9);  // radians
/// A face is likelier by this to be seen where the person has it than a false one is to be seen there. [no false face
/// in 280 pictures of sides and backs: 49 real, 231 realistic]
KINEMA_CONSTANT(double, face_log_ratio, 5);  // logarithm of the ratio of probabilities
/// The same of a face that is certain.
KINEMA_CONSTANT(double, most_log_ratio, 10);  // logarithm of the ratio of probabilities
/// Weight of a face's log-likelihood beside that of the points, whose logarithms are too large (ratio_together). [real Kinect
/// recordings of UTD-MHAD with assumed faces: with 4, false ones turned people round; not tried in between]
KINEMA_CONSTANT(double, face_weight, 2.5);  // ratio
/// A face that looks further away from the camera is none: cosine of the angle to its ray.
KINEMA_CONSTANT(double, most_away, 0.35);  // cosine
/// From one frame in which a face proposes another facing to the next.
KINEMA_CONSTANT(int, proposal_interval, 10);  // frames

}  // namespace seen_face

}  // namespace kinema::body::constants
