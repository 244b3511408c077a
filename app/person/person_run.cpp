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

void tell(io::PoseSender& sender, const io::Frame& frame, const person::Estimate& estimate) {
  if (!estimate.found || !estimate.pose) {
    sender.sender().osc(frame.taken, io::head_osc(std::nullopt, 0));
    sender.send_lost(frame.taken);
    return;
  }
  std::vector<io::OscMessage> messages = io::head_osc(estimate.pose->position, estimate.confidence);
  for (io::OscMessage& message : io::pose_osc("/kinema/head", *estimate.pose)) messages.push_back(std::move(message));
  sender.sender().osc(frame.taken, messages);
  sender.send(frame.taken, *estimate.pose);
}

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
  ColourFiles<io::PersonWriter> files(run.outputs, source.fps());
  const face::HeadPoseSolver solver(run.tracker.pose);  // for its camera
  std::optional<io::PoseSender> sender;
  if (run.outputs.live.any()) sender.emplace(run.outputs.live);
  Losses losses;
  const auto timed = [&](const io::Frame& frame) {
    const std::clock_t busy = std::clock();
    person::Estimate estimate = tracker.track(frame);
    counts.processor_seconds += static_cast<double>(std::clock() - busy) / CLOCKS_PER_SEC;
    return estimate;
  };
  const auto work = [&](SourceLoop& loop) {
    if (sender) loop.keep_own_speed();
    follow(
        loop, counts, timed,
        [&](const io::Frame& frame, const person::Estimate& estimate) {
          if (sender) tell(*sender, frame, estimate);
          losses.add(frame.time, estimate.found, counts);  // a gap is no loss
        },
        [&](const io::Frame& frame, const person::Estimate& estimate) {
          counts.faces += estimate.face;
          counts.detections += estimate.detected;
          files.add(frame, estimate, [&] {
            const auto width = static_cast<std::size_t>(frame.colour.width),
                       height = static_cast<std::size_t>(frame.colour.height);
            return io::person_overlay(frame.colour, frame.index, frame.time, estimate, run.tracker.model->layout,
                                      solver.camera(width, height));
          });
          if (run.watch) run.watch(frame, estimate);
        });
  };
  run_loop(source, run.range, counts, work, [&] { files.commit(); });
  return counts;
}

}  // namespace kinema::app
