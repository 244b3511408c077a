// A run of the head tracker: frames of a source go through the tracker into files and sockets. Used by `kinema head
// track` and the demo. And what its path tells: the jitter of a still head, the lag of smoothing and, given a truth, errors.
#pragma once

#include "app/run/colour_run.h"
#include "io/faces/head_table.h"
#include "kinema/head_tracker.h"
#include "kinema/one_euro.h"
#include "kinema/source.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

/// A path of the head's centre over the frames of a run, with gaps.
struct HeadPath {
  std::vector<double> time;
  std::vector<std::optional<std::pair<double, double>>> place;

  void add(double seconds, const std::optional<std::pair<double, double>>& at) {
    time.push_back(seconds);
    place.push_back(at);
  }
};

/// Pixels: the standard deviation of the noise on a path, from its second differences, which vanish for steady motion;
/// by the median of their absolute values, so that a jerk does not count. Nothing if there are never three frames in a
/// row.
std::optional<double> jitter(const HeadPath& path);

/// Seconds by which a smoothed path lags behind the raw one: the lag that minimises their difference, to a tenth of a
/// frame.
std::optional<double> lag(const HeadPath& raw, const HeadPath& smoothed);

/// Seconds until a filter at rest has covered 90 % of a step of this many pixels.
double step_response(const head::OneEuroSettings& settings, double pixels, double fps);

/// A path compared with the boxes of a truth, one per frame.
struct HeadErrors {
  std::size_t frames = 0;   ///< with a box
  std::size_t missing = 0;  ///< of them without an estimate
  double within = 0;        ///< share of the frames whose estimate is within a quarter of the box's width
  double mean = 0;          ///< error over the box's width, for frames with an estimate
  double median = 0;
};
HeadErrors errors(const HeadPath& path, const std::vector<io::HeadBox>& truth);

nlohmann::ordered_json errors_json(const HeadErrors& errors);

}  // namespace kinema::app
