// Constants of the search for a person and of rival poses that were chosen by trial; see constants.h for the tags.
#pragma once

#include "core/constant.h"

#include <cstddef>

namespace kinema::body::constants {

// Finding a person without an initial pose: search.cpp.
namespace search {

/// Facings of a person at which a search starts.
/// @unit directions
/// @chosen as first written
KINEMA_CONSTANT(int, facings, 12);

/// Points of the person in the first round. The second has twice as many, the third four times.
/// @unit points
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, search_points, 500);

/// The points of a person lie this far before its middle.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(float, half_depth, 0.07f);

/// Of this many points, one may lie above the crown.
/// @unit points
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, crown_outliers, 100);

/// How far angles may be from those of a rest pose.
/// @unit radians
/// @chosen as first written
KINEMA_CONSTANT(double, start_angle_deviation, 0.6);

/// How far the pelvis may be from where the points put it.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, start_position_deviation, 0.5);

/// How far from upright people stand.
/// @unit radians
/// @chosen as first written
KINEMA_CONSTANT(double, start_tilt_deviation, 0.2);

/// Before the first round of a search over many sizes, one pose in this many is kept of each, by a look at one point in
/// this many.
/// @unit ratio
/// @chosen time of a search, on starts in real recordings
KINEMA_CONSTANT(std::size_t, weeding, 3);

/// Steps of that look.
/// @unit steps
/// @chosen time of a search, on starts in real recordings
KINEMA_CONSTANT(int, weeding_steps, 2);

/// Distance from the skin beyond which points have no weight, in the first round.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, first_round_reach, 0.4);

/// Steps of that round.
/// @unit steps
/// @chosen as first written
KINEMA_CONSTANT(int, first_round_steps, 4);

/// Candidates of the second round.
/// @unit poses
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, second_round_candidates, 40);

/// As first_round_reach.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, second_round_reach, 0.25);

/// Steps of that round.
/// @unit steps
/// @chosen as first written
KINEMA_CONSTANT(int, second_round_steps, 6);

/// Candidates of the third round.
/// @unit poses
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, third_round_candidates, 10);

/// As first_round_reach.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, third_round_reach, 0.15);

/// Steps of that round.
/// @unit steps
/// @chosen as first written
KINEMA_CONSTANT(int, third_round_steps, 12);

/// Standard deviation of a point about the skin of somebody who is not known yet.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, search_skin_deviation, 0.03);

/// Weight of a ray that saw past the person: rays are fewer than points, and say where a limb ends.
/// @unit weight of a point
/// @chosen real Kinect recordings of UTD-MHAD, subjects 1 to 4
KINEMA_CONSTANT(double, search_free_space, 40);

/// People in front of a camera mostly face it: by this much is the back less likely.
/// @unit logarithm of the ratio of probabilities
/// @chosen starts in real Kinect recordings of UTD-MHAD, subjects 1 to 4, all from the front, and 21 of realistic people
/// from behind; more than the share of backs calls for, since points of a frame err together
KINEMA_CONSTANT(double, away_cost, 7);

/// Independent points of a frame, as many in every round.
/// @unit points
/// @chosen as first written
KINEMA_CONSTANT(double, search_evidence, 150);

}  // namespace search

// Rival poses that are compared with the tracked one: rival_monitor.cpp.
namespace rivals {

/// Points of the person with which rivals are refined.
/// @unit points
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, rival_points, 600);

/// By this much further from its skin points attract a rival than a tracked pose.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, rival_reach, 0.08);

/// The prior of a rival is as wide as the motion model spreads a pose in this time.
/// @unit seconds
/// @chosen as first written
KINEMA_CONSTANT(double, rival_spread, 0.3);

/// Age up to which a tracked pose is searched again more often.
/// @unit frames
/// @chosen as first written
KINEMA_CONSTANT(int, young_age, 30);

/// Frames from one search to the next, of a young pose.
/// @unit frames
/// @chosen as first written
KINEMA_CONSTANT(int, young_search_interval, 5);

