// Constants of the foreground, which segments a person from a depth image or a point cloud, that were chosen by trial;
// see constants.h for the wording of the tags.
#pragma once

#include "core/constant.h"

#include <cstddef>

namespace kinema::body::constants {

// The region of space whose points are the person's: foreground.cpp, foreground_gate.cpp.
namespace gate {

/// Within this of the expected skin, floor and foot cannot be told apart.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(float, touch, 0.06f);

/// The gate of somebody who was just found goes this far beyond the cluster.
/// @unit cells of clusters
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, gate_margin, 1);

/// Side of a cell of the gate.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(float, gate_cell, 0.05f);

/// Rays past somebody who was just found are taken from this far around.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(float, gate_surroundings, 0.3f);

/// Points of a cloud further off the axis are not looked at.
/// @unit tangent of the angle off the axis
/// @chosen as first written
KINEMA_CONSTANT(float, widest_view, 3);

/// Up to this many times the wanted number, points are left out by their place in the scan, which is as even as any
/// choice where so many stay, and costs nothing.
/// @unit ratio
/// @chosen time of a frame
KINEMA_CONSTANT(double, thinning_ratio, 1.5);

/// Columns of the image in which a person is searched, about.
/// @unit columns
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, searched_columns, 320);

/// Neighbouring pixels within this in depth, besides the noise, measure the same thing.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(float, support_slack, 0.03f);

/// The same, by the noise.
/// @unit standard deviations
/// @chosen as first written
KINEMA_CONSTANT(float, support_deviations, 5);

/// A pixel and its eight neighbours that have to measure the same thing, at least; else it is a wrong measurement.
/// @unit pixels
/// @chosen as first written
KINEMA_CONSTANT(int, support_count, 3);

}  // namespace gate

// What stays in the gate though the skin never comes near it: foreground_furniture.cpp.
namespace furniture {

/// What stays where it is for as long is furniture.
/// @unit frames
/// @chosen realistic people: a stool
KINEMA_CONSTANT(std::uint8_t, still_frames, 30);

}  // namespace furniture

// Which points are connected, and which cluster resembles a person: foreground_clusters.cpp. Ranges are those of a
// whole person in common clothes, or of one cut off by the border of the image.
namespace clusters {

/// Side of a cell. Further away cells grow deeper with the noise.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(float, cell_size, 0.06f);

/// Cells are at least this deep.
/// @unit standard deviations
/// @chosen as first written
KINEMA_CONSTANT(double, cell_deviations, 3);

/// Points in a cell and its neighbours, at least; less is what single wrong depths fill.
/// @unit points
/// @chosen as first written
KINEMA_CONSTANT(int, solid_points, 4);

/// Less is no person.
/// @unit cells
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, fewest_cells, 12);

/// More may be a foot.
/// @unit cells
/// @chosen as first written
KINEMA_CONSTANT(std::size_t, speck_cells, 2);

/// An arm that noise cut off is joined with the body over this gap.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, joining_gap, 0.25);

/// Larger clusters are things of their own,
/// @unit square metres
/// @chosen as first written
KINEMA_CONSTANT(double, largest_limb, 0.2);

/// unless they stand above each other, as trunk and legs do: within this of each other, on the level.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, stacked, 0.3);

/// What is joined has to be this much as like a person as before.
/// @unit ratio
/// @chosen as first written
KINEMA_CONSTANT(double, joined_likeness, 0.8);

/// Cells that a surface touches, for each cell's worth of area.
/// @unit cells
/// @chosen as first written
KINEMA_CONSTANT(double, cells_per_area, 1.6);

/// Cells at the border of the image from which on a person counts as cut off.
/// @unit cells
/// @chosen as first written
KINEMA_CONSTANT(int, border_cells, 3);

/// Width of that border.
/// @unit cells
/// @chosen as first written
KINEMA_CONSTANT(float, border_width, 0.6f);

/// How fast likeness falls outside of the ranges below.
/// @unit ratio
/// @chosen as first written
KINEMA_CONSTANT(double, likeness_falloff, 2);

/// Height, from.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, least_height, 1.2);

/// Height of somebody who is cut off, from.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, least_cut_height, 0.5);

/// Height, to.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, greatest_height, 2.1);

/// Width, from.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, least_width, 0.3);

/// Width, to.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, greatest_width, 1.3);

/// Depth, from.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, least_depth, 0.1);

/// Depth, to.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, greatest_depth, 1.2);

/// Area in view, from.
/// @unit square metres
/// @chosen as first written
KINEMA_CONSTANT(double, least_area, 0.3);

/// Area in view of somebody who is cut off, from.
/// @unit square metres
/// @chosen as first written
KINEMA_CONSTANT(double, least_cut_area, 0.2);

/// Area in view, to.
/// @unit square metres
/// @chosen as first written
KINEMA_CONSTANT(double, greatest_area, 1.2);

/// Height over width or depth, from.
/// @unit ratio
/// @chosen as first written
KINEMA_CONSTANT(double, least_aspect, 1.2);

/// The same of somebody who is cut off, from.
/// @unit ratio
/// @chosen as first written
KINEMA_CONSTANT(double, least_cut_aspect, 0.7);

/// The same, to.
/// @unit ratio
/// @chosen as first written
KINEMA_CONSTANT(double, greatest_aspect, 10);

/// Gap between the floor and somebody who is all in the picture, which anybody may have.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, usual_floor_gap, 0.1);

/// The same, to.
/// @unit metres
/// @chosen as first written
KINEMA_CONSTANT(double, greatest_floor_gap, 0.3);

/// Of two clusters that are alike the nearer is taken: how much likeness a metre costs.
/// @unit share per metre
/// @chosen as first written
KINEMA_CONSTANT(double, nearness, 0.1);

}  // namespace clusters

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

// Rays past a person who is all that was measured: foreground_exterior.cpp.
namespace exterior {

/// The image is divided into about as many blocks across.
/// @unit blocks
/// @chosen 2 cm at 3 m
KINEMA_CONSTANT(std::size_t, exterior_columns, 160);

/// Where more of the pixels have a measurement, there is a scene behind the person.
/// @unit share
/// @chosen as first written
KINEMA_CONSTANT(double, most_measured, 0.5);

/// The person is alone if more of the measurements belong to it.
/// @unit share
/// @chosen as first written
KINEMA_CONSTANT(double, alone_share, 0.95);

/// Whoever stays this far from a border of the image does not reach beyond it.
/// @unit pixels
/// @chosen as first written
KINEMA_CONSTANT(float, border_margin, 3.0f);

/// Rays are added this far beyond a border that the person is as near to.
/// @unit share of the visible height of the person
/// @chosen the shins of an adult who is taken for a taller one
KINEMA_CONSTANT(float, beyond_border, 0.25f);

}  // namespace exterior

}  // namespace kinema::body::constants
