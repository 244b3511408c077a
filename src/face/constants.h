// Constants of the face tracker and of training that were chosen by trial. See core/constant.h for what the tags mean and
// how a special build overrides them; docs/constants.md shows how far the result depends on each. Arrays stand here too,
// but cannot be overridden.
//
// @measured: by which measurement of scripts/constant_runs.py, by training where there is no tag; or why by none.
// "LFPW and HELEN": the faces of docs/face.md. "as first written": the value was never revised, and what it was chosen on is
// not recorded.
#pragma once

#include "core/constant.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace kinema::face {

// ---- tracker and fits

/// After a loss a face that the detector does not find is searched for at its last position, for this long.
/// @unit frames
/// @chosen as first written
/// @measured film
KINEMA_CONSTANT(int, search_frames, 15);

/// Further starts of a fit whose probability of failure is too high.
/// @unit starts
/// @chosen as first written
/// @measured detector
KINEMA_CONSTANT(int, further_starts, 5);

/// How far several starts of one fit lie apart.
/// @unit sides of the landmarks' box
/// @chosen as first written
/// @measured detector
KINEMA_CONSTANT(double, start_spread, 0.03);

/// The same of their sizes.
/// @unit ratio
/// @chosen as first written
/// @measured detector
KINEMA_CONSTANT(double, start_size_spread, 1.04);

/// The same of their rotations.
/// @unit radians
/// @chosen as first written
/// @measured detector
KINEMA_CONSTANT(double, start_turn_spread, 0.05);

/// Cutoff of the speed in the smoothing of landmarks, as in the paper of the One-Euro filter.
/// @unit hertz
/// @chosen the paper of the One-Euro filter
/// @measured not: from that paper
KINEMA_CONSTANT(double, speed_cutoff, 1);

// ---- training: the cascade. Frames from the first stage to the last, coarse to fine: a wide look first, then near the
// landmarks. About 3 % of the error depends on them.

/// Candidates for the penalty of a regression.
/// @unit mean squared inputs
/// @chosen LFPW and HELEN
inline constexpr double cascade_penalties[] = {3, 10, 30, 100};

/// Resolution of the frames.
/// @unit pixels per unit of the model
/// @chosen LFPW and HELEN
inline constexpr double cascade_scales[] = {14, 18, 26, 36, 48};

/// Margin of the frames around the mean shape, which holds what the stages before may leave.
/// @unit units of the model
/// @chosen LFPW and HELEN
inline constexpr double cascade_margins[] = {0.8, 0.7, 0.6, 0.5, 0.4};

/// Radii of the rings around a landmark on which texture is sampled.
/// @unit pixels of the frame
/// @chosen LFPW and HELEN
inline constexpr float cascade_radii[] = {2, 4.5f, 8};

/// Samples on each ring.
/// @unit samples
/// @chosen LFPW and HELEN
inline constexpr int cascade_counts[] = {4, 6, 8};

/// Every fourth start of the training is displaced this much further, so that no detector's box comes as a surprise.
/// @unit ratio
/// @chosen as first written
KINEMA_CONSTANT(double, wide_start, 2);

/// Candidates for the penalty of a regression on a stream of examples, which is not short of them; tried in this order
/// until the error grows.
/// @unit mean squared inputs
/// @chosen drawn faces
inline constexpr double stream_penalties[] = {1, 0.3, 0.1};

/// Samples of a stream that are in memory at once.
/// @unit samples
/// @chosen memory: 40 MB with 68 landmarks
/// @measured not: a limit of memory, only in training on more than 1,000 drawn faces
KINEMA_CONSTANT(std::uint32_t, stream_rows, 1024);

/// Examples of a stream from which shape and texture modes are learned, at most; an average of more changes little.
/// @unit examples
/// @chosen time: their Gram matrix is decomposed on one core
/// @measured not: only in training on more than 1,000 drawn faces, which takes minutes
KINEMA_CONSTANT(std::uint32_t, stream_appearance, 1000);

/// Examples of a stream whose fits teach the probability of failure, at most.
/// @unit examples
/// @chosen time and memory
/// @measured not: only in training on more than 1,000 drawn faces, which takes minutes
KINEMA_CONSTANT(std::uint32_t, stream_quality, 1500);

// ---- training: appearance

/// Margin of a level's frame around the mean shape.
/// @unit units of the model
/// @chosen as first written
KINEMA_CONSTANT(double, frame_margin, 0.6);

