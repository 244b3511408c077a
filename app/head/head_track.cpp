// kinema head track: from colour video to the head's position, area and distance, frame by frame.
#include "app/head/head_run.h"
#include "app/options/head_options.h"
#include "app/options/interrupt.h"
#include "app/options/live_options.h"
#include "app/options/options.h"
#include "app/options/places.h"
#include "app/page/view.h"
#include "core/stopwatch.h"
#include "io/faces/filter_json.h"
#include "io/faces/head_baselines.h"
#include "kinema/head.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

namespace kinema::app {
namespace {

using nlohmann::ordered_json;

struct HeadTrackOptions {
  CommonOptions common;
  ColourSourceOptions source;
  std::string filter, truth;
  std::optional<double> field_of_view;
  bool plain = false, paper = false, window = false, no_recalibrate = false, compare = false;
  bool smooth = false;
  head::OneEuroSettings smoothing;
  HeadRun run;
  ViewOptions view;
};

// The path of kinema and those of other trackers, for the report.
struct Paths {
  HeadPath raw, ours, haar, camshift;
  std::string no_haar;  // why there is none
  double haar_ms = 0, camshift_ms = 0;
  double width = 0;  // of the head, pixels, if known
};

// OpenCV's trackers on the same frames in the same run.
class OtherTrackers {
public:
  OtherTrackers(const head::HeadReference& reference, Paths& paths) : oval_(reference.oval), paths_(paths) {
    try {
      haar_.emplace();
    } catch (const Error& error) {
      paths_.no_haar = error.what();
    }
  }

