// A run of the body tracker: frames of a recording go through foreground and tracker into files. `kinema body track` and
// the demo are made of it.
#pragma once

#include "io/recording.h"
#include "kinema/body_tracker.h"
#include "kinema/foreground.h"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace kinema::app {

/// The person to look for.
struct Person {
  body::Skeleton skeleton;
  bool measured = false;  ///< its size is known, and not fitted
};

/// Files to write; an empty name: none.
struct TrackFiles {
  std::string poses, csv, bvh, overlay;
};

/// What those see who watch a run.
struct TrackedFrame {
  const io::Frame& frame;
  const body::Cloud& cloud;  ///< what the tracker was given
  body::Tracker& tracker;
  const body::Estimate& estimate;
  const std::string& why;  ///< where nobody was found
  double foreground_ms = 0;
};

/// A frame as it is written to files: after smoothing, and so later than it was watched.
struct WrittenFrame {
  const io::Frame& frame;
  const body::Skeleton& skeleton;
  const body::Estimate& estimate;
  const std::string& why;
};

struct TrackRun {
  Person person;
  std::optional<body::Pose> start_pose;  ///< nothing: search
  Backend backend = Backend::automatic;
  body::TrackerSettings tracker;  ///< fit_shape is taken for persons who are not measured
  body::ForegroundSettings foreground;
  std::size_t lag = 15;    ///< frames that put a pose right which were seen after it; 0: none
  long start = 0;          ///< number of the first frame
  std::size_t frames = 0;  ///< at most; 0: all
  TrackFiles files;

  /// Called with every frame and what came of it, before the next one is read.
  std::function<void(const TrackedFrame&)> watch = nullptr;

  /// Called with every frame as it goes into the files.
  std::function<void(const WrittenFrame&)> written = nullptr;
};

struct TrackCounts {
  std::size_t frames = 0, found = 0, lost = 0, gaps = 0;
  bool stopped = false;              ///< by the user
  std::map<std::string, double> ms;  ///< by stage
  double tracking_ms = 0;            ///< foreground, tracker and waiting for the smoother, without files and pictures

  double frames_per_second() const;
};

/// Chooses the backend, and what the tracker's settings leave open, the points of the foreground with them.
void fill_in(TrackRun& run);

/// Follows the person through the recording; Ctrl-C ends it early. Files appear when all is done.
TrackCounts track(io::Recording& recording, const TrackRun& run);

}  // namespace kinema::app
