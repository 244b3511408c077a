// Constants of the face tracker and of training that were chosen by trial: see core/constant.h. Arrays stand here too, but
// cannot be overridden. The usual measurement is training. "LFPW and HELEN": the faces of docs/face.md.
#pragma once

#include "core/constant.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace kinema::face {

// ---- tracker and fits

/// After a loss a face that the detector does not find is searched for at its last position, for this long.
KINEMA_CONSTANT(int, search_frames, 15);  // frames; measured: film
/// Further starts of a fit whose probability of failure is too high.
KINEMA_CONSTANT(int, further_starts, 5);  // starts; measured: detector
/// How far several starts of one fit lie apart.
KINEMA_CONSTANT(double, start_spread, 0.03);  // sides of the landmarks' box; measured: detector
/// The same of their sizes.
KINEMA_CONSTANT(double, start_size_spread, 1.04);  // ratio; measured: detector
/// The same of their rotations.
KINEMA_CONSTANT(double, start_turn_spread, 0.05);  // radians; measured: detector
/// Cutoff of the speed in the smoothing of landmarks, as in the paper of the One-Euro filter. [the paper of the
/// One-Euro filter] Not measured: from that paper.
KINEMA_CONSTANT(double, speed_cutoff, 1);  // hertz
/// How far the cutoff rises with the speed of the face. Not measured: landmarks are smoothed only if that is asked for.
KINEMA_CONSTANT(double, smoothing_rise, 4);  // hertz at an outer-eye distance per second

// ---- the pose of the head

/// How far a fit sets its landmarks from where they are, by the part of the face: jaw, chin, brows, bridge and base of
/// the nose, eyes, lips. The jaw lies on the silhouette, which is not a point of the head.
inline constexpr double landmark_deviations[] = {0, 0.05, 0.035, 0.02, 0.02, 0.015, 0.025};  // outer-eye distances
/// A residual of this many deviations counts half: the scale of Cauchy's weights.
KINEMA_CONSTANT(double, outlier_scale, 2.5);  // deviations; measured: film
/// Weights of expressions before anything is seen, as the deviation of a normal distribution about 0.
KINEMA_CONSTANT(double, expression_deviation, 0.35);  // weight; measured: expression
/// Landmarks of one fit err together, so that they tell less than as many independent ones. [drawn faces: errors of the
/// pose over their deviations]
KINEMA_CONSTANT(double, landmark_correlation, 1.5);  // landmarks that tell as much as one; measured: deviations
/// Consecutive frames err together, so that a person's proportions are learnt as from one in this many.
KINEMA_CONSTANT(double, frame_correlation, 15);  // frames; measured: film
/// What was learnt of a person's proportions this long ago counts for 1/e.
KINEMA_CONSTANT(double, proportions_memory, 1000);  // frames; measured: film
/// Where outliers take more than the rest of the landmarks' weights, they are those of no head.
KINEMA_CONSTANT(double, least_weight, 0.4);  // share; measured: film
/// Landmarks further than this from those of the head, on average, are those of no head.
KINEMA_CONSTANT(double, pose_residual, 0.15);  // outer-eye distances; measured: film
/// How far the cutoff of the pose's smoothing rises with its speed: for rotations, hertz at a radian per second. [drawn
/// clips]
KINEMA_CONSTANT(double, pose_turn_rise, 20);  // seconds per radian; measured: film
/// The same for places: hertz at a metre per second. [drawn clips]
KINEMA_CONSTANT(double, pose_move_rise, 150);  // per metre; measured: film
/// The same for expressions: hertz at a full change per second. A blink lasts a fifth of a second.
KINEMA_CONSTANT(double, pose_expression_rise, 3);  // per weight; measured: expression

// ---- closed eyes, in a patch about each eye: x from its outer (0) to its inner corner (1), y down, in the same unit

