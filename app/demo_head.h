// The third part of the demo: a synthetic head before a webcam is calibrated for, followed, and held against the truth.
#pragma once

#include "app/demo_walk.h"
#include "app/head_report.h"
#include "app/head_run.h"
#include "synth/head_clip.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kinema::app {

struct HeadDemoSettings {
  std::filesystem::path folder;  ///< of the demo: head/, filter.json, head.csv and pictures go there
  std::size_t frames = 60;
  Backend backend = Backend::automatic;
  int threads = 0;
  std::uint64_t seed = 1;

  /// Called with every frame, what came of it, and the tracker.
  std::function<void(const io::Frame&, const head::HeadEstimate&, const head::Tracker&)> watch = nullptr;
};

struct HeadDemo {
  HeadDemoSettings settings;
  double score = 0;  ///< of the calibration
  double calibrate_ms = 0, make_ms = 0, track_ms = 0;
  HeadCounts counts;
  HeadErrors errors;  ///< over the face's width
  double mean_px = 0, worst_px = 0;
  double face_px = 0;               ///< its width in the first frame
  std::vector<double> error_px;     ///< by frame; negative: not found
  std::optional<double> jitter_px;  ///< of the same head when it does not move
  double distance_percent = 0;      ///< mean error of the distance
  std::vector<Shot> strip;          ///< empty where there is no OpenCV
  std::string no_video;             ///< why there is no head.mp4; empty where there is one
  std::string oval;                 ///< of the first frame, as --oval takes it

  std::vector<std::string> commands() const;  ///< that do the same by hand, inside the folder
};

/// Throws Error where the folder holds pictures that are not the demo's, which must not be replaced.
void check_head_folder(const std::filesystem::path& folder);

/// Throws Error also where the folder cannot be written or the head was not found.
HeadDemo follow_head(const HeadDemoSettings& settings);

}  // namespace kinema::app
