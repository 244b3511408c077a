// Reading poses.jsonl and truth.jsonl, which have the same format; see docs/poses.md. Writing is in kinema/poses.h.
#pragma once

#include "kinema/poses.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::io {

/// The names under which a skeleton's joints go into files: the common name where there is one that no other joint has a
/// better right to, else the joint's own.
std::vector<std::string> output_names(const body::Skeleton& skeleton);

struct NamedJoint {
  std::string name;  ///< as in the file
  Vec3 position = {};
  std::optional<double> deviation;  ///< standard deviation along each axis, metres
};

/// A line of poses.jsonl or truth.jsonl. What a line does not say stays empty.
struct PoseLine {
  std::size_t line = 0;  ///< of the file, from 1
  std::optional<std::int64_t> frame;
  std::optional<double> time;
  bool found = false;  ///< false: "joints" is null
  std::string why;     ///< where not found
  std::vector<NamedJoint> joints;
  std::optional<double> log_likelihood, effective_sample_size;
};

/// Throws Error with file:line, the place and the mend where a line is broken, has neither frame nor time, or repeats the
/// frame of another. Unknown members are passed over.
std::vector<PoseLine> read_poses(const std::filesystem::path& path);

}  // namespace kinema::io
