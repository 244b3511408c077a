// Skeletons and poses as JSON files, for people to write and change: docs/skeleton.md, docs/skeleton.schema.json.
#pragma once

#include "kinema/skeleton.h"

#include <filesystem>
#include <string>

namespace kinema::io {

/// Reads back as the same bits. Throws Error where the skeleton makes no sense (see check()) or a name is no UTF-8.
std::string skeleton_json(const body::Skeleton& skeleton);

/// Throws Error with the file, the place in it (/joints/3/parent) and the mend.
body::Skeleton read_skeleton(const std::filesystem::path& path);

/// Reads back as the same bits with read_pose() and the same skeleton. Throws Error where a number is not finite or the
/// angles are not those of the skeleton.
std::string pose_json(const body::Skeleton& skeleton, const body::Pose& pose);

/// A pose of `skeleton`. Joints whose angles the file leaves out are at rest; an angle up to `limit_slack` beyond a limit
/// is taken to the limit, and refused further off. A line of poses.jsonl in a file of its own is such a file too.
body::Pose read_pose(const std::filesystem::path& path, const body::Skeleton& skeleton);

/// Radians; the mean of poses within limits that bend a swing may lie a little outside them.
inline constexpr double limit_slack = 0.05;

}  // namespace kinema::io
