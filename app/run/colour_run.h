// What the runs of trackers of colour frames, of a head and of a person, have in common: the source and its options, files
// and receivers, counts and the loop itself.
#pragma once

#include "app/options/command_line.h"
#include "app/options/options.h"
#include "app/run/source_loop.h"
#include "core/stopwatch.h"
#include "io/network/live_sender.h"
#include "io/pictures/picture_sink.h"
#include "kinema/backend.h"
#include "kinema/source.h"
#include "kinema/stage_time.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinema::app {

struct ColourSourceOptions {
  std::vector<std::string> input;
  double fps = 0, reconnect = 60;
};

/// --input, --fps, --reconnect, --start and --frames.
void add_colour_options(Verb verb, ColourSourceOptions& source, FrameRange& range);

/// Says so if times are computed for a guessed frame rate.
std::unique_ptr<io::Source> open_colour_source(const ColourSourceOptions& options, const CommonOptions& common);

/// Files to write and network receivers; empty name: none.
struct ColourOutputs {
  std::string table, lines, overlay;
  io::LiveTargets live;
};

struct ColourCounts {
  std::size_t frames = 0, found = 0, lost = 0, gaps = 0;
  LiveCounts live;
  std::string first_gap;             ///< why the first unreadable frame could not be read
  bool stopped = false;              ///< by the user
  std::map<std::string, double> ms;  ///< by stage
  Backend backend = Backend::cpu;    ///< the backend that ran

  double frames_per_second() const;  ///< of the tracker alone
};

/// Members "late", "reopened", "stopped", "fps" and "ms" of a report.
void put_rest(nlohmann::ordered_json& report, const ColourCounts& counts);

/// On standard error, if frames could not be read.
void report_gaps(const ColourCounts& counts, const CommonOptions& common);

/// The files of a run: tables, and a picture of each frame.
template <class Writer>
class ColourFiles {
public:
  ColourFiles(const ColourOutputs& outputs, double fps) {
    for (const std::string& name : {outputs.table, outputs.lines}) {
      if (!name.empty()) tables_.emplace_back(std::make_unique<Writer>(name));
    }
    if (!outputs.overlay.empty()) overlay_.emplace(outputs.overlay, fps);
  }

  /// `draw`: makes the picture, if one is wanted.
  template <class Estimate, class Draw>
  void add(const io::Frame& frame, const Estimate& estimate, const Draw& draw) {
    for (const auto& table : tables_) table->add(frame.index, frame.time, estimate);
    if (!overlay_ || frame.colour.empty()) return;
    overlay_->add(draw(), frame.index);
    drawn_ = true;
  }

  void commit() {
    for (const auto& table : tables_) table->commit();
    if (drawn_) overlay_->commit();
  }

private:
  std::vector<std::unique_ptr<Writer>> tables_;
  std::optional<io::PictureSink> overlay_;
  bool drawn_ = false;
};

/// Takes the frames of a loop through `track(frame)`, which gives an estimate, to `tell(frame, estimate)`, whose receivers
/// are waiting, and then, gaps included, to `add(frame, estimate)`.
template <class Track, class Tell, class Add>
void follow(SourceLoop& loop, ColourCounts& counts, const Track& track, const Tell& tell, const Add& add) {
  Stopwatch watch;
  for (io::Frame frame; loop.next(frame);) {
    counts.ms["read"] += watch.lap();
    const auto estimate = track(frame);
    counts.ms["track"] += watch.lap();
    for (const StageTime& time : estimate.times) counts.ms[time.stage] += time.ms;
    if (frame.gap.empty()) tell(frame, estimate);
    if (counts.first_gap.empty()) counts.first_gap = frame.gap;
    ++counts.frames;
    ++(estimate.found ? counts.found : frame.gap.empty() ? counts.lost : counts.gaps);
    add(frame, estimate);
    counts.ms["write"] += watch.lap();
  }
}

/// The whole of a run: `work` takes the frames of the loop, `commit` keeps what came of them. Ctrl-C ends it early. If the
/// source fails, the results so far are kept, and then the Error is thrown.
template <class Work, class Commit>
void run_loop(io::Source& source, FrameRange range, ColourCounts& counts, const Work& work, const Commit& commit) {
  SourceLoop loop(source, range);
  loop.run([&] { work(loop); });
  counts.stopped = loop.stopped();
  counts.live = loop.live();
  loop.finish(commit);
}

}  // namespace kinema::app
