// Recordings of a walker, simulated once for all tests of body track, and what the command makes of them.
#pragma once

#include "command.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace kinema::app {

/// The lines of a poses.jsonl or truth.jsonl.
std::vector<nlohmann::json> lines_of(const std::filesystem::path& path);

/// A line without what a clock put there.
std::string without_times(nlohmann::json line);

/// Mean distance of the common joints of two frames, metres.
double mean_error(const nlohmann::json& line, const nlohmann::json& truth);

class TrackTest : public ::testing::Test {
protected:
  static constexpr int frames = 12;

  /// A recording of `frames` frames of depth, with colour, without background.png; the same with `mode` points (4) and
  /// stereo (3). They are shared: change copies only.
  static std::filesystem::path recording(const std::string& mode = "depth");

  /// The depth of the scene without the walker.
  static std::filesystem::path empty_scene();

  /// Frame `i` of a folder.
  static std::filesystem::path depth_of(const std::filesystem::path& folder, int i);

  /// A copy of recording() without colour, to spoil.
  std::filesystem::path copy(const std::string& name = "copy", const std::string& mode = "depth") const;

  /// body track of an input with few points and particles, unless `more` says so; --out poses.jsonl unless it says so.
  Outcome track(const std::filesystem::path& input, Arguments more = {}) const;

  /// The same, expected to end well, and its lines.
  std::vector<nlohmann::json> tracked(const std::filesystem::path& input, const Arguments& more = {}) const;

  /// An input or a call that is refused with one line, and nothing is written.
  void refuses(const std::filesystem::path& input, const Arguments& more, const std::string& says) const;

  static bool pictures() { return KINEMA_PICTURES != 0; }

  const Problem folder{1, 1};
};

}  // namespace kinema::app