/// Where the lids meet, against the line between the corners as landmarks find them. [three webcam clips] Not measured: drawn
/// eyes close lower.
KINEMA_CONSTANT(double, lid_line, -0.1);  // widths of the eye
/// Half the thickness of the lashes of a closed eye. [three webcam clips] Not measured: drawn eyes have thinner ones.
KINEMA_CONSTANT(double, lash_spread, 0.09);  // widths of the eye
/// How dark they are. [three webcam clips] Not measured: as lid_line.
KINEMA_CONSTANT(double, lash_darkness, 0.9);  // share of the darkest part of the open eye
/// Less closure than this counts as an open eye. [open eyes of three webcam clips: 99 of 100 frames] Not measured: as
/// lid_line.
KINEMA_CONSTANT(double, open_below, 0.35);  // closure
/// And more than this as a closed one. [blinks of three webcam clips: all of them] Not measured: as lid_line.
KINEMA_CONSTANT(double, closed_above, 0.8);  // closure
/// Both lids move together, mostly: what only one eye shows counts by this. [three webcam clips: half of the open eyes above
/// 0.15] Not measured: drawn eyes do not wink.
KINEMA_CONSTANT(double, lone_lid, 0.8);  // share
/// What an open eye looked like this long ago counts for 1/e. [three webcam clips] Not measured: drawn films are shorter.
KINEMA_CONSTANT(double, eye_memory, 20);  // seconds
/// An eye that shows so much more contrast in its first seconds than what was learnt may have been closed before. Not measured: drawn
/// films begin with open eyes.
KINEMA_CONSTANT(double, opened_contrast, 1.3);  // ratio
/// What differs more from both the open and the closed eye is something else before it. [turned heads of three webcam clips
/// below, a book of FaceOcc1 above] Not measured: nothing covers drawn eyes in a film.
KINEMA_CONSTANT(double, other_thing, 1.4);  // share of what the open eye shows
/// Narrower eyes are told by their landmarks. Not measured: drawn films have larger ones.
KINEMA_CONSTANT(double, least_eye_width, 7);  // pixels

// ---- the neutral face

/// How fast the neutral weights follow after the first seconds. Not measured: drawn films are shorter.
KINEMA_CONSTANT(double, neutral_drift, 0.01);  // weights per second
/// The same of the angles at rest. Not measured: drawn films are shorter.
KINEMA_CONSTANT(double, rest_drift, 0.1);  // degrees per second
/// The weights of expressions in full, above the neutral ones, until somebody shows more: jaw, smiles, pucker, lids,
/// brows (inner, down, outer). [largest weights in three webcam clips]
inline constexpr double full_weights[] = {0.6, 0.6, 0.6, 0.4, 0.35, 0.35, 0.4, 0.35, 0.35, 0.45, 0.45};  // weights

// ---- several faces: tracker/followed_faces.cpp

/// More faces than this are not followed. [time]
KINEMA_CONSTANT(int, most_faces, 30);  // faces
/// The detector looks for newcomers once in so many frames, [time]
KINEMA_CONSTANT(int, newcomer_interval, 30);  // frames
/// and so often while somebody is missing. [time]
KINEMA_CONSTANT(int, missing_interval, 3);  // frames
/// Who is missing for longer has left: who comes later is somebody new. [drawn films of five who cross]
KINEMA_CONSTANT(double, longest_missing, 5);  // seconds
/// Two fits are of one face where they are nearer to each other than this. [drawn films of five who cross]
KINEMA_CONSTANT(double, one_face, 0.7);  // outer-eye distances
/// Who is missing is expected around the last place, within this, [drawn films of five who cross]
KINEMA_CONSTANT(double, missing_reach, 1);  // outer-eye distances
/// which grows by this. [drawn films of five who cross]
KINEMA_CONSTANT(double, missing_speed, 4);  // outer-eye distances per second
/// For so long after a face was seen it is expected to go on as it went. [drawn films of five who cross]
KINEMA_CONSTANT(double, longest_going, 0.5);  // seconds
/// How quickly its velocity is learnt. [drawn films of five who cross]
KINEMA_CONSTANT(double, velocity_rate, 10);  // hertz
/// A face that is larger or smaller by this, and by as much more in each second, is less like the one that was seen. [drawn films of
/// five who cross]
KINEMA_CONSTANT(double, size_change, 0.15);  // natural logarithm
/// A face that is less like the one that is missing is not the same person. [drawn films of five who cross]
KINEMA_CONSTANT(double, most_strange, 1.8);  // sum of the differences in looks, place and size
/// The texture of a face is learnt once in so many frames, [time]
KINEMA_CONSTANT(int, texture_interval, 10);  // frames
/// each time by this share. [drawn films of five who cross]
KINEMA_CONSTANT(float, texture_share, 0.2f);  // share

// ---- training: the cascade. Frames from the first stage to the last, coarse to fine: a wide look first, then near the
// landmarks. About 3 % of the error depends on them.

