// The body's fixed-lag smoother: poses of a few frames ago, corrected by what was seen since. body::Tracker runs it; it stands
// by itself for callers that drive the filter.
#pragma once

#include "kinema/body_filter.h"

#include <memory>
#include <vector>

namespace kinema::body {

class Smoother {
public:
  virtual ~Smoother() = default;

  /// A frame that the filter was given, its estimate, and the skeleton after it. For a frame that it never saw: an estimate
  /// that found nobody. Returns the estimates that are settled by now, oldest first: each that was added comes back once, in
  /// order, with another pose, joints and deviations where somebody was found. They belong to the skeleton given last.
  virtual std::vector<Estimate> add(const Frame& frame, const Estimate& estimate, const Skeleton& skeleton) = 0;

  /// All that are not settled yet; the next frame begins anew.
  virtual std::vector<Estimate> finish() = 0;
};

/// `settings`: those of the tracker. A pose is put right by the `lag` frames after it or more; 0: poses stay as they are, and
/// come back at once. What the tracker says is not touched by it, and where it lost or found a person smoothing ends and
/// begins. Takes a few host-side refinements a frame and the points of 2 lag frames.
std::unique_ptr<Smoother> make_smoother(const TrackerSettings& settings, std::size_t lag);

}  // namespace kinema::body
