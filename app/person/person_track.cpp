// kinema track: one person before one camera, from colours and the face: place, rotation and expression of the head.
#include "app/head/head_run.h"
#include "app/options/face_options.h"
#include "app/options/head_options.h"
#include "app/options/interrupt.h"
#include "app/options/live_options.h"
#include "app/options/options.h"
#include "app/options/places.h"
#include "app/page/view.h"
#include "app/person/person_run.h"
#include "io/faces/face_detector.h"
#include "io/faces/filter_json.h"
#include "kinema/error.h"

#include <filesystem>
#include <memory>
#include <optional>

namespace kinema::app {
namespace {

using nlohmann::ordered_json;

struct PersonTrackOptions {
  CommonOptions common;
  FitOptions fit;
  PoseOptions pose;
  ColourSourceOptions source;
  std::string filter, oval, detector, truth;
  PersonRun run;
  ViewOptions view;
};

// Outputs that would overwrite an input or each other, or whose format does not match their name.
void check_outputs(PersonTrackOptions& options) {
  const ColourOutputs& outputs = options.run.outputs;
  if (!outputs.table.empty() && std::filesystem::path(outputs.table).extension() != ".csv") {
    throw Error(fmt::format("{}: --csv writes a table: give a name that ends in .csv", outputs.table));
  }
  std::vector<Place> inputs = {
      {"--filter", options.filter}, {"--truth", options.truth}, {"--model", options.fit.model}};
  for (const std::string& input : options.source.input) inputs.push_back({"--input", input});
  check_places({{"--csv", outputs.table}, {"--out", outputs.lines}}, {{"--overlay", outputs.overlay}}, inputs,
               options.common);
  if (outputs.lines.empty() && outputs.table.empty() && outputs.overlay.empty() && !outputs.live.any() &&
      !options.view.wanted) {
    throw Error("nothing would be kept: give --out, --csv, --overlay, --view or a live receiver such as --opentrack");
  }
}

void fill_in(PersonTrackOptions& options, std::optional<io::FaceDetector>& detector) {
  PersonRun& run = options.run;
  check_outputs(options);
  check_devices(options.common);
  choose(options.common.compute.backend);  // refuses what is not there before anything is read
  run.compute = options.common.compute;
  run.tracker.pose = pose_settings(options.pose);
  if (!options.oval.empty()) run.oval = parse_oval(options.oval);
  if (!options.filter.empty()) {
    run.tracker.calibration = io::read_filter(options.filter);
    if (!run.tracker.calibration->head) {
      throw Error(
          fmt::format("{}: does not know the head's size: calibrate with kinema head calibrate, or leave "
                      "--filter out",
                      options.filter));
    }
  }
  run.tracker.model = fit_model(options.fit);
  run.tracker.fit = fit_settings(options.fit);
  // with a place to start from, a detector is of use but not needed
  const bool needed = options.filter.empty() && options.oval.empty();
  if (needed || !options.detector.empty() || !io::find_face_cascade().empty()) detector.emplace(options.detector);
  if (detector) run.tracker.detect = [&](const face::GreyView& image) { return detector->detect(image); };
}

void report(const PersonTrackOptions& options, const PersonCounts& counts, const HeadPath& path,
            const std::optional<std::vector<io::HeadBox>>& truth) {
  const double tracked = static_cast<double>(std::max<std::size_t>(1, counts.found + counts.lost));
  const std::optional<double> noise = jitter(path);
  std::optional<HeadErrors> off;
  if (truth) off = errors(path, *truth);
  if (!options.common.json) {
    fmt::print(options.common.console.out,
               "{}{} frames: {} with a person ({} with a face), {} without, {} that could not be read; lost {} times, "
               "at most {:.2f} s; {:.0f} frames per second, {:.1f} processor milliseconds each{}\n",
               counts.stopped ? "stopped; " : "", counts.frames, counts.found, counts.faces, counts.lost, counts.gaps,
               counts.losses, counts.longest_loss, counts.frames_per_second(),
               1000 * counts.processor_seconds / tracked, counts.live.words());
    if (off) {
      fmt::print(options.common.console.out,
                 "  within a quarter of the width in {:.1f} % of {} frames, {} without an answer, median {:.3f}\n",
                 100 * off->within, off->frames, off->missing, off->median);
    }
    const ColourOutputs& outputs = options.run.outputs;
    print_written({outputs.lines, outputs.table, outputs.overlay}, options.common);
    return;
  }
  ordered_json json;
  json["backend"] = name(counts.backend);
  json["frames"] = counts.frames;
  json["found"] = counts.found;
  json["faces"] = counts.faces;
  json["detections"] = counts.detections;
  json["lost"] = counts.lost;
  json["gaps"] = counts.gaps;
  json["losses"] = counts.losses;
  json["longest_loss_s"] = counts.longest_loss;
  put_rest(json, counts);
  json["processor_ms"] = 1000 * counts.processor_seconds / tracked;
  json["results"] = {{"out", options.run.outputs.lines}};
  json["results"]["jitter_px"] = noise ? ordered_json(*noise) : ordered_json(nullptr);
  if (off) json["results"]["truth"] = errors_json(*off);
  print_json(json, options.common.console);
}

void run(PersonTrackOptions options) {
  const Interrupt interrupt;  // until the results are printed
  std::optional<io::FaceDetector> detector;
  fill_in(options, detector);
  std::optional<std::vector<io::HeadBox>> truth;
  if (!options.truth.empty()) truth = io::read_boxes(options.truth);
  const std::unique_ptr<io::Source> source = open_colour_source(options.source, options.common);
  HeadPath path;
  std::optional<View> view;
  std::optional<serve::PersonFeed> feed;
  if (options.view.wanted) {
    view.emplace(options.view, options.run.tracker.calibration);
    feed.emplace(view->hub().channel("head"), options.source.input.front());
  }
  options.run.watch = [&](const io::Frame& frame, const person::Estimate& estimate) {
    if (feed) feed->add(frame.index, frame.colour, estimate);
    path.add(frame.time, estimate.found ? std::optional(std::pair{estimate.x, estimate.y}) : std::nullopt);
  };
  const PersonCounts counts = track(*source, options.run);
  if (feed) feed->finish();
  report(options, counts, path, truth);
  report_gaps(counts, options.common);
  if (counts.found == 0 && counts.frames > 0 && !counts.stopped) {
    throw Error(fmt::format("{}: nobody was found in {} frames", options.source.input.front(), counts.frames),
                Error::Cause::running);
  }
  if (view && !counts.stopped) view->wait();
}

}  // namespace

void add_track(Verb parent, Task& task) {
  Verb verb =
      parent.add("track", "Follow one person in front of a webcam: position, rotation and expression of the head");
  const auto options = std::make_shared<PersonTrackOptions>();
  PersonRun& chain = options->run;
  add_colour_options(verb, options->source, chain.range);
  verb.option("--out", chain.outputs.lines, "track.jsonl", "One line of JSON per frame");
  verb.option("--csv", chain.outputs.table, "FILE", "The same as a table");
  verb.option("--overlay", chain.outputs.overlay, "out.mp4|DIR",
              "Outline, landmarks and axes over the frames: a video, or PNGs in a folder");
  verb.option("--filter", options->filter, "filter.json",
              "The person's colours, from kinema head calibrate; without it they are learnt");
  verb.option("--oval", options->oval, "cx,cy,rx,ry",
              "Where the head is in the first frame, pixels; without it a detector finds it");
  verb.option("--detector", options->detector, "FILE", "A cascade (.xml) or network (.onnx) in place of OpenCV's own");
  verb.option("--smoothing", chain.tracker.smoothing, "HZ", "Cutoff of the smoothing of a head at rest, hertz; 0: none")
      .between(0.0, 1000.0)
      .show_default();
  verb.option("--lost", chain.tracker.lost, "P", "A fit with a higher probability of failure is not used")
      .between(0.0, 1.0)
      .show_default();
  verb.option("--truth", options->truth, "boxes.txt",
              "Ground truth to compare with: boxes x,y,w,h of the head, one line per frame, pixels from 1");
  add_fit_options(verb, options->fit);
  add_pose_options(verb, options->pose);
  add_neutral_option(verb, chain.tracker.expression);
  add_osc_option(verb, chain.outputs.live, "the pose of the head and the expression");
  add_place_options(verb, chain.outputs.live, "the pose of the head and the expression", "the pose of the head");
  add_blend_shape_option(verb, chain.outputs.live);
  add_height_option(verb, chain.outputs.live);
  add_view_options(verb, options->view);
  add_common_options(verb, options->common);
  verb.chosen([options, &task] {
    options->common.console = task.console;
    task.run = [options](const Ranks&) { run(*options); };
  });
}

}  // namespace kinema::app
