#include "io/motion/motion_files.h"

#include "io/motion/poses.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numbers>

namespace kinema::io {
namespace {

constexpr double degrees_in_radian = 180 / std::numbers::pi;

// A marker's name must be one field of a table.
std::string field(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return name;
}

// Names of the models of Rajagopal (legs) and of the upper extremity (arms).
const std::map<std::string_view, std::string_view>& coordinates() {
  static const std::map<std::string_view, std::string_view> names = {
      {"hip_flexion", "hip_flexion"},         {"hip_adduction", "hip_adduction"},
      {"hip_rotation", "hip_rotation"},       {"knee_flexion", "knee_angle"},
      {"knee_adduction", "knee_adduction"},   {"knee_rotation", "knee_rotation"},
      {"ankle_dorsiflexion", "ankle_angle"},  {"ankle_inversion", "subtalar_angle"},
      {"ankle_rotation", "ankle_rotation"},   {"shoulder_plane", "elv_angle"},
      {"shoulder_elevation", "shoulder_elv"}, {"shoulder_rotation", "shoulder_rot"},
      {"elbow_flexion", "elbow_flex"},        {"elbow_carrying", "elbow_carrying"},
      {"elbow_pronation", "pro_sup"}};
  return names;
}

}  // namespace

std::string opensim_coordinate(std::string_view angle) {
  const bool left = angle.starts_with("left_");
  const std::string_view bare = angle.substr(angle.find('_') + 1);
  const auto found = coordinates().find(bare);
  return fmt::format("{}_{}", found == coordinates().end() ? bare : found->second, left ? 'l' : 'r');
}

std::string to_trc(const body::Skeleton& skeleton, const TrackedMotion& motion, const std::string& file) {
  const std::vector<std::string> names = output_names(skeleton);
  const std::size_t frames = motion.frames.size();
  std::string text = fmt::format("PathFileType\t4\t(X/Y/Z)\t{}\n", field(file));
  const auto out = std::back_inserter(text);
  text += "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n";
  fmt::format_to(out, "{0:.6g}\t{0:.6g}\t{1}\t{2}\tmm\t{0:.6g}\t1\t{1}\n", motion.fps, frames, names.size());
  std::string axes;
  text += "Frame#\tTime";
  for (std::size_t j = 0; j < names.size(); ++j) {
    // the name stands above the first of three columns
    fmt::format_to(out, "\t{}{}", field(names[j]), j + 1 < names.size() ? "\t\t" : "");
    fmt::format_to(std::back_inserter(axes), "\tX{0}\tY{0}\tZ{0}", j + 1);
  }
  fmt::format_to(out, "\n\t{}\n\n", axes);
  for (std::size_t i = 0; i < frames; ++i) {
    const TrackedFrame& frame = motion.frames[i];
    fmt::format_to(out, "{}\t{:.6f}", i + 1, frame.time);
    for (std::size_t j = 0; j < names.size(); ++j) {
      if (!frame.found) {
        text += "\t\t\t";
        continue;
      }
      const Vec3 at = y_up(frame.joints[j]);
      fmt::format_to(out, "\t{:.4f}\t{:.4f}\t{:.4f}", millimetres * at.x, millimetres * at.y, millimetres * at.z);
    }
    text += '\n';
  }
  return text;
}

std::string to_mot(const body::Skeleton& skeleton, const TrackedMotion& motion) {
  const std::vector<body::AnatomicalAngle> angles = body::anatomical_angles(skeleton, body::rest_pose(skeleton));
  const auto with_angles = [&](const TrackedFrame& frame) {
    return frame.found && frame.angles.size() == angles.size();
  };
  const auto rows = std::count_if(motion.frames.begin(), motion.frames.end(), with_angles);
  std::string text =
      fmt::format("Coordinates\nversion=1\nnRows={}\nnColumns={}\ninDegrees=yes\n\n", rows, 1 + 2 * angles.size());
  text += "Joint angles by the conventions of the ISB; columns that end in _std are their standard deviations.\n";
  text += "endheader\ntime";
  const auto out = std::back_inserter(text);
  for (const body::AnatomicalAngle& angle : angles) fmt::format_to(out, "\t{}", opensim_coordinate(angle.name));
  for (const body::AnatomicalAngle& angle : angles) fmt::format_to(out, "\t{}_std", opensim_coordinate(angle.name));
  text += '\n';
  for (const TrackedFrame& frame : motion.frames) {
    if (!with_angles(frame)) continue;
    fmt::format_to(out, "{:.6f}", frame.time);
    for (const body::AnatomicalAngle& angle : frame.angles)
      fmt::format_to(out, "\t{:.4f}", degrees_in_radian * angle.value);
    for (const body::AnatomicalAngle& angle : frame.angles)
      fmt::format_to(out, "\t{:.4f}", degrees_in_radian * angle.deviation);
    text += '\n';
  }
  return text;
}

}  // namespace kinema::io
