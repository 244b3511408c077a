// The body's fixed-lag smoother: poses of a few frames ago, corrected by the frames since. body::Tracker runs it; it is
// public for callers that drive the filter themselves.
#pragma once

#include "kinema/body_filter.h"

#include <memory>
#include <vector>

namespace kinema::body {

class Smoother {
public:
  virtual ~Smoother() = default;

  /// A frame of the filter, its estimate, and the skeleton after it; for a frame that the filter did not see, an
  /// estimate that found nobody. Returns the estimates settled by now, oldest first: each is returned once, in order,
  /// with corrected pose, joints and deviations if somebody was found. They refer to the skeleton given last.
  virtual std::vector<Estimate> add(const Frame& frame, const Estimate& estimate, const Skeleton& skeleton) = 0;

  /// Returns all estimates that are not settled yet; the next frame starts a new sequence.
  virtual std::vector<Estimate> finish() = 0;
};

/// `settings`: those of the tracker. A pose is corrected by at least `lag` later frames; 0: poses are returned at once,
/// unchanged. Smoothing does not feed back into the filter; it ends where the filter loses the person and starts again
/// where it finds one. Costs a few host-side refinements per frame and the memory of the points of 2 lag frames.
std::unique_ptr<Smoother> make_smoother(const TrackerSettings& settings, std::size_t lag, const Compute& compute = {});

}  // namespace kinema::body