/// Candidates for the penalty of a regression. [LFPW and HELEN]
inline constexpr double cascade_penalties[] = {3, 10, 30, 100};  // mean squared inputs
/// Resolution of the frames. [LFPW and HELEN]
inline constexpr double cascade_scales[] = {14, 18, 26, 36, 48};  // pixels per unit of the model
/// Margin of the frames around the mean shape, which holds what the stages before may leave. [LFPW and HELEN]
inline constexpr double cascade_margins[] = {0.8, 0.7, 0.6, 0.5, 0.4};  // units of the model
/// Radii of the rings around a landmark on which texture is sampled. [LFPW and HELEN]
inline constexpr float cascade_radii[] = {2, 4.5f, 8};  // pixels of the frame
/// Samples on each ring. [LFPW and HELEN]
inline constexpr int cascade_counts[] = {4, 6, 8};  // samples
/// Every fourth start of the training is displaced this much further, so that no detector's box comes as a surprise.
KINEMA_CONSTANT(double, wide_start, 2);  // ratio
/// Candidates for the penalty of a regression on a stream of examples, which is not short of them; tried in this order
/// until the error grows. [drawn faces]
inline constexpr double stream_penalties[] = {1, 0.3, 0.1};  // mean squared inputs
/// Samples of a stream that are in memory at once. [memory: 40 MB with 68 landmarks] Not measured: a limit of memory,
/// only in training on more than 1,000 drawn faces.
KINEMA_CONSTANT(std::uint32_t, stream_rows, 1024);  // samples
/// Examples of a stream from which shape and texture modes are learned, at most; an average of more changes little. [time: their
/// Gram matrix is decomposed on one core] Not measured: only in training on more than 1,000 drawn faces, which takes minutes.
KINEMA_CONSTANT(std::uint32_t, stream_appearance, 1000);  // examples
/// Examples of a stream whose fits teach the probability of failure, at most. [time and memory] Not measured: only in
/// training on more than 1,000 drawn faces, which takes minutes.
KINEMA_CONSTANT(std::uint32_t, stream_quality, 1500);  // examples

// ---- training: appearance

/// Margin of a level's frame around the mean shape.
KINEMA_CONSTANT(double, frame_margin, 0.6);  // units of the model
/// The last stage of a fit takes the coarsest level of at least this many pixels; finer costs more than it brings.
/// [LFPW and HELEN, 79 faces held out]
KINEMA_CONSTANT(std::size_t, last_stage_pixels, 4000);  // pixels
/// Weight of the shape prior there; the best between 10 and 300. [LFPW and HELEN, 79 faces held out]
KINEMA_CONSTANT(float, last_stage_prior, 30);  // mean squared residuals of the training set
/// Displacement by which the derivative of a texture is measured: of size, rotation, and position over the shape's root
/// mean square radius.
KINEMA_CONSTANT(double, pose_unit, 0.05);  // ratio, radians, units of the model; measured: combined
/// Steps over which derivatives are averaged.
inline constexpr std::array<double, 4> derivative_steps = {-1, -0.5, 0.5, 1};  // pose_unit, or deviations of a mode
/// Examples over which they are averaged, at most; more change an average little.
KINEMA_CONSTANT(std::size_t, derivative_examples, 400);  // examples; measured: combined
/// Samples of the regression of 1998, at most; all of them are held in memory at once. [memory] Not measured: a limit
/// of memory, only in training with --gradient regression.
KINEMA_CONSTANT(std::size_t, regression_samples, 1600);  // samples

// ---- refining a model on a few faces

/// Candidates for the penalty of the correction of a regression. [LFPW]
inline constexpr double refine_penalties[] = {30, 100, 300, 1000};  // mean squared inputs
/// The model that is refined counts as much as this many new faces in variances and texture modes. [LFPW]
KINEMA_CONSTANT(double, refine_start_faces, 50);  // faces; measured: refined
/// Modes are added up to this share of what the shapes of new faces have beyond those of the model, [LFPW]
KINEMA_CONSTANT(double, refine_shape_share, 0.9);  // share; measured: refined
/// but at most this many, [LFPW]
KINEMA_CONSTANT(std::uint32_t, refine_shape_modes, 8);  // modes; measured: refined
/// and this many texture modes. [LFPW]
KINEMA_CONSTANT(std::uint32_t, refine_texture_modes, 20);  // modes; measured: refined
/// With fewer labelled faces the probabilities of the model stay as they are. [LFPW: failures told against failures
/// that happened] Not measured: a threshold, above the 20 faces that models are refined on here.
KINEMA_CONSTANT(std::size_t, calibration_examples, 30);  // faces

// ---- refining a model on a film
// Not measured: drawn people do not need it.

/// A model whose fits of a film agree better than this is not refined on it: what they have in common cannot be mended.
/// [drawn films and two films of people]
KINEMA_CONSTANT(double, film_least_disagreement, 0.015);  // outer-eye distances
/// A model that is refined on a film may come to differ by this from the one that labelled it. [two films of people]
KINEMA_CONSTANT(double, film_most_drift, 0.01);  // outer-eye distances
/// Faces of a film that are learned from differ by more than this, and by more where there are too many.
KINEMA_CONSTANT(double, film_spacing, 0.01);  // root mean square distance of landmarks, in units of the model
/// Starts of the fits whose median labels a face of a film; as many of its mirror image.
KINEMA_CONSTANT(std::uint32_t, film_starts, 4);  // starts
/// A face of a film is left out if these fits lie further from their median.
KINEMA_CONSTANT(double, film_disagreement, 0.03);  // outer-eye distances

