#include "app/head_run.h"

#include "core/stopwatch.h"
#include "io/head_network.h"
#include "io/head_overlay.h"
#include "io/head_table.h"
#include "io/image_file.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <vector>

namespace kinema::app {
namespace {

// Files and network receivers of the estimates.
class Sinks {
public:
  Sinks(const HeadOutputs& outputs, double fps) {
    for (const std::string& name : {outputs.table, outputs.lines}) {
      if (!name.empty()) tables_.emplace_back(std::make_unique<io::HeadWriter>(name));
    }
    if (!outputs.overlay.empty()) overlay_.emplace(outputs.overlay, fps);
    if (outputs.live.any()) sender_.emplace(outputs.live);
  }

  /// Sockets first: their receivers are waiting.
  void tell(const io::Frame& frame, const head::Estimate& estimate) {
    if (sender_) sender_->send(frame.taken, estimate.position, estimate.confidence);
  }

  void add(const io::Frame& frame, const head::Estimate& estimate, const head::Tracker& tracker) {
    for (const auto& table : tables_) table->add(frame.index, frame.time, estimate);
    if (overlay_ && !frame.colour.empty()) {
      overlay_->add(frame.colour, frame.index, frame.time, estimate,
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
  std::optional<io::HeadSender> sender_;
};

void follow(SourceLoop& loop, const HeadRun& run, head::Tracker& tracker, Sinks& sinks, HeadCounts& counts) {
  Stopwatch watch;
  for (io::Frame frame; loop.next(frame);) {
    counts.ms["read"] += watch.lap();
    head::Estimate estimate;
    estimate.time = frame.time;
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
  }
}

}  // namespace

double HeadCounts::frames_per_second() const {
  const auto tracking = ms.find("track");
  return tracking != ms.end() && tracking->second > 0 ? 1000 * static_cast<double>(found + lost) / tracking->second : 0;
}

HeadCounts track(io::Source& source, const HeadRun& run) {
  head::Tracker tracker(run.tracker, run.backend);
  if (!run.background.empty()) {
    const io::Frame room{.name = run.background, .colour = io::read_picture(run.background)};
    tracker.set_background(room.view());
  }
  HeadCounts counts;
  counts.mode = tracker.mode();
  counts.backend = tracker.backend();
  if (run.started) run.started(tracker);
  Sinks sinks(run.outputs, source.fps());
  SourceLoop loop(source, {run.start, run.frames});
  loop.run([&] { follow(loop, run, tracker, sinks, counts); });
  counts.stopped = loop.stopped();
  counts.live = loop.live();
  loop.finish([&] { sinks.commit(); });
  return counts;
}

}  // namespace kinema::app
