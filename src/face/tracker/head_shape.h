// The head of the pose solver: 68 landmarks in three dimensions, how they differ between people and how expressions move
// them. Drawn heads (src/synth) are where the numbers come from; a test holds them against these.
#pragma once

#include "kinema/head_pose.h"

#include <cstddef>
#include <cstdint>

namespace kinema::face {

/// x0 y0 z0 x1 ... in the head's frame, hundredths of a millimetre where the outer corners of the eyes are 90 mm apart.
using HeadShapeRow = std::int16_t[3 * HeadPoseSolver::landmarks];
inline constexpr double head_shape_unit = 1.0 / 9000;  ///< in distances between the outer corners of the eyes

inline constexpr std::size_t head_shape_components = 14;

extern const HeadShapeRow head_shape_mean[1];
extern const HeadShapeRow head_shape_people[head_shape_components];         ///< by one standard deviation
extern const HeadShapeRow head_shape_expressions[expression_names.size()];  ///< in full

}  // namespace kinema::face