/// The last stage of a fit takes the coarsest level of at least this many pixels; finer costs more than it brings.
/// @unit pixels
/// @chosen LFPW and HELEN, 79 faces held out
KINEMA_CONSTANT(std::size_t, last_stage_pixels, 4000);

/// Weight of the shape prior there; the best between 10 and 300.
/// @unit mean squared residuals of the training set
/// @chosen LFPW and HELEN, 79 faces held out
KINEMA_CONSTANT(float, last_stage_prior, 30);

/// Displacement by which the derivative of a texture is measured: of size, rotation, and position over the shape's root mean
/// square radius.
/// @unit ratio, radians, units of the model
/// @chosen as first written
/// @measured combined
KINEMA_CONSTANT(double, pose_unit, 0.05);

/// Steps over which derivatives are averaged.
/// @unit pose_unit, or standard deviations of a mode
/// @chosen as first written
inline constexpr std::array<double, 4> derivative_steps = {-1, -0.5, 0.5, 1};

/// Examples over which they are averaged, at most; more change an average little.
/// @unit examples
/// @chosen as first written
/// @measured combined
KINEMA_CONSTANT(std::size_t, derivative_examples, 400);

/// Samples of the regression of 1998, at most; all of them are held in memory at once.
/// @unit samples
/// @chosen memory
/// @measured not: a limit of memory, only in training with --gradient regression
KINEMA_CONSTANT(std::size_t, regression_samples, 1600);

// ---- refining a model on a few faces

/// Candidates for the penalty of the correction of a regression.
/// @unit mean squared inputs
/// @chosen LFPW
inline constexpr double refine_penalties[] = {30, 100, 300, 1000};

/// The model that is refined counts as much as this many new faces in variances and texture modes.
/// @unit faces
/// @chosen LFPW
/// @measured refined
KINEMA_CONSTANT(double, refine_start_faces, 50);

/// Modes are added up to this share of what the shapes of new faces have beyond those of the model,
/// @unit share
/// @chosen LFPW
/// @measured refined
KINEMA_CONSTANT(double, refine_shape_share, 0.9);

/// but at most this many,
/// @unit modes
/// @chosen LFPW
/// @measured refined
KINEMA_CONSTANT(std::uint32_t, refine_shape_modes, 8);

/// and this many texture modes.
/// @unit modes
/// @chosen LFPW
/// @measured refined
KINEMA_CONSTANT(std::uint32_t, refine_texture_modes, 20);

/// With fewer labelled faces the probabilities of the model stay as they are.
/// @unit faces
/// @chosen LFPW: failures told against failures that happened
/// @measured not: a threshold, above the 20 faces that models are refined on here
KINEMA_CONSTANT(std::size_t, calibration_examples, 30);

/// A model whose fits of a film agree better than this is not refined on it: what they have in common cannot be mended.
/// @unit outer-eye distances
/// @chosen drawn films and two films of people
/// @measured not: only in refining on a film, which drawn people do not need
KINEMA_CONSTANT(double, film_least_disagreement, 0.015);

/// A model that is refined on a film may come to differ by this from the one that labelled it.
/// @unit outer-eye distances
/// @chosen two films of people
/// @measured not: only in refining on a film, which drawn people do not need
KINEMA_CONSTANT(double, film_most_drift, 0.01);

/// Faces of a film that are learned from differ by more than this, and by more where there are too many.
/// @unit root mean square distance of landmarks, in units of the model
/// @chosen as first written
/// @measured not: only in refining on a film, which drawn people do not need
KINEMA_CONSTANT(double, film_spacing, 0.01);

/// Starts of the fits whose median labels a face of a film; as many of its mirror image.
/// @unit starts
/// @chosen as first written
/// @measured not: only in refining on a film, which drawn people do not need
KINEMA_CONSTANT(std::uint32_t, film_starts, 4);

/// A face of a film is left out if these fits lie further from their median.
/// @unit outer-eye distances
/// @chosen as first written
/// @measured not: only in refining on a film, which drawn people do not need
KINEMA_CONSTANT(double, film_disagreement, 0.03);

// ---- training: the probability of failure

/// Resolution of the frame in which a fit is judged.
/// @unit pixels per unit of the model
/// @chosen as first written
KINEMA_CONSTANT(double, quality_scale, 26);

/// Margin of that frame around the mean shape.
/// @unit units of the model
/// @chosen as first written
KINEMA_CONSTANT(double, quality_margin, 0.7);

