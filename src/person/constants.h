// Constants of the person tracker that were chosen by trial: see core/constant.h.
#pragma once

#include "core/constant.h"

#include <cstddef>

namespace kinema::person {

// ---- the outline of a head with its hair, about its face

/// Its centre below the eyes. [David, FaceOcc1 and Girl of docs/person-accuracy.md: centres of their boxes, of the face alone in
/// David, are 0.43, 0.26 and -0.04 below the eyes; before: 0.42]
KINEMA_CONSTANT(double, outline_below, 0.22);  // outer-eye distances
/// Its centre behind the eyes.
KINEMA_CONSTANT(double, outline_behind, 0.35);  // outer-eye distances
/// Its half width. [the same; with 0.78, of the skin alone, colours are lost when the head turns away]
KINEMA_CONSTANT(double, outline_width, 0.92);  // outer-eye distances
/// Its half height. [the same; before: 1.02]
KINEMA_CONSTANT(double, outline_height, 1.25);  // outer-eye distances
/// Half the width of a head's outline in frames that are reduced for its colours, at least. [FaceOcc1 of docs/head-accuracy.md,
/// of which 1.3 % more frames are off when it is reduced]
KINEMA_CONSTANT(double, reduced_radius, 30);  // pixels

// ---- which of the two is believed

/// A fit with a lower probability of failure is trusted: colours are calibrated by it, and follow it. [Girl of
/// docs/person-accuracy.md; on it nothing changes between 0.02 and 0.4]
KINEMA_CONSTANT(double, trusted, 0.1);  // probability
/// Faces in this many frames in a row calibrate the colours even if none of them is trusted.
KINEMA_CONSTANT(int, steady_frames, 2);  // frames
/// A face further than this from the colours is not that of the head, unless the fit is trusted.
KINEMA_CONSTANT(double, elsewhere, 0.8);  // radii of the outline
/// Nor is one whose size differs by more.
KINEMA_CONSTANT(double, elsewhere_size, 0.5);  // logarithm of the ratio
/// Colours further than this from a trusted face start again at the face.
KINEMA_CONSTANT(double, astray, 0.5);  // radii of the outline
/// So do those whose size differs by more.
KINEMA_CONSTANT(double, astray_size, 0.4);  // logarithm of the ratio
/// So far the size by the colours may go from that of the last face.
KINEMA_CONSTANT(double, held_size, 0.3);  // logarithm of the ratio
/// For this long.
KINEMA_CONSTANT(double, size_memory, 10);  // seconds
/// Colours lost for longer, while the face is seen, are calibrated anew.
KINEMA_CONSTANT(double, colours_pause, 0.3);  // seconds
/// After this many frames without a face, only one in face_interval is searched for it.
KINEMA_CONSTANT(int, eager_frames, 10);  // frames
/// See eager_frames.
KINEMA_CONSTANT(int, face_interval, 3);  // frames
/// Between two runs of the detector over the whole picture while the person is lost; in the frames between it looks at the
/// picture's parts. [half a second until a lost person is back]
KINEMA_CONSTANT(double, detector_pause, 0.12);  // seconds
/// Longest sides of such a part: the detector sees faces of a twelfth of its shorter side.
KINEMA_CONSTANT(double, part_width, 480);  // pixels
/// See part_width.
KINEMA_CONSTANT(double, part_height, 360);  // pixels
/// What two neighbouring parts share, over the longest part: no more than the smallest face that is seen in the whole picture.
KINEMA_CONSTANT(double, part_overlap, 0.15);  // share
/// A box that the detector finds in so many frames in a row calibrates the colours, even if no face can be fitted in it.
KINEMA_CONSTANT(int, steady_boxes, 3);  // frames
/// But not if the best fit of a face has a higher probability of failure: detectors see faces in shirts, too.
KINEMA_CONSTANT(double, no_face, 0.8);  // probability
/// Colours that never had a face, further than this from such a box, are calibrated anew by it.
KINEMA_CONSTANT(double, box_astray, 0.4);  // radii of the outline
/// A face that the detector does not see again for longer is not the same.
KINEMA_CONSTANT(double, sighting_pause, 0.1);  // seconds
/// Faces of the detector that are fitted, at most.
KINEMA_CONSTANT(std::size_t, detected_faces, 3);  // faces
/// Between the last face and a run of the detector about the head while only colours are followed, and between such runs.
KINEMA_CONSTANT(double, doubt_pause, 0.25);  // seconds
/// Between the first two of such runs over the whole picture; twice as long after each, at most longest_first_pause times.
KINEMA_CONSTANT(double, first_detector_pause, 0.5);  // seconds
/// See first_detector_pause.
KINEMA_CONSTANT(double, longest_first_pause, 2);  // ratio
/// The detector's box is square and wider than the face, which it cuts off at the brow: half the width of the face.
KINEMA_CONSTANT(double, box_width, 0.45);  // sides of the box
/// The middle of the face is as far below that of the box.
KINEMA_CONSTANT(double, box_low, -0.08);  // sides of the box
/// Boxes of the detector in two frames that are nearer than this show the same face.
KINEMA_CONSTANT(double, same_place, 1);  // radii of the outline
/// If their sizes differ by less than this, too.
KINEMA_CONSTANT(double, same_size, 0.3);  // logarithm of the ratio
/// Colours whose calibration has a lower score do not separate the head from the rest: its edges are followed instead.
KINEMA_CONSTANT(double, separate, 0.5);  // score
/// Nor do those of pictures with a smaller mean difference between the strongest and the weakest channel.
KINEMA_CONSTANT(double, coloured, 4);  // levels
/// How far edges may be astray, over that of colours: they do not measure the size.
KINEMA_CONSTANT(double, edges_slack, 0.4);  // ratio
/// Between two calibrations of the colours by the face.
KINEMA_CONSTANT(double, calibration_pause, 1);  // seconds
/// Colours are calibrated anew when their contrast falls below this share of that at the last calibration.
KINEMA_CONSTANT(double, faded, 0.5);  // ratio

// ---- the filter

/// How long the difference between the places of face and colours is averaged: the colours are steady below it, the
/// face is true above. [drawn clips]
KINEMA_CONSTANT(double, join_time, 0.15);  // seconds
/// The same of their sizes: colours follow a change of the size slowly. [drawn clips]
KINEMA_CONSTANT(double, join_size_time, 0.04);  // seconds
/// As far the colours may pull the head from a face that is seen.
KINEMA_CONSTANT(double, join_slack, 0.1);  // outer-eye distances
/// The same of its size.
KINEMA_CONSTANT(double, join_size_slack, 0.05);  // logarithm of the ratio
/// Rise of the smoothing's cutoff with the speed of the rotation. [drawn clips]
KINEMA_CONSTANT(double, turn_rise, 20);  // hertz at a radian per second
/// The same with that of the place. [drawn clips]
KINEMA_CONSTANT(double, move_rise, 150);  // hertz at a metre per second
/// The same with that of the expression.
KINEMA_CONSTANT(double, expression_rise, 3);  // hertz at a full change per second; measured: expression
/// How fast the rotation becomes uncertain while no face is seen. Not measured: only in the deviation that is stated
/// while no face is seen.
KINEMA_CONSTANT(double, unseen_turn, 30);  // degrees per second

// ---- where a body has its face: face_observer.cpp
// Not measured: only in body track --face, and no drawn recording has pictures.

/// The face lies before the base of the skull.
KINEMA_CONSTANT(double, face_before, 0.09);  // metres
/// The middle of the landmarks lies below it. [fits of faces from a detector, in one real and two realistic recordings]
KINEMA_CONSTANT(double, face_below, 0.005);  // metres
/// Breadth of the landmarks. [fits of faces from a detector, in one real and two realistic recordings]
KINEMA_CONSTANT(double, face_width, 0.13);  // metres
/// Height of the landmarks. [fits of faces from a detector, in one real and two realistic recordings]
KINEMA_CONSTANT(double, face_height, 0.13);  // metres
/// Faces that are narrower are not looked for.
KINEMA_CONSTANT(double, least_face_width, 16);  // pixels
/// A detector looks for the face in a square that is larger than the face by this.
KINEMA_CONSTANT(double, searched_about, 3);  // ratio
/// Where the detector finds nothing, a face is fitted where the body has it once in this many frames. [time per frame]
KINEMA_CONSTANT(int, box_interval, 5);  // frames
/// Eyes are nearer to each other or further apart than assumed, and so are heads: deviation. [docs/face.md: 4 to
/// 5 % among adults, more for children]
KINEMA_CONSTANT(double, eye_distance_spread, 0.07);  // share

}  // namespace kinema::person

// Switches of parts, to measure what they are worth: see core/constant.h. What each does stands in scripts/mechanism_list.py,
// beside those that a constant or an option of the command switches off.
namespace kinema::person::mechanisms {

// tracker.cpp
KINEMA_MECHANISM(moved_on);
KINEMA_MECHANISM(face_from_colours);
KINEMA_MECHANISM(last_shape);
KINEMA_MECHANISM(boxed_colours);

// join.h
KINEMA_MECHANISM(joined_colours);

}  // namespace kinema::person::mechanisms
