// Constants of the head's pose that were chosen by trial: see constants.h.
#pragma once

#include "core/constant.h"

namespace kinema::face {

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

}  // namespace kinema::face
