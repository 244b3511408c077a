// Constants of expressions that were chosen by trial: see constants.h.
#pragma once

#include "core/constant.h"

#include <cstddef>

namespace kinema::face {

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

}  // namespace kinema::face
