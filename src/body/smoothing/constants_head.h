// Constants of the turn of a head: see constants.h.
//
// "Clips": 14 clips of CMU, each with the same weight, the head against the chest.
#pragma once

#include "core/constant.h"

namespace kinema::body::constants {

// head_turn.cpp
namespace head {

/// How far heads are turned for a moment. [clips: 16 degrees in all, of which a third lasts]
KINEMA_CONSTANT(double, quick_turn, 0.3);  // radians
/// The same for long.
KINEMA_CONSTANT(double, lasting_turn, 0.2);  // radians
/// How far heads nod for a moment. [clips: 17 degrees about the mean of each; realistic people]
KINEMA_CONSTANT(double, quick_nod, 0.42);  // radians
/// The same for long. [clips: their means differ by 17 degrees; realistic people]
KINEMA_CONSTANT(double, lasting_nod, 0.42);  // radians
/// How far heads tilt beside the tracked tilt, which follows the place of the head. [realistic people]
KINEMA_CONSTANT(double, tilt_deviation, 0.13);  // radians
/// Time until a head has turned on. [clips: their correlation is 0.37 after 0.5 to 1 s]
KINEMA_CONSTANT(double, quick_time, 0.7);  // seconds
/// Time until it is turned otherwise for long.
KINEMA_CONSTANT(double, lasting_time, 10);  // seconds
/// By how much a person's head of capsules is turned wrongly by the hair: 60 degrees of some people. [realistic people, and real
/// Kinect recordings of UTD-MHAD, subjects 1 to 4]
KINEMA_CONSTANT(double, wrong_turn, 0.65);  // radians
/// Likewise of its nod.
KINEMA_CONSTANT(double, wrong_nod, 0.35);  // radians
/// Time in which that error changes.
KINEMA_CONSTANT(double, wrong_time, 30);  // seconds
/// Noise of the tracked turn, as the mean over a second has it. [as wrong_turn]
KINEMA_CONSTANT(double, tracked_noise, 0.035);  // radians
/// A face whose ray passes the joint of the head further away than this, or whose distance is as far from it, is somebody
/// else's. [the eyes are 0.12 m from it]
KINEMA_CONSTANT(double, face_reach, 0.3);  // metres
/// Deviation of the turn of a face beyond the one that it states. [four frames of a realistic person]
KINEMA_CONSTANT(double, face_turn_deviation, 0.08);  // radians
/// Likewise of its nod: faces at rest seem to look up or down by up to 15 degrees. [four frames of a realistic person]
KINEMA_CONSTANT(double, face_nod_deviation, 0.2);  // radians
/// Errors of the directions of a face last for this long.
KINEMA_CONSTANT(double, face_error_time, 0.1);  // seconds

}  // namespace head

}  // namespace kinema::body::constants
