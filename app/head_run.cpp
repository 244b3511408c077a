#include "app/head_run.h"

#include "app/interrupt.h"
#include "app/progress.h"
#include "app/stopwatch.h"
#include "io/head_overlay.h"
#include "io/head_table.h"
#include "io/image_file.h"
#include "io/opentrack.h"
#include "io/osc.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <optional>
#include <vector>

namespace kinema::app {
namespace {

// All that is told while frames go by.
class Sinks {
public:
  Sinks(const HeadOutputs& outputs, double fps) {
    for (const std::string& name : {outputs.table, outputs.lines}) {
      if (!name.empty()) tables_.emplace_back(std::make_unique<io::HeadWriter>(name));
    }
    if (!outputs.overlay.empty()) overlay_.emplace(outputs.overlay, fps);
    if (!outputs.opentrack.empty()) opentrack_.emplace(outputs.opentrack, outputs.opentrack_time);
    if (!outputs.osc.empty()) osc_.emplace(outputs.osc);
  }

  /// Sockets first: who listens waits.
  void tell(const io::ColourFrame& frame, const head::HeadEstimate& estimate) {
    if (opentrack_ && estimate.position) opentrack_->add(*estimate.position, frame.taken);
    if (osc_) osc_->add(frame.taken, estimate.position, estimate.score);
  }

  void add(const io::ColourFrame& frame, const head::HeadEstimate& estimate, const head::Tracker& tracker) {
    for (const auto& table : tables_) table->add(frame.index, frame.time, estimate);
    if (overlay_ && !frame.picture.empty()) {
      overlay_->add(frame.picture, frame.index, frame.time, estimate,
                    [&](std::uint8_t r, std::uint8_t g, std::uint8_t b) { return tracker.degree_now(r, g, b); });
    }
  }

  void commit() {
    for (const auto& table : tables_) table->commit();
    if (overlay_) overlay_->commit();
  }

private:
  std::vector<std::unique_ptr<io::HeadWriter>> tables_;
  std::optional<io::HeadOverlaySink> overlay_;
  std::optional<io::OpentrackSink> opentrack_;
  std::optional<io::OscSink> osc_;
};

void follow(io::ColourSource& source, const HeadRun& run, head::Tracker& tracker, Sinks& sinks, HeadCounts& counts) {
  Progress progress("frames", source.size().value_or(0), true);
  io::ColourFrame frame;
  const Interrupt interrupt;
  Stopwatch watch;
  while (!interrupt.asked() && source.next(frame)) {
    counts.ms["read"] += watch.lap();
    if (frame.index < run.start) continue;
    if (run.frames > 0 && counts.frames >= run.frames) break;
    head::HeadEstimate estimate;
    estimate.why = frame.gap;
    if (frame.gap.empty()) {
      estimate = tracker.track(frame.view(), frame.time);
      counts.ms["track"] += watch.lap();
      for (const StageTime& time : estimate.times) counts.ms[time.stage] += time.ms;
      sinks.tell(frame, estimate);
    } else if (counts.first_gap.empty()) {
      counts.first_gap = frame.gap;
    }
    ++counts.frames;
    ++(estimate.found ? counts.found : frame.gap.empty() ? counts.lost : counts.gaps);
    sinks.add(frame, estimate, tracker);
    if (run.watch) run.watch(frame, estimate);
    counts.ms["write"] += watch.lap();
    progress.show(counts.frames);
  }
  counts.stopped = interrupt.asked();
}

}  // namespace

double HeadCounts::frames_per_second() const {
  const auto tracking = ms.find("track");
  return tracking != ms.end() && tracking->second > 0 ? 1000 * static_cast<double>(found + lost) / tracking->second : 0;
}

HeadCounts track(io::ColourSource& source, const HeadRun& run) {
  head::Tracker tracker(run.calibration, run.tracker);
  if (!run.background.empty()) {
    const io::ColourFrame room{.name = run.background, .picture = io::read_picture(run.background)};
    tracker.set_background(room.view());
  }
  HeadCounts counts;
  counts.following = tracker.following();
  if (run.started) run.started(tracker);
  Sinks sinks(run.outputs, source.fps());
  std::exception_ptr trouble;
  try {
    follow(source, run, tracker, sinks, counts);
  } catch (const Error&) {
    trouble = std::current_exception();
  }
  if (counts.frames == 0 && !counts.stopped && !trouble) {
    throw Error(fmt::format("the input has no frame from --start {} on", run.start));
  }
  // what was tracked is good, whatever came after
  if (counts.frames > 0 || !trouble) sinks.commit();
  if (trouble) std::rethrow_exception(trouble);
  return counts;
}

}  // namespace kinema::app
