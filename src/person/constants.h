// Constants of the person tracker that were chosen by trial. See core/constant.h for what the tags mean and how a special
// build overrides them; docs/constants.md shows how far the result depends on each. @measured: why a constant is not, or by
// which measurement of scripts/constant_runs.py other than the usual one.
#pragma once

#include "core/constant.h"

namespace kinema::person {

// ---- the outline of a head about its face, as the head tracker's calibration takes it

/// Its centre below the eyes.
/// @unit outer-eye distances
/// @chosen the ovals that kinema head calibrate --auto takes
KINEMA_CONSTANT(double, outline_below, 0.42);

/// Its centre behind the eyes.
/// @unit outer-eye distances
/// @chosen as first written
KINEMA_CONSTANT(double, outline_behind, 0.35);

/// Its half width.
/// @unit outer-eye distances
/// @chosen the ovals that kinema head calibrate --auto takes
KINEMA_CONSTANT(double, outline_width, 0.78);

/// Its half height.
/// @unit outer-eye distances
/// @chosen the ovals that kinema head calibrate --auto takes
KINEMA_CONSTANT(double, outline_height, 1.02);

/// Half the width of a head's outline in frames that are reduced for its colours, at least.
/// @unit pixels
/// @chosen FaceOcc1 of docs/head.md, of which 1.3 % more frames are off when it is reduced
KINEMA_CONSTANT(double, reduced_radius, 30);

// ---- which of the two is believed

/// A fit with a lower probability of failure is trusted: colours are calibrated by it, and follow it.
/// @unit probability
/// @chosen Girl of docs/track.md; on it nothing changes between 0.02 and 0.4
KINEMA_CONSTANT(double, trusted, 0.1);

/// Faces in this many frames in a row calibrate the colours even if none of them is trusted.
/// @unit frames
/// @chosen as first written
KINEMA_CONSTANT(int, steady_frames, 4);

/// A face further than this from the colours is not that of the head, unless the fit is trusted.
/// @unit radii of the outline
/// @chosen as first written
KINEMA_CONSTANT(double, elsewhere, 0.8);

/// Colours further than this from a trusted face start again at the face.
/// @unit radii of the outline
/// @chosen as first written
KINEMA_CONSTANT(double, astray, 0.5);

/// After this many frames without a face, only one in face_interval is searched for it.
/// @unit frames
/// @chosen as first written
KINEMA_CONSTANT(int, eager_frames, 10);

/// See eager_frames.
/// @unit frames
/// @chosen as first written
KINEMA_CONSTANT(int, face_interval, 3);

/// Between two runs of the detector while the person is lost.
/// @unit seconds
/// @chosen half a second until a lost person is back
KINEMA_CONSTANT(double, detector_pause, 0.12);

/// Between the first two runs of the detector while colours are tracked that have never been seen with their face; twice as
/// long after each, up to four times.
/// @unit seconds
/// @chosen as first written
KINEMA_CONSTANT(double, first_detector_pause, 0.5);

/// Between two calibrations of the colours by the face.
/// @unit seconds
/// @chosen as first written
KINEMA_CONSTANT(double, calibration_pause, 1);

/// Colours are calibrated anew when their contrast falls below this share of that at the last calibration.
/// @unit ratio
/// @chosen as first written
KINEMA_CONSTANT(double, faded, 0.5);

// ---- the filter

/// How long the difference between the places of face and colours is averaged: the colours are steady below it, the face
/// is true above.
/// @unit seconds
/// @chosen drawn clips
KINEMA_CONSTANT(double, join_time, 0.15);

/// The same of their sizes: colours follow a change of the size slowly.
/// @unit seconds
/// @chosen drawn clips
KINEMA_CONSTANT(double, join_size_time, 0.04);

/// Rise of the smoothing's cutoff with the speed of the rotation.
/// @unit hertz at a radian per second
/// @chosen drawn clips
KINEMA_CONSTANT(double, turn_rise, 20);

/// The same with that of the place.
/// @unit hertz at a metre per second
/// @chosen drawn clips
KINEMA_CONSTANT(double, move_rise, 150);

/// The same with that of the expression.
/// @unit hertz at a full change per second
/// @chosen as first written
/// @measured expression
KINEMA_CONSTANT(double, expression_rise, 3);

/// How fast the rotation becomes uncertain while no face is seen.
/// @unit degrees per second
/// @chosen as first written
/// @measured not: only in the deviation that is stated while no face is seen
KINEMA_CONSTANT(double, unseen_turn, 30);

// ---- where a body has its face: face_observer.cpp

/// The face lies before the base of the skull.
/// @unit metres
/// @chosen as first written
/// @measured not: only in body track --face, and no drawn recording has pictures
KINEMA_CONSTANT(double, face_before, 0.09);

/// The middle of the landmarks lies below it.
/// @unit metres
/// @chosen fits of faces from a detector, in one real and two realistic recordings
/// @measured not: only in body track --face, and no drawn recording has pictures
KINEMA_CONSTANT(double, face_below, 0.005);

/// Breadth of the landmarks.
/// @unit metres
/// @chosen fits of faces from a detector, in one real and two realistic recordings
/// @measured not: only in body track --face, and no drawn recording has pictures
KINEMA_CONSTANT(double, face_width, 0.13);

/// Height of the landmarks.
/// @unit metres
/// @chosen fits of faces from a detector, in one real and two realistic recordings
/// @measured not: only in body track --face, and no drawn recording has pictures
KINEMA_CONSTANT(double, face_height, 0.13);

/// Faces that are narrower are not looked for.
/// @unit pixels
/// @chosen as first written
/// @measured not: only in body track --face, and no drawn recording has pictures
KINEMA_CONSTANT(double, least_face_width, 16);

/// A detector looks for the face in a square that is larger than the face by this.
/// @unit ratio
/// @chosen as first written
/// @measured not: only in body track --face, and no drawn recording has pictures
KINEMA_CONSTANT(double, searched_about, 3);

/// Where the detector finds nothing, a face is fitted where the body has it once in this many frames.
/// @unit frames
/// @chosen time per frame
/// @measured not: only in body track --face, and no drawn recording has pictures
KINEMA_CONSTANT(int, box_interval, 5);

/// Eyes of people are nearer to each other or further apart than assumed, and so are heads from the camera: standard
/// deviation.
/// @unit share
/// @chosen docs/face.md: 4 to 5 % among adults; more for children
/// @measured not: only in body track --face, and no drawn recording has pictures
KINEMA_CONSTANT(double, eye_distance_spread, 0.07);

}  // namespace kinema::person