// ---- training: the probability of failure

/// Resolution of the frame in which a fit is judged.
KINEMA_CONSTANT(double, quality_scale, 26);  // pixels per unit of the model
/// Margin of that frame around the mean shape.
KINEMA_CONSTANT(double, quality_margin, 0.7);  // units of the model
/// Candidates for the penalty of its regressions.
inline constexpr double quality_penalties[] = {3, 10, 30};  // mean squared inputs
/// The penalty where TrainSettings::penalty is given, for faces that differ from the examples. [a model of drawn faces
/// on LFPW; flat between 1 and 10]
KINEMA_CONSTANT(double, quality_transfer_penalty, 3);  // mean squared inputs; measured: drawn
/// The penalty of the regression of errors on shapes. [a model of drawn faces on LFPW; flat between 0.1 and 3] Not
/// measured: on photographs, in a table of docs/face.md.
KINEMA_CONSTANT(double, quality_shape_penalty, 0.3);  // mean squared inputs
/// Radii of the rings around a landmark on which texture is sampled.
inline constexpr float quality_radii[] = {3, 7};  // pixels of the frame
/// Samples on each ring.
inline constexpr int quality_counts[] = {4, 6};  // samples
/// Errors below this are all the same to the regressions, which should not spend themselves on how good a good fit is.
KINEMA_CONSTANT(double, least_error, 0.03);  // outer-eye distances
/// Errors above this are all the same to them.
KINEMA_CONSTANT(double, most_error, 0.2);  // outer-eye distances
/// Starts of held-out fits are displaced by these factors: a usual start, a poor detector, hardly any of the face.
inline constexpr double held_out_widths[] = {1, 2, 4};  // displacements of the cascade's training
/// A further factor where TrainSettings::penalty is given: starts lie further off there than a detector's, whose boxes differ
/// by 3 % of their size in place and by 7 % in size. [the detector's boxes on drawn faces]
KINEMA_CONSTANT(double, held_out_transfer_width, 0.55);  // ratio; measured: drawn
/// How much each of them counts. Most fits start near the face: with equal weights, probabilities would be too high
/// there. [LFPW and HELEN: failures told against failures that happened]
inline constexpr double held_out_weights[] = {1, 0.25, 0.06};  // weight
/// Where TrainSettings::penalty is given, the last stage also starts from the end of a good fit with its shape displaced by these:
/// photographs fail by a mouth or a jaw out of place rather than by a lost face. [a model of drawn faces on LFPW]
inline constexpr double held_out_shape_widths[] = {0.4, 0.9, 1.4};  // standard deviations of the shape modes
/// The displacement of the pose that goes with one of 1. [a model of drawn faces on LFPW]
KINEMA_CONSTANT(double, held_out_shape_pose, 0.35);  // displacements of the cascade's training; measured: drawn
/// How much each of these fits counts. [a model of drawn faces on LFPW: failures told against failures that happened]
KINEMA_CONSTANT(double, held_out_shape_weight, 0.25);  // weight; measured: drawn
/// Noise over the pictures that the score learns from where TrainSettings::penalty is given: the radii of its scales,
/// [a model of drawn faces on LFPW]
inline constexpr double noise_radii[] = {0.013, 0.026, 0.052, 0.104};  // outer-eye distances
/// and the greatest root mean square of each scale, so that good fits leave as much residual as those of photographs.
/// [a model of drawn faces on LFPW]
KINEMA_CONSTANT(double, noise_amplitude, 9);  // grey values; measured: drawn
/// There, true landmarks are displaced by this along x and y for the probabilities, as people label photographs. [a model of
/// drawn faces on LFPW: confidences against landmarks within 8 %] Not measured: on photographs, in a table of docs/face.md.
KINEMA_CONSTANT(double, label_deviation, 0.02);  // standard deviation, outer-eye distances
/// And the logarithm of the expected error of each has noise, since photographs tell it less exactly. [likewise]
/// Not measured: moves confidences of landmarks alone, whose table is in docs/face.md.
KINEMA_CONSTANT(double, expected_error_deviation, 0.4);  // standard deviation

}  // namespace kinema::face

// Switches of parts, to measure what they are worth: see core/constant.h. What each does stands in scripts/mechanism_list.py,
// beside those that a constant or an option of the command switches off.
namespace kinema::face::mechanisms {

// tracker/head_pose.cpp
KINEMA_MECHANISM(landmark_confidences);
KINEMA_MECHANISM(landmark_parts);
KINEMA_MECHANISM(turned_starts);
KINEMA_MECHANISM(residual_spread);

}  // namespace kinema::face::mechanisms
