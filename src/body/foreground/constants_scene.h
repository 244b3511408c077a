// Constants of floor, walls and seats that were chosen by trial: see constants.h.
#pragma once

#include "core/constant.h"

#include <cstddef>

namespace kinema::body::constants {

// What somebody sits on: foreground_seats.cpp.
namespace seats {

/// Sides that are sought.
KINEMA_CONSTANT(int, searches, 4);  // planes
/// Blocks of a side, at least.
KINEMA_CONSTANT(std::size_t, fewest_side_blocks, 10);  // blocks
/// Of more blocks than this, evenly spaced ones are tried as two of a side. [time of a search]
KINEMA_CONSTANT(std::size_t, tried_blocks, 100);  // blocks
/// Height above the floor of what is looked at,
KINEMA_CONSTANT(double, lowest, 0.03);  // metres
/// and this, which seats do not reach.
KINEMA_CONSTANT(double, highest, 0.6);  // metres
/// Area of a side in view, at least.
KINEMA_CONSTANT(double, smallest_area, 0.025);  // square metres
/// Width of a side, parts that legs hide counted in, at least. [two shins have 0.2]
KINEMA_CONSTANT(double, smallest_width, 0.25);  // metres
/// Height of its lowest block above the floor, at most.
KINEMA_CONSTANT(double, greatest_gap, 0.2);  // metres
/// Sine of its tilt from upright, at most.
KINEMA_CONSTANT(double, greatest_lean, 0.15);  // sine
/// How far the middle of a block may lie from the side,
KINEMA_CONSTANT(double, side_unevenness, 0.006);  // metres
/// and this, where depths have noise.
KINEMA_CONSTANT(double, block_deviations, 3);  // standard deviations
/// Blocks that lie further behind the plane are seen through a gap in it,
KINEMA_CONSTANT(double, depth_behind, 0.03);  // metres
/// and these are at most so many of those in it.
KINEMA_CONSTANT(double, greatest_through, 0.15);  // share

}  // namespace seats

// Floor and walls, detected in blocks of the depth image: foreground_planes.cpp.
namespace planes {

/// Planes that are tried for each that is sought.
KINEMA_CONSTANT(int, trials, 400);  // planes
/// Planes that are sought.
KINEMA_CONSTANT(int, most_searches, 12);  // planes
/// Of floors and walls.
KINEMA_CONSTANT(double, unevenness, 0.015);  // metres
/// Samples of a plane lie within this of it, and its unevenness.
KINEMA_CONSTANT(double, plane_deviations, 3);  // standard deviations
/// Area of a plane in view, at least. [a back has 0.3]
KINEMA_CONSTANT(double, smallest_plane_area, 0.6);  // square metres
/// Blocks of a plane, at least.
KINEMA_CONSTANT(double, smallest_plane_share, 0.02);  // share of the blocks
/// The tilt of a small far block is uncertain: it may be off by 41 degrees.
KINEMA_CONSTANT(float, tilt, 0.75f);  // cosine
/// Blocks across a depth image.
KINEMA_CONSTANT(std::size_t, block_columns, 80);  // blocks
/// Samples of a block that is measured, at least.
KINEMA_CONSTANT(std::size_t, fewest_block_samples, 8);  // samples
/// Samples of a block further from its median than this are wrong depths,
KINEMA_CONSTANT(float, block_reach, 0.02f);  // inverse metres
/// and this, which a tilted plane spans.
KINEMA_CONSTANT(float, block_reach_share, 0.06f);  // share of the inverse depth
/// Samples of a flat block within that reach, at least.
KINEMA_CONSTANT(double, block_inliers, 0.8);  // share
/// Deviation of the samples of a flat block from its plane, at most,
KINEMA_CONSTANT(double, flat_deviation, 0.003);  // inverse metres
/// and this.
KINEMA_CONSTANT(double, flat_deviation_share, 0.02);  // share of the inverse depth
/// Flat blocks from which the noise of the sensor is learned, at least.
KINEMA_CONSTANT(std::size_t, fewest_flat_blocks, 20);  // blocks
/// That noise, at least.
KINEMA_CONSTANT(double, least_noise, 0.0004);  // inverse metres
/// That noise, at most.
KINEMA_CONSTANT(double, greatest_noise, 0.02);  // inverse metres
/// Blocks by which a plane is judged.
KINEMA_CONSTANT(std::size_t, judging_blocks, 1500);  // blocks
/// A plane is tried through three blocks within this of each other, at least,
KINEMA_CONSTANT(int, least_block_distance, 6);  // blocks
/// and up to this further.
KINEMA_CONSTANT(int, block_distance_range, 26);  // blocks
/// Fits of a plane to all blocks that lie in it.
KINEMA_CONSTANT(int, plane_fits, 5);  // fits
/// Nothing is behind a floor or wall, but for this.
KINEMA_CONSTANT(double, behind_share, 0.15);  // share of the blocks in it
/// How level a floor is, at least, to a camera that may be tilted.
KINEMA_CONSTANT(double, least_level, 0.6);  // cosine
/// Points of a cloud in which planes are sought, at least.
KINEMA_CONSTANT(std::size_t, fewest_cloud_samples, 100);  // samples
/// Blocks of a cloud go this far.
KINEMA_CONSTANT(float, widest_cloud, 2);  // tangent of the angle off the axis
/// Points of a cloud in one block, about.
KINEMA_CONSTANT(std::size_t, samples_per_block, 30);  // samples
/// Blocks of a cloud, at least.
KINEMA_CONSTANT(std::size_t, fewest_blocks, 16);  // blocks
/// Blocks of a cloud, at most.
KINEMA_CONSTANT(std::size_t, most_blocks, 4800);  // blocks

}  // namespace planes

// Floor and walls from frame to frame: foreground_scene.cpp.
namespace scene {

/// Frames between searches where none found a plane.
KINEMA_CONSTANT(int, plane_search_interval, 30);  // frames
/// Planes within this of each other,
KINEMA_CONSTANT(double, same_plane_cosine, 0.996);  // cosine
/// and this, are the same.
KINEMA_CONSTANT(double, same_plane_offset, 0.1);  // metres
/// Noise of a floor that was matched in pairs of pictures, at least. [realistic pairs]
KINEMA_CONSTANT(double, patch_noise, 2.5);  // ratio, to that of a person
/// What is this far before the background is not of it.
KINEMA_CONSTANT(double, scene_deviations, 4);  // standard deviations
/// The same besides the noise, with a picture of the empty room.
KINEMA_CONSTANT(float, background_margin, 0.02f);  // metres
/// Samples of a cloud by which planes are held against a frame, about.
KINEMA_CONSTANT(std::size_t, scene_samples, 4800);  // samples
/// A plane that fewer samples lie in has moved, or somebody hides it: planes are sought again.
KINEMA_CONSTANT(double, still_within, 0.6);  // share of the samples when it was found
/// The same, of samples that lie behind it.
KINEMA_CONSTANT(double, moved_behind, 0.25);  // share of the samples when it was found
/// A plane that was not found again is kept if this many lie in it,
KINEMA_CONSTANT(double, hidden_within, 0.25);  // share of the samples when it was found
/// and this many,
KINEMA_CONSTANT(double, hidden_share, 0.01);  // share of all samples
/// and no more than this behind it.
KINEMA_CONSTANT(double, hidden_behind, 0.15);  // share of the samples in it
/// Points within this of a table or the like, and the margin of walls, are part of it.
KINEMA_CONSTANT(double, flat_thing_deviations, 3);  // standard deviations

}  // namespace scene

}  // namespace kinema::body::constants
