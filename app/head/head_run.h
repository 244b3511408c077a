// A run of the head tracker: frames of a source go through the tracker into files and sockets. Used by `kinema head
// track` and the demo.
#pragma once

#include "app/run/colour_run.h"
#include "kinema/head_tracker.h"
#include "kinema/source.h"

#include <functional>
#include <string>

namespace kinema::app {

struct HeadRun {
  head::TrackerSettings tracker;
  Compute compute;
  std::string background;  ///< an image of the room without the person; empty: none
  FrameRange range;
  ColourOutputs outputs;

  /// Called with every frame and its estimate, before the next one is read.
  std::function<void(const io::Frame&, const head::Estimate&)> watch = nullptr;

  /// For drawing in `watch`: the current degree of a colour according to the tracker.
  std::function<void(const head::Tracker&)> started = nullptr;
};

struct HeadCounts : ColourCounts {
  head::Mode mode = head::Mode::plain;
};

/// Tracks the head through the source: see run_loop().
HeadCounts track(io::Source& source, const HeadRun& run);

}  // namespace kinema::app
