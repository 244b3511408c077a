#include "app/run/colour_run.h"

#include "app/options/live_options.h"
#include "kinema/error.h"

namespace kinema::app {

void add_colour_options(Verb verb, ColourSourceOptions& source, FrameRange& range) {
  verb.option("--input", source.input, "FILES|DIR|SOURCE",
              "A video, a folder or pattern of pictures, or a live source: see kinema cameras")
      .required();
  verb.option("--fps", source.fps, "N", "Frames per second, in place of the input's own");
  verb.option("--reconnect", source.reconnect, "S", "Seconds to wait for a live source that disappears; 0: end")
      .show_default();
  verb.option("--start", range.start, "N", "Number of the first frame").between(0L, 1L << 52);
  verb.option("--frames", range.frames, "N", "At most N frames; 0: all").between(0L, 1L << 52);
}

std::unique_ptr<io::Source> open_colour_source(const ColourSourceOptions& options, const CommonOptions& common) {
  std::unique_ptr<io::Source> source = io::open_colour(
      options.input, {.fps = options.fps, .reconnect = options.reconnect, .wait = source_wait(common.console.err)});
  if (source->guessed_fps()) {
    warn(common.console.err, "{} does not give its frame rate: times are computed for 30 frames per second (--fps)",
         options.input.front());
  }
  return source;
}

double ColourCounts::frames_per_second() const {
  const auto tracking = ms.find("track");
  return tracking != ms.end() && tracking->second > 0 ? 1000 * static_cast<double>(found + lost) / tracking->second : 0;
}

void put_rest(nlohmann::ordered_json& report, const ColourCounts& counts) {
  report["late"] = counts.live.late;
  report["reopened"] = counts.live.reopened;
  report["stopped"] = counts.stopped;
  report["fps"] = counts.frames_per_second();
  for (const auto& [stage, ms] : counts.ms) report["ms"][stage] = ms;
}

void report_gaps(const ColourCounts& counts, const CommonOptions& common) {
  if (counts.first_gap.empty()) return;
  warn(common.console.err, "{} of {} frames could not be read; the first: {}", counts.gaps, counts.frames,
       counts.first_gap);
}

}  // namespace kinema::app
