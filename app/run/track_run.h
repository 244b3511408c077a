// A run of the body tracker: frames of a recording go through body::Tracker into files. Used by `kinema body track`,
// dropped files and the demo.
#pragma once

#include "app/run/latency.h"
#include "app/run/source_loop.h"
#include "io/network/live_sender.h"
#include "kinema/body_tracker.h"
#include "kinema/face_observer.h"
#include "kinema/recording.h"
#include "serve/run_control.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinema::app {

/// Files to write; empty name: none. Of several people bvh, trc, mot, c3d and gltf are a file each: walk-2.bvh of walk.bvh.
struct TrackFiles {
  std::string poses, csv, bvh, trc, mot, c3d, gltf, overlay;
};

/// How a live run keeps up.
struct LiveStatus {
  double taken = 0;       ///< seconds since 1970, of the last frame
  double latency_ms = 0;  ///< from then until its estimate was sent
  LiveCounts counts;
  body::PaceCounts pace;
  bool lowered = false;                ///< the pace, below what a file would be tracked with
  bool tracking = true;                ///< false: a page stopped it
  std::optional<io::CopyStatus> copy;  ///< the last recording that a page asked for
  bool being_copied = false;           ///< it goes on
};

struct TrackRun {
  body::TrackerSettings tracker;  ///< see body::settings_for()
  Compute compute;
  std::optional<body::Pose> start_pose;              ///< nothing: search
  std::optional<std::pair<double, double>> chosen;   ///< who is followed first: whoever is at this pixel
  std::optional<person::FaceObserverSettings> face;  ///< nothing: colour pictures are not looked at
  long start = 0;                                    ///< number of the first frame
  std::size_t frames = 0;                            ///< at most; 0: all
  TrackFiles files;
  io::LiveTargets live;  ///< receivers of each frame's first estimate
  int person = 0;        ///< of whom, by number; 0: of the nearest to the middle

  /// Called with every frame and its first estimate, before the next frame is read.
  std::function<void(const io::Frame&, body::Tracker&, const body::Estimate&)> watch = nullptr;

  /// Called before that for a live source.
  std::function<void(const LiveStatus&)> watch_live = nullptr;

  /// What pages ask of it, looked at before every frame; null: there are none.
  serve::RunControl* control = nullptr;
  std::filesystem::path recordings = ".";  ///< where they let a live source be recorded

  /// Called with every frame and its final estimate, as they are written.
  std::function<void(const io::Frame&, const body::Estimate&)> written = nullptr;
};

struct TrackCounts {
  Backend backend = Backend::automatic;  ///< the backend that ran
  body::TrackerSettings settings;        ///< with defaults filled in
  std::size_t frames = 0, found = 0, lost = 0, gaps = 0;
  int people = 0;         ///< numbers given to people; 0 where one is followed
  std::size_t faces = 0;  ///< frames in whose picture a face was seen
  LiveCounts live;
  double deviation = 0;     ///< mean of what the final estimates state for joints, metres along each axis
  double stature = 0;       ///< of the person as fitted at the end, metres; 0: nobody was found
  Latencies latency;        ///< of a live source, from the camera to the message
  double live_seconds = 0;  ///< from its first tracked frame to the last
  std::size_t pace_changes = 0;
  int search_rest = 1;                ///< see body::PaceCounts
  std::uint64_t exchanged_bytes = 0;  ///< between devices or ranks, all together
  bool stopped = false;               ///< by the user
  std::map<std::string, double> ms;   ///< by stage
  double tracking_ms = 0;             ///< foreground, tracker and waiting for the smoother, without files and images

  /// Written for bvh, gltf, trc, mot and c3d; of several people one for each of them.
  std::vector<std::string> motion_files;

  double frames_per_second() const;

  /// Of a live source: tracked frames per second as they were sent, waiting included.
  double live_frames_per_second() const;
};

/// Tracks the person through the recording; Ctrl-C ends it early. Files appear at the end.
TrackCounts track(io::Recording& recording, const TrackRun& run);

}  // namespace kinema::app
