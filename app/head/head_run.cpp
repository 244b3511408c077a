#include "app/head/head_run.h"

#include "io/faces/head_table.h"
#include "io/network/head_network.h"
#include "io/overlays/head_overlay.h"
#include "io/pictures/image_file.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <vector>

namespace kinema::app {
namespace {

// Files and network receivers of the estimates.
class HeadSinks {
public:
  HeadSinks(const ColourOutputs& outputs, double fps) {
    for (const std::string& name : {outputs.table, outputs.lines}) {
      if (!name.empty()) tables_.emplace_back(std::make_unique<io::HeadWriter>(name));
    }
    if (!outputs.overlay.empty()) overlay_.emplace(outputs.overlay, fps);
    if (outputs.live.any()) sender_.emplace(outputs.live);
  }

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

}  // namespace

HeadCounts track(io::Source& source, const HeadRun& run) {
  head::Tracker tracker(run.tracker, run.compute);
  if (!run.background.empty()) {
    const io::Frame room{.name = run.background, .colour = io::read_picture(run.background)};
    tracker.set_background(room.view());
  }
  HeadCounts counts;
  counts.mode = tracker.settings().mode;
  counts.backend = tracker.backend();
  if (run.started) run.started(tracker);
  HeadSinks sinks(run.outputs, source.fps());
  const auto work = [&](SourceLoop& loop) {
    if (run.outputs.live.any()) loop.keep_own_speed();
    follow(
        loop, counts, [&](const io::Frame& frame) { return tracker.track(frame); },
        [&](const io::Frame& frame, const head::Estimate& estimate) { sinks.tell(frame, estimate); },
        [&](const io::Frame& frame, const head::Estimate& estimate) {
          sinks.add(frame, estimate, tracker);
          if (run.watch) run.watch(frame, estimate);
        });
  };
  run_loop(source, run.range, counts, work, [&] { sinks.commit(); });
  return counts;
}

}  // namespace kinema::app
