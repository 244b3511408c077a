// What is known of each number of a pose's tangent: its joint, its speed, and the limb that it moves.
#pragma once

#include "body/skeleton/joint_axes.h"

#include <cstdint>
#include <vector>

namespace kinema::body {

/// The joint that each number of the tangent turns; the first joint counts twice, for its place and for its rotation.
std::vector<int> joint_of_tangent(const Skeleton& skeleton);

/// Speed of each number of the tangent: standard deviation over a second.
std::vector<double> walk_speed(const Skeleton& skeleton);

/// Standard deviation of each number of the tangent over `seconds`, from their speeds.
std::vector<float> walk_deviation(const Skeleton& skeleton, double seconds);

/// Their inverse squares: the precision of the prior given by the last frame.
std::vector<double> walk_precision(const Skeleton& skeleton, double seconds);

/// Parts of the body that are sampled in turn: trunk and head, then each limb.
struct LimbBlocks {
  std::vector<std::vector<std::uint8_t>> moves;  ///< for each block, one byte per number of the tangent
};
LimbBlocks limb_blocks(const Skeleton& skeleton);

}  // namespace kinema::body
