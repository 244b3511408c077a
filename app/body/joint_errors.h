// Errors of single joints, and what they are together.
#pragma once

#include "app/body/evaluation.h"
#include "kinema/skeleton.h"

#include <array>
#include <optional>
#include <vector>

namespace kinema::app {

inline constexpr std::size_t common_count = body::common_joints.size();
using CommonJoints = std::array<const io::NamedJoint*, common_count>;  ///< those present in a line

/// A line's joints by their common names. Throws Error where two of them stand for one.
CommonJoints common_joints_of(const PoseFile& file, const io::PoseLine& line);

struct Sample {
  double error_mm;
  std::optional<double> normalised;
};

Sample compare(const io::NamedJoint& pose, const io::NamedJoint& truth);

ErrorSummary summary(const std::vector<Sample>& samples);

}  // namespace kinema::app