/// Candidates for the penalty of its regressions.
/// @unit mean squared inputs
/// @chosen as first written
inline constexpr double quality_penalties[] = {3, 10, 30};

/// The penalty where TrainSettings::penalty is given, for faces that differ from the examples.
/// @unit mean squared inputs
/// @chosen a model of drawn faces on LFPW; flat between 1 and 10
/// @measured drawn
KINEMA_CONSTANT(double, quality_transfer_penalty, 3);

/// The penalty of the regression of errors on shapes.
/// @unit mean squared inputs
/// @chosen a model of drawn faces on LFPW; flat between 0.1 and 3
/// @measured not: on photographs, in a table of docs/face.md
KINEMA_CONSTANT(double, quality_shape_penalty, 0.3);

/// Radii of the rings around a landmark on which texture is sampled.
/// @unit pixels of the frame
/// @chosen as first written
inline constexpr float quality_radii[] = {3, 7};

/// Samples on each ring.
/// @unit samples
/// @chosen as first written
inline constexpr int quality_counts[] = {4, 6};

/// Errors below this are all the same to the regressions, which should not spend themselves on how good a good fit is.
/// @unit outer-eye distances
/// @chosen as first written
KINEMA_CONSTANT(double, least_error, 0.03);

/// Errors above this are all the same to them.
/// @unit outer-eye distances
/// @chosen as first written
KINEMA_CONSTANT(double, most_error, 0.2);

/// Starts of held-out fits are displaced by these factors: a usual start, a poor detector, hardly any of the face.
/// @unit displacements of the cascade's training
/// @chosen as first written
inline constexpr double held_out_widths[] = {1, 2, 4};

/// A further factor where TrainSettings::penalty is given: there the cascade learns from starts that lie further off than a
/// detector's, whose boxes differ by 3 % of their size in place and by 7 % in size on drawn faces.
/// @unit ratio
/// @chosen the detector's boxes on drawn faces
/// @measured drawn
KINEMA_CONSTANT(double, held_out_transfer_width, 0.55);

/// How much each of them counts. Most fits start near the face: with equal weights, probabilities would be too high there.
/// @unit weight
/// @chosen LFPW and HELEN: failures told against failures that happened
inline constexpr double held_out_weights[] = {1, 0.25, 0.06};

/// Where TrainSettings::penalty is given, the last stage also starts from the end of a good fit with its shape displaced
/// by these: photographs fail by a mouth or a jaw out of place rather than by a lost face.
/// @unit standard deviations of the shape modes
/// @chosen a model of drawn faces on LFPW
inline constexpr double held_out_shape_widths[] = {0.4, 0.9, 1.4};

/// The displacement of the pose that goes with one of 1.
/// @unit displacements of the cascade's training
/// @chosen a model of drawn faces on LFPW
/// @measured drawn
KINEMA_CONSTANT(double, held_out_shape_pose, 0.35);

/// How much each of these fits counts.
/// @unit weight
/// @chosen a model of drawn faces on LFPW: failures told against failures that happened
/// @measured drawn
KINEMA_CONSTANT(double, held_out_shape_weight, 0.25);

/// Noise over the pictures that the score learns from where TrainSettings::penalty is given: the radii of its scales,
/// @unit outer-eye distances
/// @chosen a model of drawn faces on LFPW
inline constexpr double noise_radii[] = {0.013, 0.026, 0.052, 0.104};

/// and the greatest root mean square of each scale, so that good fits leave as much residual as those of photographs.
/// @unit grey values
/// @chosen a model of drawn faces on LFPW
/// @measured drawn
KINEMA_CONSTANT(double, noise_amplitude, 9);

/// Where TrainSettings::penalty is given, probabilities are learned against true landmarks displaced by this along x and y, as
/// people label photographs; those of drawings are exact.
/// @unit standard deviation, outer-eye distances
/// @chosen a model of drawn faces on LFPW: confidences against the share of landmarks within 8 %
/// @measured not: on photographs, in a table of docs/face.md
KINEMA_CONSTANT(double, label_deviation, 0.02);

/// And with noise on the logarithm of the expected error of each, which textures of photographs tell less exactly.
/// @unit standard deviation
/// @chosen a model of drawn faces on LFPW: confidences against the share of landmarks within 8 %
/// @measured not: moves confidences of landmarks alone, whose table is in docs/face.md
KINEMA_CONSTANT(double, expected_error_deviation, 0.4);

}  // namespace kinema::face
