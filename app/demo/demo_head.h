// The third part of the demo: the tracker is calibrated for a synthetic head in front of a webcam, tracks it, and is
// compared with the truth.
#pragma once

#include "app/demo/demo_walk.h"
#include "app/head/head_report.h"
#include "app/head/head_run.h"
#include "synth/head_clip.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kinema::app {

struct HeadDemoSettings {
  std::filesystem::path folder;  ///< of the demo: head/, filter.json, head.csv and images are written there
  std::size_t frames = 60;
  Compute compute;
  std::uint64_t seed = 1;

  /// Called with every frame, its result, and the tracker.
  std::function<void(const io::Frame&, const head::Estimate&, const head::Tracker&)> watch = nullptr;
};

struct HeadDemo {
  HeadDemoSettings settings;
  double score = 0;  ///< of the calibration
  double calibrate_ms = 0, make_ms = 0, track_ms = 0;
  HeadCounts counts;
  HeadErrors errors;  ///< over the face's width
  double mean_px = 0, worst_px = 0;
  double face_px = 0;               ///< its width in the first frame
  std::vector<double> error_px;     ///< per frame; negative: not found
  std::optional<double> jitter_px;  ///< of the same head at rest
  double distance_percent = 0;      ///< mean error of the distance
  std::vector<Shot> strip;          ///< empty without OpenCV
  std::string no_video;             ///< why there is no head.mp4; empty if there is one
  std::string oval;                 ///< of the first frame, as --oval takes it

  std::vector<std::string> commands() const;  ///< that do the same by hand, inside the folder
};

/// Throws Error if the folder holds images that are not the demo's, which must not be replaced.
void check_head_folder(const std::filesystem::path& folder);

/// Throws Error also if the folder cannot be written or the head was not found.
HeadDemo follow_head(const HeadDemoSettings& settings);

}  // namespace kinema::app
