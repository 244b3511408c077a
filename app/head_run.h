// A run of the head tracker: frames of a source go through the tracker into files and sockets. Used by `kinema head
// track` and the demo.
#pragma once

#include "app/source_loop.h"
#include "io/live_targets.h"
#include "kinema/head_tracker.h"
#include "kinema/source.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace kinema::app {

/// Files to write and network receivers; empty name: none.
struct HeadOutputs {
  std::string table, lines, overlay;
  io::LiveTargets live;
};

struct HeadRun {
  head::TrackerSettings tracker;
  Backend backend = Backend::automatic;
  std::string background;  ///< an image of the room without the person; empty: none
  long start = 0;          ///< number of the first frame
  std::size_t frames = 0;  ///< at most; 0: all
  HeadOutputs outputs;

  /// Called with every frame and its estimate, before the next one is read.
  std::function<void(const io::Frame&, const head::Estimate&)> watch = nullptr;

  /// For drawing in `watch`: the current degree of a colour according to the tracker.
  std::function<void(const head::Tracker&)> started = nullptr;
};

struct HeadCounts {
  std::size_t frames = 0, found = 0, lost = 0, gaps = 0;
  LiveCounts live;
  std::string first_gap;             ///< why the first unreadable frame could not be read
  bool stopped = false;              ///< by the user
  std::map<std::string, double> ms;  ///< by stage
  head::Mode mode = head::Mode::plain;
  Backend backend = Backend::cpu;  ///< the backend that ran

  double frames_per_second() const;  ///< of the tracker alone
};

/// Tracks the head through the source; Ctrl-C ends it early. If the source fails, the results so far are written, and
/// then the Error is thrown.
HeadCounts track(io::Source& source, const HeadRun& run);

}  // namespace kinema::app
