// Constants of stereo pairs that were chosen by trial: see constants.h. "Realistic pairs" are people before painted walls, made by
// a renderer that is not kinema's own.
#pragma once

#include "core/constant.h"

namespace kinema::body::constants {

// Depth of stereo pairs: pair_depth.cpp.
namespace pairs {

/// Margin of the matched part of a picture around everything that passes the gate. [realistic pairs]
KINEMA_CONSTANT(int, window_margin, 16);  // pixels
/// A pixel of a plain area that goes on behind the person has this depth: beyond all others, its ray is free.
KINEMA_CONSTANT(double, past_distance, 1.25);  // farthest depths
/// What lies behind a person is at least this much farther away than the farthest part of it. [realistic pairs]
KINEMA_CONSTANT(double, past_margin, 0.25);  // metres
/// Deviation of the disparities on a person, between neighbours. [realistic pairs]
KINEMA_CONSTANT(double, person_disparity, 0.1);  // pixels
/// Pictures are halved while they have more columns, or the nearest depth more disparities. [time and memory; a
/// distance of 60 cm between cameras]
KINEMA_CONSTANT(int, widest, 1400);  // pixels
/// [likewise]
KINEMA_CONSTANT(int, most_disparities, 256);  // pixels
/// A pair of which less is known may have its pictures exchanged, or its rows apart: if so, so many times as much is known when
/// that is undone. [realistic pairs: 13 to 35 % are known, exchanged below 1 %, with rows 4 pixels apart 0 to 12 %]
KINEMA_CONSTANT(double, doubtful_share, 0.08);  // share of the pixels
/// [likewise]
KINEMA_CONSTANT(double, doubted_ratio, 2);  // ratio
/// Rows that are further apart are not looked for.
KINEMA_CONSTANT(int, farthest_rows, 32);  // pixels
/// Rows that are this far apart are put right; further, the calibration is wrong, and so are distances.
KINEMA_CONSTANT(int, corrected_rows, 6);  // pixels
/// A smaller part is not worth matching by itself.
KINEMA_CONSTANT(int, least_window, 32);  // pixels
/// While somebody is tracked, the whole picture is matched every so many pairs: for the floor, the walls and others.
KINEMA_CONSTANT(int, refresh_interval, 30);  // pairs
/// Whole pairs from which the shift of the rows is learned. [realistic pairs: the first one determines it to 0.01
/// pixels]
KINEMA_CONSTANT(int, row_pairs, 3);  // pairs
/// Where a pose fits worse than this, something else may be the person. [realistic pairs: first poses of people fit by 0.64
/// to 0.85, a bookcase by 0.36 to 0.42, other furniture by up to 0.86]
KINEMA_CONSTANT(double, doubted_fit, 0.5);  // share

}  // namespace pairs

}  // namespace kinema::body::constants
