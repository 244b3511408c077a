// Constants of floor, walls and seats, that were chosen by trial; see constants.h for the wording of the tags.
#pragma once

#include "core/constant.h"

#include <cstddef>

namespace kinema::body::constants {

// What somebody sits on: foreground_seats.cpp.
namespace seats {

/// Sides that are sought.
/// @unit planes
/// @chosen as first written
KINEMA_CONSTANT(int, searches, 4);

/// Blocks of a side, at least.
/// @unit blocks
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, fewest_side_blocks, 10);

/// Of more blocks than this, evenly spaced ones are tried as two of a side.
/// @unit blocks
/// @chosen time of a search
KINEMA_CONSTANT(std::size_t, tried_blocks, 100);

/// Height above the floor of what is looked at,
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, lowest, 0.03);

/// and this, which seats do not reach.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, highest, 0.6);

/// Area of a side in view, at least.
/// @unit square metres
/// @chosen as first written
KINEMA_CONSTANT(double, smallest_area, 0.025);

/// Width of a side, parts that legs hide counted in, at least.
/// @unit metres
/// @chosen two shins have 0.2
KINEMA_CONSTANT(double, smallest_width, 0.25);

/// Height of its lowest block above the floor, at most.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, greatest_gap, 0.2);

/// Sine of its tilt from upright, at most.
/// @unit sine
/// @chosen as first written
KINEMA_CONSTANT(double, greatest_lean, 0.15);

/// How far the middle of a block may lie from the side,
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, side_unevenness, 0.006);

/// and this, where depths have noise.
/// @unit standard deviations
/// @chosen as first written
KINEMA_CONSTANT(double, block_deviations, 3);

/// Blocks that lie further behind the plane are seen through a gap in it,
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, depth_behind, 0.03);

/// and these are at most so many of those in it.
/// @unit share
/// @chosen as first written
KINEMA_CONSTANT(double, greatest_through, 0.15);

}  // namespace seats

// Floor and walls, detected in blocks of the depth image: foreground_planes.cpp.
namespace planes {

/// Planes that are tried for each that is sought.
/// @unit planes
/// @chosen as first written
KINEMA_CONSTANT(int, trials, 400);

/// Planes that are sought.
/// @unit planes
/// @chosen as first written
KINEMA_CONSTANT(int, most_searches, 12);

/// Of floors and walls.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, unevenness, 0.015);

/// Samples of a plane lie within this of it, and its unevenness.
/// @unit standard deviations
/// @chosen as first written
KINEMA_CONSTANT(double, plane_deviations, 3);

/// Area of a plane in view, at least.
/// @unit square metres
/// @chosen a back has 0.3
KINEMA_CONSTANT(double, smallest_plane_area, 0.6);

/// Blocks of a plane, at least.
/// @unit share of the blocks
/// @chosen as first written
KINEMA_CONSTANT(double, smallest_plane_share, 0.02);

/// The tilt of a small far block is uncertain: it may be off by 41 degrees.
/// @unit cosine
/// @chosen as first written
KINEMA_CONSTANT(float, tilt, 0.75f);

/// Blocks across a depth image.
/// @unit blocks
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, block_columns, 80);

/// Samples of a block that is measured, at least.
/// @unit samples
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, fewest_block_samples, 8);

/// Samples of a block further from its median than this are wrong depths,
/// @unit inverse metres
/// @chosen as first written
KINEMA_CONSTANT(float, block_reach, 0.02f);

/// and this, which a tilted plane spans.
/// @unit share of the inverse depth
/// @chosen as first written
KINEMA_CONSTANT(float, block_reach_share, 0.06f);

/// Samples of a flat block within that reach, at least.
/// @unit share
/// @chosen as first written
KINEMA_CONSTANT(double, block_inliers, 0.8);

/// Deviation of the samples of a flat block from its plane, at most,
/// @unit inverse metres
/// @chosen as first written
KINEMA_CONSTANT(double, flat_deviation, 0.003);

/// and this.
/// @unit share of the inverse depth
/// @chosen as first written
KINEMA_CONSTANT(double, flat_deviation_share, 0.02);

