// Constants of stereo pairs that were chosen by trial: see constants.h. "Realistic pairs" are people before painted walls, made by
// a renderer that is not kinema's own.
#pragma once

#include "core/constant.h"

namespace kinema::body::constants {

// Depth of stereo pairs: pair_depth.cpp.
namespace pairs {

/// Margin of the matched part of a picture around everything that passes the gate.
/// @unit pixels
/// @chosen realistic pairs
KINEMA_CONSTANT(int, window_margin, 16);

/// What lies behind a person is at least this much farther away than the farthest part of it.
/// @unit metres
/// @chosen realistic pairs
KINEMA_CONSTANT(double, past_margin, 0.25);

/// Deviation of the disparities on a person, between neighbours.
/// @unit pixels
/// @chosen realistic pairs
KINEMA_CONSTANT(double, person_disparity, 0.1);

/// Pictures are halved while they have more columns, or the nearest depth more disparities.
/// @unit pixels
/// @chosen time and memory; a distance of 60 cm between cameras
KINEMA_CONSTANT(int, widest, 1400);
/// @unit pixels
/// @chosen likewise
KINEMA_CONSTANT(int, most_disparities, 256);

/// A pair of which less is known may have its pictures exchanged, or its rows apart: if so, so many times as much is known when
/// that is undone.
/// @unit share of the pixels
/// @chosen realistic pairs: 13 to 35 % are known, exchanged below 1 %, with rows 4 pixels apart 0 to 12 %
KINEMA_CONSTANT(double, doubtful_share, 0.08);
/// @unit ratio
/// @chosen likewise
KINEMA_CONSTANT(double, doubted_ratio, 2);

/// Rows that are further apart are not looked for.
/// @unit pixels
/// @chosen as first written
KINEMA_CONSTANT(int, farthest_rows, 32);

/// Rows that are this far apart are put right; further, the calibration is wrong, and so are distances.
/// @unit pixels
/// @chosen as first written
KINEMA_CONSTANT(int, corrected_rows, 6);

/// A smaller part is not worth matching by itself.
/// @unit pixels
/// @chosen as first written
KINEMA_CONSTANT(int, least_window, 32);

/// While somebody is tracked, the whole picture is matched every so many pairs: for the floor, the walls and others.
/// @unit pairs
/// @chosen as first written
KINEMA_CONSTANT(int, refresh_interval, 30);

/// Whole pairs from which the shift of the rows is learned.
/// @unit pairs
/// @chosen realistic pairs: the first one determines it to 0.01 pixels
KINEMA_CONSTANT(int, row_pairs, 3);

/// Something else is the person if its pose leaves at most this much as unexplained as that of the likeliest.
/// @unit share
/// @chosen realistic pairs: a pose in a bookcase leaves twice what one of a person does
KINEMA_CONSTANT(double, clearly_less, 0.8);

}  // namespace pairs

}  // namespace kinema::body::constants
