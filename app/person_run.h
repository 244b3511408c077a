// A run of the person tracker: frames of a source go through the tracker into files and sockets.
#pragma once

#include "app/source_loop.h"
#include "io/live_targets.h"
#include "kinema/person_tracker.h"
#include "kinema/source.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace kinema::app {

/// Files to write and network receivers; empty name: none.
struct PersonOutputs {
  std::string lines, table, overlay;
  io::LiveTargets live;
};

struct PersonRun {
  person::TrackerSettings tracker;
  Backend backend = Backend::automatic;
  std::optional<head::Oval> oval;  ///< where the head is in the first frame
  long start = 0;                  ///< number of the first frame
  std::size_t frames = 0;          ///< at most; 0: all
  PersonOutputs outputs;

  /// Called with every frame and its estimate, before the next one is read.
  std::function<void(const io::Frame&, const person::Estimate&)> watch = nullptr;
};

struct PersonCounts {
  std::size_t frames = 0, found = 0, faces = 0, detections = 0, lost = 0, gaps = 0;
  std::size_t losses = 0;        ///< times that the person was lost and came back
  double longest_loss = 0;       ///< seconds, of these
  double processor_seconds = 0;  ///< of this process, while it tracked
  LiveCounts live;
  std::string first_gap;             ///< why the first unreadable frame could not be read
  bool stopped = false;              ///< by the user
  std::map<std::string, double> ms;  ///< by stage
  Backend backend = Backend::cpu;    ///< the backend that ran

  double frames_per_second() const;  ///< of the tracker alone
};

/// Tracks a person through the source; Ctrl-C ends it early. If the source fails, the results so far are written, and
/// then the Error is thrown.
PersonCounts track(io::Source& source, const PersonRun& run);

}  // namespace kinema::app