/// Flat blocks from which the noise of the sensor is learned, at least.
/// @unit blocks
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, fewest_flat_blocks, 20);

/// That noise, at least.
/// @unit inverse metres
/// @chosen as first written
KINEMA_CONSTANT(double, least_noise, 0.0004);

/// That noise, at most.
/// @unit inverse metres
/// @chosen as first written
KINEMA_CONSTANT(double, greatest_noise, 0.02);

/// Blocks by which a plane is judged.
/// @unit blocks
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, judging_blocks, 1500);

/// A plane is tried through three blocks within this of each other, at least,
/// @unit blocks
/// @chosen as first written
KINEMA_CONSTANT(int, least_block_distance, 6);

/// and up to this further.
/// @unit blocks
/// @chosen as first written
KINEMA_CONSTANT(int, block_distance_range, 26);

/// Fits of a plane to all blocks that lie in it.
/// @unit fits
/// @chosen as first written
KINEMA_CONSTANT(int, plane_fits, 5);

/// Nothing is behind a floor or wall, but for this.
/// @unit share of the blocks in it
/// @chosen as first written
KINEMA_CONSTANT(double, behind_share, 0.15);

/// How level a floor is, at least, to a camera that may be tilted.
/// @unit cosine
/// @chosen as first written
KINEMA_CONSTANT(double, least_level, 0.6);

/// Points of a cloud in which planes are sought, at least.
/// @unit samples
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, fewest_cloud_samples, 100);

/// Blocks of a cloud go this far.
/// @unit tangent of the angle off the axis
/// @chosen as first written
KINEMA_CONSTANT(float, widest_cloud, 2);

/// Points of a cloud in one block, about.
/// @unit samples
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, samples_per_block, 30);

/// Blocks of a cloud, at least.
/// @unit blocks
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, fewest_blocks, 16);

/// Blocks of a cloud, at most.
/// @unit blocks
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, most_blocks, 4800);

}  // namespace planes

// Floor and walls from frame to frame: foreground_scene.cpp.
namespace scene {

/// Frames between searches where none found a plane.
/// @unit frames
/// @chosen as first written
KINEMA_CONSTANT(int, plane_search_interval, 30);

/// Planes within this of each other,
/// @unit cosine
/// @chosen as first written
KINEMA_CONSTANT(double, same_plane_cosine, 0.996);

/// and this, are the same.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, same_plane_offset, 0.1);

/// Noise of a floor that was matched in pairs of pictures, at least.
/// @unit ratio, to that of a person
/// @chosen realistic pairs
KINEMA_CONSTANT(double, patch_noise, 2.5);

/// What is this far before the background is not of it.
/// @unit standard deviations
/// @chosen as first written
KINEMA_CONSTANT(double, scene_deviations, 4);

/// The same besides the noise, with a picture of the empty room.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(float, background_margin, 0.02f);

/// Samples of a cloud by which planes are held against a frame, about.
/// @unit samples
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, scene_samples, 4800);

/// A plane that fewer samples lie in has moved, or somebody hides it: planes are sought again.
/// @unit share of the samples when it was found
/// @chosen as first written
KINEMA_CONSTANT(double, still_within, 0.6);

/// The same, of samples that lie behind it.
/// @unit share of the samples when it was found
/// @chosen as first written
KINEMA_CONSTANT(double, moved_behind, 0.25);

/// A plane that was not found again is kept if this many lie in it,
/// @unit share of the samples when it was found
/// @chosen as first written
KINEMA_CONSTANT(double, hidden_within, 0.25);

/// and this many,
/// @unit share of all samples
/// @chosen as first written
KINEMA_CONSTANT(double, hidden_share, 0.01);

/// and no more than this behind it.
/// @unit share of the samples in it
/// @chosen as first written
KINEMA_CONSTANT(double, hidden_behind, 0.15);

/// Points within this of a table or the like, and the margin of walls, are part of it.
/// @unit standard deviations
/// @chosen as first written
KINEMA_CONSTANT(double, flat_thing_deviations, 3);

}  // namespace scene

}  // namespace kinema::body::constants
