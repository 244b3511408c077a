// Constants of the head's pose that were chosen by trial: see constants.h.
#pragma once

#include "core/constant.h"

namespace kinema::face {

/// How far a fit sets its landmarks from where they are, by the part of the face: jaw, chin, brows, bridge and base of the
/// nose, eyes, lips. The jaw lies on the silhouette, which is not a point of the head.
/// @unit outer-eye distances
/// @chosen as first written
inline constexpr double landmark_deviations[] = {0, 0.05, 0.035, 0.02, 0.02, 0.015, 0.025};

/// A residual of this many deviations counts half: the scale of Cauchy's weights.
/// @unit deviations
/// @chosen as first written
/// @measured film
KINEMA_CONSTANT(double, outlier_scale, 2.5);

/// Weights of expressions before anything is seen, as the deviation of a normal distribution about 0.
/// @unit weight
/// @chosen as first written
/// @measured expression
KINEMA_CONSTANT(double, expression_deviation, 0.35);

/// Landmarks of one fit err together, so that they tell less than as many independent ones.
/// @unit landmarks that tell as much as one
/// @chosen drawn faces: errors of the pose over their deviations
/// @measured deviations
KINEMA_CONSTANT(double, landmark_correlation, 1.5);

/// Consecutive frames err together, so that a person's proportions are learnt as from one in this many.
/// @unit frames
/// @chosen as first written
/// @measured film
KINEMA_CONSTANT(double, frame_correlation, 15);

/// What was learnt of a person's proportions this long ago counts for 1/e.
/// @unit frames
/// @chosen as first written
/// @measured film
KINEMA_CONSTANT(double, proportions_memory, 1000);

/// Where outliers take more than the rest of the landmarks' weights, they are those of no head.
/// @unit share
/// @chosen as first written
/// @measured film
KINEMA_CONSTANT(double, least_weight, 0.4);

/// Landmarks further than this from those of the head, on average, are those of no head.
/// @unit outer-eye distances
/// @chosen as first written
/// @measured film
KINEMA_CONSTANT(double, pose_residual, 0.15);

/// How far the cutoff of the pose's smoothing rises with its speed: for rotations, hertz at a radian per second.
/// @unit seconds per radian
/// @chosen drawn clips
/// @measured film
KINEMA_CONSTANT(double, pose_turn_rise, 20);

/// The same for places: hertz at a metre per second.
/// @unit per metre
/// @chosen drawn clips
/// @measured film
KINEMA_CONSTANT(double, pose_move_rise, 150);

/// The same for expressions: hertz at a full change per second. A blink lasts a fifth of a second.
/// @unit per weight
/// @chosen as first written
/// @measured expression
KINEMA_CONSTANT(double, pose_expression_rise, 3);

}  // namespace kinema::face
