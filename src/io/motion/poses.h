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

/// The names of a skeleton's joints in files: the common name if no other joint has a better claim to it, otherwise the
/// joint's own.
std::vector<std::string> output_names(const body::Skeleton& skeleton);

struct NamedJoint {
  std::string name;  ///< as in the file
  Vec3 position = {};
  std::optional<double> deviation;  ///< standard deviation along each axis, metres
};

/// A line of poses.jsonl or truth.jsonl. Members missing from a line stay empty.
struct PoseLine {
  std::size_t line = 0;  ///< in the file, from 1
  std::optional<std::int64_t> frame;
  std::optional<double> time;
  std::optional<std::int64_t> person;
  std::optional<double> visible;  ///< of truth: the share of the person that the camera sees
  bool found = false;             ///< false: "joints" is null
  std::string why;                ///< if not found
  std::vector<NamedJoint> joints;
  std::optional<double> log_likelihood, effective_sample_size;
};

/// Throws Error with file:line, the place and the remedy if a line is malformed, has neither frame nor time, or repeats
/// the frame, and the person if there is one, of another. Unknown members are ignored.
std::vector<PoseLine> read_poses(const std::filesystem::path& path);

}  // namespace kinema::io
