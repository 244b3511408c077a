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

/// Of a matched pair, so many points are taken from the picture as they follow each other, not evenly in space.
/// @unit points
/// @chosen time at 1,280 x 720: realistic people are tracked as well with 8,000 points as with 43,000
KINEMA_CONSTANT(std::size_t, plenty_of_points, 10000);

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

/// Height above the floor up to which its noise is not counted in the width of a person, where much of the scene is unknown.
/// @unit metres
/// @chosen realistic pairs
KINEMA_CONSTANT(double, floor_noise, 0.15);

/// In such a scene, what is flatter than this is less like a person: a cupboard.
/// @unit ratio, to the noise of an inverse depth
/// @chosen realistic pairs: people at 2 to 5 m have 1.6 to 8, cupboards 0.8 to 2.4
KINEMA_CONSTANT(double, least_relief, 2);

/// In such a scene, so many clusters are tried as the trunk that others belong to.
/// @unit clusters
/// @chosen realistic pairs: plain trousers leave a trunk and two feet
KINEMA_CONSTANT(std::size_t, joined_bodies, 4);

/// What is at least this much like a person, compared with the likeliest, may be the person after all: poses decide.
/// @unit share
/// @chosen realistic pairs: somebody 6 m away beside a bookcase
KINEMA_CONSTANT(double, rival_rank, 0.3);
/// @unit clusters
/// @chosen time
KINEMA_CONSTANT(std::size_t, most_rivals, 2);

/// Of two clusters that are alike the nearer is taken: how much likeness a metre costs.
/// @unit share per metre
/// @chosen as first written
KINEMA_CONSTANT(double, nearness, 0.1);

}  // namespace clusters

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