/// Frames from one search to the next, later.
/// @unit frames
/// @chosen as first written
KINEMA_CONSTANT(int, search_interval, 15);

/// Points of the person in the first round of such a search.
/// @unit points
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, rival_search_points, 300);

/// Poses between which a comparison decides are refined with this many points of the person, at most.
/// @unit points
/// @chosen CMU clips
KINEMA_CONSTANT(std::size_t, compared_points, 3000);

/// Steps of that refinement.
/// @unit steps
/// @chosen CMU clips
KINEMA_CONSTANT(int, compared_steps, 10);

/// Results of a search that are compared with each other and turned round, at most.
/// @unit poses
/// @chosen CMU clips
KINEMA_CONSTANT(std::size_t, compared_results, 5);

}  // namespace rivals

// Which way somebody faces who was just found: facing_filter.cpp.
namespace facing {

/// Both facings are followed if the other one is less likely by no more than this in the first frame.
/// @unit logarithm of the ratio of probabilities
/// @chosen starts in real Kinect recordings of UTD-MHAD, subjects 1 to 4
KINEMA_CONSTANT(double, followed_log_ratio, 60);

/// The other facing is given out once it is likelier by this.
/// @unit logarithm of the ratio of probabilities
/// @chosen starts in real Kinect recordings of UTD-MHAD, subjects 1 to 4
KINEMA_CONSTANT(double, change_log_ratio, 3);

/// A facing is dropped once it is less likely by this.
/// @unit logarithm of the ratio of probabilities
/// @chosen starts in real Kinect recordings of UTD-MHAD, subjects 1 to 4
KINEMA_CONSTANT(double, decided_log_ratio, 15);

/// By this factor, the logarithm of that ratio is too large for a probability: points and frames err together.
/// @unit ratio
/// @chosen as first written
KINEMA_CONSTANT(double, ratio_together, 4);

/// Frames in which both facings are followed, at most.
/// @unit frames
/// @chosen starts in real Kinect recordings of UTD-MHAD, subjects 1 to 4
KINEMA_CONSTANT(std::size_t, longest, 8);

}  // namespace facing

// Faces seen in a colour picture: face_evidence.cpp.
namespace seen_face {

/// How far the middle of a head may be from the place of its face, beyond the deviations of that place.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, head_reach, 0.12);

/// Heads turn on their necks: standard deviation of a face's direction about that of the chest.
/// @unit radians
/// @chosen a real Kinect recording of somebody who turns round; wide, since faces count in the measure of points
KINEMA_CONSTANT(double, neck_turn, 0.9);

/// A face is likelier by this to be seen where the person has it than a false one is to be seen there.
/// @unit logarithm of the ratio of probabilities
/// @chosen no false face in 280 pictures of sides and backs: 49 real, 231 realistic
KINEMA_CONSTANT(double, face_log_ratio, 5);

/// The same of a face that is certain.
/// @unit logarithm of the ratio of probabilities
/// @chosen as first written
KINEMA_CONSTANT(double, most_log_ratio, 10);

/// Weight of a face's log-likelihood beside that of the points, whose logarithms are too large (facing.ratio_together). Not as
/// large, so that one picture alone hardly ends a comparison of facings (facing.decided_log_ratio).
/// @unit ratio
/// @chosen real Kinect recordings of UTD-MHAD with assumed faces: with 4, false ones turned people round; not tried in between
KINEMA_CONSTANT(double, face_weight, 2.5);

/// A face that looks further away from the camera is none: cosine of the angle to its ray.
/// @unit cosine
/// @chosen as first written
KINEMA_CONSTANT(double, most_away, 0.35);

/// From one frame in which a face proposes another facing to the next.
/// @unit frames
/// @chosen as first written
KINEMA_CONSTANT(int, proposal_interval, 10);

}  // namespace seen_face

}  // namespace kinema::body::constants
