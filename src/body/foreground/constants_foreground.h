// Constants of the foreground, which segments a person from a depth image or a point cloud, that were chosen by trial: see
// constants.h.
#pragma once

#include "core/constant.h"

#include <cstddef>

namespace kinema::body::constants {

// The region of space whose points are the person's: foreground.cpp, foreground_gate.cpp.
namespace gate {

/// Within this of the expected skin, floor and foot cannot be told apart.
KINEMA_CONSTANT(float, touch, 0.06f);  // metres
/// The gate of somebody who was just found goes this far beyond the cluster.
KINEMA_CONSTANT(std::size_t, gate_margin, 1);  // cells of clusters
/// Side of a cell of the gate.
KINEMA_CONSTANT(float, gate_cell, 0.05f);  // metres
/// Rays past somebody who was just found are taken from this far around.
KINEMA_CONSTANT(float, gate_surroundings, 0.3f);  // metres
/// Rays past a person in a matched pair end this far beyond the gate: those past a plain wall would be long, and bundles of long rays
/// are too wide for single precision. [time of a frame: nobody is there]
KINEMA_CONSTANT(float, ray_end, 0.5f);  // metres
/// Points of a cloud further off the axis are not looked at.
KINEMA_CONSTANT(float, widest_view, 3);  // tangent of the angle off the axis
/// Up to this many times the wanted number, points are left out by their place in the scan, which is as even as any
/// choice where so many stay, and costs nothing. [time of a frame]
KINEMA_CONSTANT(double, thinning_ratio, 1.5);  // ratio
/// Of a matched pair, so many points are taken from the picture as they follow each other, not evenly in space. [time
/// at 1,280 x 720: realistic people are tracked as well with 8,000 points as with 43,000]
KINEMA_CONSTANT(std::size_t, plenty_of_points, 10000);  // points
/// Columns of the image in which a person is searched, about.
KINEMA_CONSTANT(std::size_t, searched_columns, 320);  // columns
/// Neighbouring pixels within this in depth, besides the noise, measure the same thing.
KINEMA_CONSTANT(float, support_slack, 0.03f);  // metres
/// The same, by the noise.
KINEMA_CONSTANT(float, support_deviations, 5);  // standard deviations
/// A pixel and its eight neighbours that have to measure the same thing, at least; else it is a wrong measurement.
KINEMA_CONSTANT(int, support_count, 3);  // pixels

}  // namespace gate

// What stays in the gate though the skin never comes near it: foreground_furniture.cpp.
namespace furniture {

/// What stays where it is for as long is furniture. [realistic people: a stool]
KINEMA_CONSTANT(std::uint8_t, still_frames, 30);  // frames

}  // namespace furniture

// Heads of people who touch: foreground_heads.cpp.
namespace heads {

/// Side of a column of cells above the ground. [a cell, and half as much again where they are deeper]
KINEMA_CONSTANT(double, column, 0.1);  // metres
/// A head stands out of what connects it with a higher one by this, at least. [a head with short hair, which a Kinect measures in
/// part, beside the shoulder of somebody taller]
KINEMA_CONSTANT(double, stands_out, 0.1);  // metres
/// And is this far from it on the level.
KINEMA_CONSTANT(double, heads_apart, 0.3);  // metres
/// What is below a head is somebody if it is as much like a person. [raised hands have 0.02]
KINEMA_CONSTANT(double, divided_likeness, 0.4);  // likeness

}  // namespace heads

// Whose a point is, where there are several people: foreground_people.cpp.
namespace shared {

/// How far a point of somebody who is followed usually is from the expected skin. Of two people the one has a point whose skin is
/// nearer, by this and by the doubt about where they are.
KINEMA_CONSTANT(float, skin_spread, 0.04f);  // metres
/// What is nearer to somebody's skin is nobody else's when new people are looked for. [hair, skirts and sleeves of realistic people]
KINEMA_CONSTANT(float, explained, 0.12f);  // metres

}  // namespace shared

// Which points are connected, and which cluster resembles a person: foreground_clusters.cpp. Ranges are those of a
// whole person in common clothes, or of one cut off by the border of the image.
namespace clusters {

/// Side of a cell. Further away cells grow deeper with the noise.
KINEMA_CONSTANT(float, cell_size, 0.06f);  // metres
/// Cells are at least this deep.
KINEMA_CONSTANT(double, cell_deviations, 3);  // standard deviations
/// Points in a cell and its neighbours, at least; less is what single wrong depths fill.
KINEMA_CONSTANT(int, solid_points, 4);  // points
/// Less is no person.
KINEMA_CONSTANT(std::size_t, fewest_cells, 12);  // cells
/// More may be a foot.
KINEMA_CONSTANT(std::size_t, speck_cells, 2);  // cells
/// An arm that noise cut off is joined with the body over this gap.
KINEMA_CONSTANT(double, joining_gap, 0.25);  // metres
/// Larger clusters are things of their own,
KINEMA_CONSTANT(double, largest_limb, 0.2);  // square metres
/// unless they stand above each other, as trunk and legs do: within this of each other, on the level.
KINEMA_CONSTANT(double, stacked, 0.3);  // metres
/// What is joined has to be this much as like a person as before.
KINEMA_CONSTANT(double, joined_likeness, 0.8);  // ratio
/// Cells that a surface touches, for each cell's worth of area.
KINEMA_CONSTANT(double, cells_per_area, 1.6);  // cells
/// Cells at the border of the image from which on a person counts as cut off.
KINEMA_CONSTANT(int, border_cells, 3);  // cells
/// Width of that border.
KINEMA_CONSTANT(float, border_width, 0.6f);  // cells
/// How fast likeness falls outside of the ranges below.
KINEMA_CONSTANT(double, likeness_falloff, 2);  // ratio
/// Height, from.
KINEMA_CONSTANT(double, least_height, 1.2);  // metres
/// Height of somebody who is cut off, from.
KINEMA_CONSTANT(double, least_cut_height, 0.5);  // metres
/// Height, to.
KINEMA_CONSTANT(double, greatest_height, 2.1);  // metres
/// Width, from.
KINEMA_CONSTANT(double, least_width, 0.3);  // metres
/// Width, to.
KINEMA_CONSTANT(double, greatest_width, 1.3);  // metres
/// Depth, from.
KINEMA_CONSTANT(double, least_depth, 0.1);  // metres
/// Depth, to.
KINEMA_CONSTANT(double, greatest_depth, 1.2);  // metres
/// Area in view, from.
KINEMA_CONSTANT(double, least_area, 0.3);  // square metres
/// Area in view of somebody who is cut off, from.
KINEMA_CONSTANT(double, least_cut_area, 0.2);  // square metres
/// Area in view, to.
KINEMA_CONSTANT(double, greatest_area, 1.2);  // square metres
/// Height over width or depth, from.
KINEMA_CONSTANT(double, least_aspect, 1.2);  // ratio
/// The same of somebody who is cut off, from.
KINEMA_CONSTANT(double, least_cut_aspect, 0.7);  // ratio
/// The same, to.
KINEMA_CONSTANT(double, greatest_aspect, 10);  // ratio
/// Gap between the floor and somebody who is all in the picture, which anybody may have.
KINEMA_CONSTANT(double, usual_floor_gap, 0.1);  // metres
/// The same, to.
KINEMA_CONSTANT(double, greatest_floor_gap, 0.3);  // metres
/// Height above the floor up to which its noise is not counted in the width of a person, where much of the scene is
/// unknown. [realistic pairs]
KINEMA_CONSTANT(double, floor_noise, 0.15);  // metres
/// In such a scene, what is flatter than this is less like a person: a cupboard. [realistic pairs: people at 2 to 5 m
/// have 1.6 to 8, cupboards 0.8 to 2.4]
KINEMA_CONSTANT(double, least_relief, 2);  // ratio, to the noise of an inverse depth
/// In such a scene, so many clusters are tried as the trunk that others belong to. [realistic pairs: plain trousers
/// leave a trunk and two feet]
KINEMA_CONSTANT(std::size_t, joined_bodies, 4);  // clusters
/// What is at least this much like a person, compared with the likeliest, may be the person after all: poses decide.
/// [realistic pairs: somebody 6 m away beside a bookcase]
KINEMA_CONSTANT(double, rival_rank, 0.3);  // share
/// [time]
KINEMA_CONSTANT(std::size_t, most_rivals, 2);  // clusters
/// So many clusters are looked at for people, the likeliest first. [time]
KINEMA_CONSTANT(std::size_t, most_people, 30);  // clusters
/// What is less like a person than this is not looked at.
KINEMA_CONSTANT(double, least_likeness, 0.05);  // likeness
/// Of two clusters that are alike the nearer is taken: how much likeness a metre costs.
KINEMA_CONSTANT(double, nearness, 0.1);  // share per metre

}  // namespace clusters

// Rays past a person who is all that was measured: foreground_exterior.cpp.
namespace exterior {

/// The image is divided into about as many blocks across. [2 cm at 3 m]
KINEMA_CONSTANT(std::size_t, exterior_columns, 160);  // blocks
/// Where more of the pixels have a measurement, there is a scene behind the person.
KINEMA_CONSTANT(double, most_measured, 0.5);  // share
/// The person is alone if more of the measurements belong to it.
KINEMA_CONSTANT(double, alone_share, 0.95);  // share
/// Whoever stays this far from a border of the image does not reach beyond it.
KINEMA_CONSTANT(float, border_margin, 3.0f);  // pixels
/// Rays are added this far beyond a border that the person is as near to. [the shins of an adult who is taken for a
/// taller one]
KINEMA_CONSTANT(float, beyond_border, 0.25f);  // share of the visible height of the person

}  // namespace exterior

}  // namespace kinema::body::constants
