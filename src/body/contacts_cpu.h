// The capsule that each point of a block touches, for the refinement: SIMD over points, all capsules.
#pragma once

#include "body/contact.h"

#include <cstddef>
#include <span>

namespace kinema::body {

/// Points processed together. Arrays of a block have as many floats, aligned; those past the last point hold any finite
/// numbers, and their results are meaningless.
inline constexpr std::size_t contact_block = 64;

struct alignas(64) PointBlock {
  float x[contact_block], y[contact_block], z[contact_block];
};

struct alignas(64) TouchBlock {
  float distance[contact_block];  // signed
  float capsule[contact_block];   // its index, an integer; -1: none
};

/// The capsule whose surface is nearest to each point.
void nearest_capsules(std::span<const Segment> skin, const PointBlock& points, TouchBlock& touches);

/// The capsule that blocks each ray from the origin to a point most deeply; -1 where none does.
void deepest_obstacles(std::span<const Segment> skin, const PointBlock& points, TouchBlock& touches);

}  // namespace kinema::body
