// Skeletons and poses as JSON files that people can edit: docs/skeleton.md, docs/skeleton.schema.json.
#pragma once

#include "kinema/skeleton.h"

#include <filesystem>
#include <string>

namespace kinema::io {

/// Reads back bit for bit. Throws Error if the skeleton is invalid (see check()) or a name is not UTF-8.
std::string skeleton_json(const body::Skeleton& skeleton);

/// Throws Error with the file, the place in it (/joints/3/parent) and the remedy.
body::Skeleton read_skeleton(const std::filesystem::path& path);

/// Reads back bit for bit with read_pose() and the same skeleton. Throws Error if a number is not finite or the angles
/// do not match the skeleton.
std::string pose_json(const body::Skeleton& skeleton, const body::Pose& pose);

/// A pose of `skeleton`. Joints whose angles the file omits are at rest; an angle up to `limit_slack` beyond a limit is
/// clamped to it, one further off is refused. A line of poses.jsonl in a file of its own is valid too.
body::Pose read_pose(const std::filesystem::path& path, const body::Skeleton& skeleton);

/// Radians; the mean of poses within limits that bend a swing may lie slightly outside them.
inline constexpr double limit_slack = 0.05;

}  // namespace kinema::io
