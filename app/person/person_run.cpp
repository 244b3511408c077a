#include "app/person/person_run.h"

#include "io/faces/head_table.h"
#include "io/network/head_network.h"
#include "io/overlays/head_overlay.h"
#include "io/pictures/picture_sink.h"
#include "kinema/error.h"

#include <ctime>
#include <memory>
#include <optional>
#include <vector>

namespace kinema::app {
namespace {

// Files and network receivers of the estimates.
class PersonSinks {
public:
  PersonSinks(const PersonRun& run, double fps) : model_(*run.tracker.model), solver_(run.tracker.pose) {
    for (const std::string& name : {run.outputs.lines, run.outputs.table}) {
      if (!name.empty()) tables_.emplace_back(std::make_unique<io::PersonWriter>(name));
    }
    if (!run.outputs.overlay.empty()) overlay_.emplace(run.outputs.overlay, fps);
    if (run.outputs.live.any()) sender_.emplace(run.outputs.live);
  }

  void tell(const io::Frame& frame, const person::Estimate& estimate) {
    if (!sender_) return;
    if (!estimate.found || !estimate.pose) {
      sender_->sender().osc(frame.taken, io::head_osc(std::nullopt, 0));
      sender_->send_lost(frame.taken);
      return;
    }
    std::vector<io::OscMessage> messages = io::head_osc(estimate.pose->position, estimate.confidence);
    for (io::OscMessage& message : io::pose_osc("/kinema/head", *estimate.pose)) messages.push_back(std::move(message));
    sender_->sender().osc(frame.taken, messages);
    sender_->send(frame.taken, *estimate.pose);
  }

  void add(const io::Frame& frame, const person::Estimate& estimate) {
    for (const auto& table : tables_) table->add(frame.index, frame.time, estimate);
    if (!overlay_ || frame.colour.empty()) return;
    const auto width = static_cast<std::size_t>(frame.colour.width),
               height = static_cast<std::size_t>(frame.colour.height);
    overlay_->add(io::person_overlay(frame.colour, frame.index, frame.time, estimate, model_.layout,
                                     solver_.camera(width, height)),
                  frame.index);
    drawn_ = true;
  }

  void commit() {
    for (const auto& table : tables_) table->commit();
    if (overlay_ && drawn_) overlay_->commit();
  }

private:
  const face::Model& model_;
  face::HeadPoseSolver solver_;  // for its camera
  std::vector<std::unique_ptr<io::PersonWriter>> tables_;
  std::optional<io::PictureSink> overlay_;
  bool drawn_ = false;
  std::optional<io::PoseSender> sender_;
};

// How often the person was lost, and for how long; not before it was found for the first time.
class Losses {
public:
  void add(double time, bool found, PersonCounts& counts) {
    if (found && lost_) {
      ++counts.losses;
      counts.longest_loss = std::max(counts.longest_loss, time - since_);
    }
    if (!found && known_ && !lost_) since_ = time;
    known_ = known_ || found;
    lost_ = known_ && !found;
  }

private:
  bool known_ = false, lost_ = false;
  double since_ = 0;  // while lost
};

}  // namespace

PersonCounts track(io::Source& source, const PersonRun& run) {
  person::Tracker tracker(run.tracker, run.compute);
  if (run.oval) tracker.start(*run.oval);
  PersonCounts counts;
  counts.backend = tracker.backend();
  PersonSinks sinks(run, source.fps());
  Losses losses;
  const auto timed = [&](const io::Frame& frame) {
    const std::clock_t busy = std::clock();
    person::Estimate estimate = tracker.track(frame);
    counts.processor_seconds += static_cast<double>(std::clock() - busy) / CLOCKS_PER_SEC;
    return estimate;
  };
  const auto work = [&](SourceLoop& loop) {
    if (run.outputs.live.any()) loop.keep_own_speed();
    follow(
        loop, counts, timed,
        [&](const io::Frame& frame, const person::Estimate& estimate) {
          sinks.tell(frame, estimate);
          losses.add(frame.time, estimate.found, counts);  // a gap is no loss
        },
        [&](const io::Frame& frame, const person::Estimate& estimate) {
          counts.faces += estimate.face;
          counts.detections += estimate.detected;
          sinks.add(frame, estimate);
          if (run.watch) run.watch(frame, estimate);
        });
  };
  run_loop(source, run.range, counts, work, [&] { sinks.commit(); });
  return counts;
}

}  // namespace kinema::app