  void track(const io::Frame& frame) {
    io::HeadCentre haar, camshift;
    if (!frame.colour.empty()) {
      Stopwatch watch;
      if (haar_) haar = haar_->track(frame.colour);
      paths_.haar_ms += watch.lap();
      if (!camshift_) camshift_.emplace(frame.colour, oval_);
      camshift = camshift_->track(frame.colour);
      paths_.camshift_ms += watch.lap();
    }
    paths_.haar.add(frame.time, haar);
    paths_.camshift.add(frame.time, camshift);
  }

private:
  head::Oval oval_;
  Paths& paths_;
  std::optional<io::HaarTracker> haar_;
  std::optional<io::CamShiftTracker> camshift_;
};

ordered_json number_or_null(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json results_json(const HeadTrackOptions& options, const Paths& paths, double fps,
                          const std::optional<std::vector<io::HeadBox>>& truth) {
  ordered_json results;
  results["out"] = options.run.outputs.table;
  results["jitter_px"] = number_or_null(jitter(paths.ours));
  if (options.run.tracker.smoothing) {
    const double width = paths.width > 0 ? paths.width : 100;
    results["smoothing"] = {{"jitter_before_px", number_or_null(jitter(paths.raw))},
                            {"delay_s", number_or_null(lag(paths.raw, paths.ours))},
                            {"step_px", width},
                            {"step_response_s", step_response(*options.run.tracker.smoothing, width, fps)}};
  }
  if (truth) results["truth"] = errors_json(errors(paths.ours, *truth));
  if (options.compare) {
    const auto other = [&](const HeadPath& path, double ms) {
      ordered_json json{{"jitter_px", number_or_null(jitter(path))}, {"ms", ms}};
      if (truth) json["truth"] = errors_json(errors(path, *truth));
      return json;
    };
    results["camshift"] = other(paths.camshift, paths.camshift_ms);
    if (paths.no_haar.empty()) results["haar"] = other(paths.haar, paths.haar_ms);
  }
  return results;
}

void print_text(std::FILE* out, const HeadCounts& counts, const ordered_json& results) {
  fmt::print(
      out, "{}{} frames on {}, {}: {} with a head, {} without, {} that could not be read; {:.0f} frames per second{}\n",
      counts.stopped ? "stopped; " : "", counts.frames, name(counts.backend), name(counts.mode), counts.found,
      counts.lost, counts.gaps, counts.frames_per_second(), counts.live.words());
  const auto pixels = [](const ordered_json& value) {
    return value.is_null() ? std::string("-") : fmt::format("{:.3f} px", value.get<double>());
  };
  const auto line = [&](const char* who, const ordered_json& json) {
    std::string text = fmt::format("  {:<9} jitter {}", who, pixels(json["jitter_px"]));
    if (json.contains("truth")) {
      const ordered_json& truth = json["truth"];
      text +=
          fmt::format(", within a quarter of the width in {:.1f} % of {} frames, {} without an answer, median {:.3f}",
                      100 * truth["within_quarter"].get<double>(), truth["frames"].get<std::size_t>(),
                      truth["missing"].get<std::size_t>(), truth["median"].get<double>());
    }
    fmt::print(out, "{}\n", text);
  };
  line("kinema", results);
  if (results.contains("smoothing")) {
    const ordered_json& smoothing = results["smoothing"];
    fmt::print(out, "  smoothing: jitter {} before, delay {} s, {:.3f} s to nine tenths of a step of {:.0f} px\n",
               pixels(smoothing["jitter_before_px"]),
               smoothing["delay_s"].is_null() ? "-" : fmt::format("{:.3f}", smoothing["delay_s"].get<double>()),
               smoothing["step_response_s"].get<double>(), smoothing["step_px"].get<double>());
  }
  if (results.contains("camshift")) line("CamShift", results["camshift"]);
  if (results.contains("haar")) line("Haar", results["haar"]);
}

// Outputs that would overwrite an input or each other, or whose format does not match their name.
void check_outputs(HeadTrackOptions& options) {
  const ColourOutputs& outputs = options.run.outputs;
  if (std::filesystem::path(outputs.table).extension() == ".jsonl") {
    throw Error(
        fmt::format("{}: --out writes a table: give a name that ends in .csv, and --jsonl for lines", outputs.table));
  }
  if (!outputs.lines.empty() && std::filesystem::path(outputs.lines).extension() != ".jsonl") {
    throw Error(fmt::format("{}: --jsonl writes JSON lines: give a name that ends in .jsonl", outputs.lines));
  }
  std::vector<Place> inputs = {
      {"--filter", options.filter}, {"--background", options.run.background}, {"--truth", options.truth}};
  for (const std::string& input : options.source.input) inputs.push_back({"--input", input});
  check_places({{"--out", outputs.table}, {"--jsonl", outputs.lines}}, {{"--overlay", outputs.overlay}}, inputs,
               options.common);
}

void fill_in(HeadTrackOptions& options) {
  HeadRun& run = options.run;
  check_outputs(options);
  if (options.plain + options.paper + options.window > 1)
    throw Error("--plain, --paper and --window exclude each other: give one of them");
  if (options.plain) run.tracker.mode = head::Mode::plain;
  if (options.paper) run.tracker.mode = head::Mode::paper;
  if (options.window) run.tracker.mode = head::Mode::window;
  run.tracker.recalibrate = !options.no_recalibrate;
  run.tracker.background = run.tracker.background || !run.background.empty();
  if (options.smooth) run.tracker.smoothing = options.smoothing;
  if (options.field_of_view) run.tracker.field_of_view = parse_field_of_view(*options.field_of_view);
  check_devices(options.common);
  run.compute = options.common.compute;
  run.tracker.calibration = io::read_filter(options.filter);
  const auto& head = run.tracker.calibration.head;
  const bool placed = (run.tracker.reference_distance || (head && head->distance)) &&
                      (run.tracker.field_of_view || (head && head->field_of_view));
  const io::LiveTargets& live = run.outputs.live;
  for (const auto& [flag, target] :
       {std::pair{"--udp", &live.opentrack}, {"--osc", &live.osc}, {"--vmc", &live.vmc}, {"--vrchat", &live.vrchat}}) {
    if (!target->empty() && !placed) {
      throw Error(fmt::format("{} sends a position in space: give --reference-distance and --fov", flag));
    }
  }
  if (options.compare && !head) {
    throw Error(
        fmt::format("{}: --compare needs the head's oval, which this filter does not hold: calibrate", options.filter));
  }
}

void run(HeadTrackOptions options) {
  const Interrupt interrupt;  // until the results are printed
  fill_in(options);
  HeadRun& chain = options.run;
  std::optional<std::vector<io::HeadBox>> truth;
  if (!options.truth.empty()) truth = io::read_boxes(options.truth);
  const std::unique_ptr<io::Source> source = open_colour_source(options.source, options.common);

  Paths paths;
  if (chain.tracker.calibration.head) paths.width = 2 * chain.tracker.calibration.head->oval.rx;
  std::optional<OtherTrackers> others;
  if (options.compare) others.emplace(*chain.tracker.calibration.head, paths);
  std::optional<View> view;
  std::optional<serve::HeadFeed> feed;
  const head::Tracker* tracker = nullptr;
  if (options.view.wanted) {
    view.emplace(options.view, chain.tracker.calibration);
    feed.emplace(view->hub().channel("head"), options.source.input.front(), source->size().value_or(0));
    chain.started = [&](const head::Tracker& made) { tracker = &made; };
  }
  chain.watch = [&](const io::Frame& frame, const head::Estimate& estimate) {
    if (feed) feed->add(frame.index, frame.time, frame.colour, estimate, *tracker);
    const auto place = [&](double x, double y) {
      return estimate.found ? std::optional(std::pair{x, y}) : std::nullopt;
    };
    paths.ours.add(frame.time, place(estimate.x, estimate.y));
    paths.raw.add(frame.time, place(estimate.raw_x, estimate.raw_y));
    if (others) others->track(frame);
  };
  const HeadCounts counts = track(*source, chain);
  if (feed) feed->finish();

  const ordered_json results = results_json(options, paths, source->fps(), truth);
  if (options.common.json) {
    ordered_json json;
    json["backend"] = name(counts.backend);
    json["following"] = name(counts.mode);
    json["frames"] = counts.frames;
    json["found"] = counts.found;
    json["lost"] = counts.lost;
    json["gaps"] = counts.gaps;
    put_rest(json, counts);
    json["results"] = results;
    print_json(json, options.common.console);
  } else {
    print_text(options.common.console.out, counts, results);
    print_written({chain.outputs.table, chain.outputs.lines, chain.outputs.overlay}, options.common);
  }
  report_gaps(counts, options.common);
  if (!paths.no_haar.empty() && options.compare)
    warn(options.common.console.err, "no Haar detection: {}", paths.no_haar);
  if (counts.found == 0 && counts.frames > 0) {
    throw Error(fmt::format("no head was found in {} frames: calibrate for this user and light", counts.frames),
                Error::Cause::running);
  }
  if (view && !counts.stopped) view->wait();
}

void add_outputs(Verb verb, ColourOutputs& outputs) {
  verb.option("--out", outputs.table, "head.csv", "Position of the head in each frame, as a table").required();
  verb.option("--jsonl", outputs.lines, "head.jsonl", "The same as JSON lines");
  verb.option("--overlay", outputs.overlay, "out.mp4|DIR",
              "Skin, outline and centre over the frames: a video, or PNGs in a folder");
  add_osc_option(verb, outputs.live, "positions");
  add_place_options(verb, outputs.live, "positions", "positions");
  add_height_option(verb, outputs.live);
}

void add_tracker_options(Verb verb, HeadTrackOptions& options) {
  verb = verb.under("The tracker");
  head::TrackerSettings& tracker = options.run.tracker;
  verb.flag("--plain", options.plain, "The centroid of the whole frame, where there is enough skin in one place");
  verb.flag("--paper", options.paper, "The centroid of every frame: eqs. 4 to 6 of the paper and nothing else");
  verb.flag("--window", options.window,
            "Follow the head with a soft window (the default with a filter of kinema head calibrate)");
  verb.flag("--no-recalibrate", options.no_recalibrate, "Keep the filter's colours; do not learn during tracking");
  verb.flag("!--no-pattern", tracker.pattern, "Use colours alone, not edges");
  verb.flag("--still-camera", tracker.background, "Learn a static background and ignore it");
  verb.option("--background", options.run.background, "FILE",
              "A picture of the room without the person; implies --still-camera");
  verb.flag("--neck-cut", tracker.neck_cut, "Ignore rows below the chin");
  verb.flag("--smooth", options.smooth, "One-Euro smoothing");
  verb.option("--smooth-cutoff", options.smoothing.cutoff, "HZ", "Its cutoff at rest, hertz").show_default();
  verb.option("--smooth-beta", options.smoothing.beta, "N",
              "Increase of its cutoff with speed, hertz per pixel per second")
      .show_default();
  verb.option("--fov", options.field_of_view, "DEG", "Horizontal field of view of the camera, degrees");
  verb.length("--reference-distance", tracker.reference_distance,
              "Distance of the head at calibration, in metres or with a unit", seen_lengths);
}

}  // namespace

void add_head_track(Verb parent, Task& task) {
  Verb verb = parent.add("track", "Follow a head in colour video: position, area and distance");
  const auto options = std::make_shared<HeadTrackOptions>();
  add_colour_options(verb, options->source, options->run.range);
  verb.option("--filter", options->filter, "filter.json", "The user's colours, from kinema head calibrate").required();
  add_outputs(verb, options->run.outputs);
  verb.option("--truth", options->truth, "boxes.txt",
              "Ground truth to compare with: boxes x,y,w,h of the head, one line per frame, pixels from 1");
  verb.flag("--compare", options->compare, "Run OpenCV's CamShift and Haar detector on the same frames");
  add_tracker_options(verb, *options);
  add_view_options(verb, options->view);
  add_common_options(verb, options->common);
  verb.chosen([options, &task] {
    options->common.console = task.console;
    task.run = [options](const Ranks&) { run(*options); };
  });
}

}  // namespace kinema::app
