// The second part of the demo: a walking person is recorded by a simulated camera, tracked, and compared with the
// truth.
#pragma once

#include "app/body/evaluation.h"
#include "app/run/track_run.h"
#include "kinema/compute.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::app {

/// The sample built into the command: the text of samples/walk.bvh, a walking person.
std::string_view walk_clip();

struct WalkSettings {
  std::filesystem::path folder;  ///< of the demo: motion.bvh, walk/, poses.jsonl, walk.bvh and images are written there
  std::size_t frames = 60;
  Compute compute;
  std::uint64_t seed = 1;
  decltype(TrackRun::watch) watch = nullptr;
};

/// Images of a film strip on the page.
inline constexpr std::size_t strip_length = 6;

/// One image of the film strip.
struct Shot {
  long frame = 0;
  double time = 0;
  int width = 0, height = 0;
  std::string png;  ///< the bytes of the file
};

struct Walk {
  WalkSettings settings;
  std::string mode;  ///< depth; points without OpenCV, which writes depth images
  TrackCounts counts;
  Evaluation evaluation;
  std::vector<Shot> strip;  ///< empty without OpenCV
  std::string no_video;     ///< why there is no walk.mp4; empty if there is one
  double simulate_ms = 0, track_ms = 0;

  std::vector<std::string> commands() const;  ///< that do the same by hand, inside the folder
};

/// Throws Error if the folder holds a recording that is not the demo's, which must not be replaced.
void check_walk_folder(const std::filesystem::path& folder);

/// Throws Error also if the folder cannot be written or nobody was found.
Walk follow_walk(const WalkSettings& settings);

}  // namespace kinema::app
