// The second part of the demo: a walking person is recorded by a simulated camera, followed, and held against the truth.
#pragma once

#include "app/evaluation.h"
#include "app/track_run.h"
#include "kinema/backend.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kinema::app {

struct WalkSettings {
  std::filesystem::path folder;  ///< of the demo: motion.bvh, walk/, poses.jsonl, walk.bvh and pictures go there
  std::size_t frames = 60;
  Backend backend = Backend::automatic;
  int threads = 0;
  std::uint64_t seed = 1;
  decltype(TrackRun::watch) watch = nullptr;
};

/// One picture of the film strip.
struct Shot {
  long frame = 0;
  double time = 0;
  int width = 0, height = 0;
  std::string png;  ///< the bytes of the file
};

struct Walk {
  WalkSettings settings;
  std::string mode;  ///< depth; points where there is no OpenCV to write depth images
  TrackCounts counts;
  Evaluation evaluation;
  std::vector<Shot> strip;  ///< empty where there is no OpenCV
  std::string no_video;     ///< why there is no walk.mp4; empty where there is one
  double simulate_ms = 0, track_ms = 0;

  std::vector<std::string> commands() const;  ///< that do the same by hand, inside the folder
};

/// Throws Error where the folder holds a recording that is not the demo's, which must not be replaced.
void check_walk_folder(const std::filesystem::path& folder);

/// Throws Error also where the folder cannot be written or nobody was found.
Walk follow_walk(const WalkSettings& settings);

}  // namespace kinema::app
