// A run of the head tracker: frames of a source go through the tracker into files and sockets. `kinema head track` and
// the demo are made of it.
#pragma once

#include "kinema/head_tracker.h"
#include "kinema/source.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace kinema::app {

/// Files to write and receivers to tell; an empty name: none.
struct HeadOutputs {
  std::string table, lines, overlay;
  std::string opentrack, osc;   ///< host:port
  bool opentrack_time = false;  ///< a seventh double: when the frame was taken
};

struct HeadRun {
  head::Calibration calibration;
  head::TrackerSettings tracker;
  std::string background;  ///< a picture of the room without the person; empty: none
  long start = 0;          ///< number of the first frame
  std::size_t frames = 0;  ///< at most; 0: all
  HeadOutputs outputs;

  /// Called with every frame and its estimate, before the next one is read.
  std::function<void(const io::Frame&, const head::HeadEstimate&)> watch = nullptr;

  /// For pictures in `watch`: the degree of a colour as the tracker sees it now.
  std::function<void(const head::Tracker&)> started = nullptr;
};

struct HeadCounts {
  std::size_t frames = 0, found = 0, lost = 0, gaps = 0;
  std::string first_gap;             ///< why the first frame that could not be read could not
  bool stopped = false;              ///< by the user
  std::map<std::string, double> ms;  ///< by stage
  head::Following following = head::Following::plain;

  double frames_per_second() const;  ///< of the tracker alone
};

/// Follows the head through the source; Ctrl-C ends it early. Where the source breaks off, what was tracked until then
/// is written, and then the Error is thrown.
HeadCounts track(io::Source& source, const HeadRun& run);

}  // namespace kinema::app
