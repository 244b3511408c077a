// A run of the person tracker: frames of a source go through the tracker into files and sockets.
#pragma once

#include "app/run/colour_run.h"
#include "kinema/person_tracker.h"
#include "kinema/source.h"

#include <cstddef>
#include <functional>
#include <optional>

namespace kinema::app {

struct PersonRun {
  person::TrackerSettings tracker;
  Compute compute;
  std::optional<head::Oval> oval;  ///< where the head is in the first frame
  FrameRange range;
  ColourOutputs outputs;

  /// Called with every frame and its estimate, before the next one is read.
  std::function<void(const io::Frame&, const person::Estimate&)> watch = nullptr;
};

struct PersonCounts : ColourCounts {
  std::size_t faces = 0, detections = 0;
  std::size_t losses = 0;        ///< times that the person was lost and came back
  double longest_loss = 0;       ///< seconds, of these
  double processor_seconds = 0;  ///< of this process, while it tracked
};

/// Tracks a person through the source: see run_loop().
PersonCounts track(io::Source& source, const PersonRun& run);

}  // namespace kinema::app
