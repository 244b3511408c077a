// kinema face fit: landmarks of the faces in images and videos.
#include "app/face/face_run.h"
#include "app/options/face_options.h"
#include "app/options/head_options.h"
#include "app/options/interrupt.h"
#include "app/options/live_options.h"
#include "app/options/options.h"
#include "app/options/places.h"
#include "app/page/view.h"
#include "kinema/error.h"

#include <filesystem>
#include <memory>
#include <optional>

namespace kinema::app {
namespace {

struct FaceFitOptions {
  CommonOptions common;
  FitOptions fit;
  std::vector<std::string> input;
  std::string init = "detect", detector;
  double fps = 0, reconnect = 60;
  bool sequence = false;
  FaceRun run;
  ViewOptions view;
  PoseOptions pose;
};

// Outputs that would overwrite an input or each other, or whose format does not match their name.
void check_outputs(FaceFitOptions& options) {
  const FaceFiles& files = options.run.files;
  std::vector<Place> inputs = {{"--model", options.fit.model},
                               {"--init", options.init == "detect" ? "" : options.init}};
  for (const std::string& input : options.input) inputs.push_back({"--input", input});
  check_places({{"--out", files.landmarks}, {"--csv", files.csv}},
               {{"--overlay", files.overlay},
                {"--pts", files.pts},
                {"--patches", files.patches},
                {"--appearance", files.appearance}},
               inputs, options.common);
  if (!files.csv.empty() && std::filesystem::path(files.csv).extension() != ".csv") {
    throw Error(fmt::format("{}: --csv writes a table: give a name that ends in .csv", files.csv));
  }
}

void report(const FaceFitOptions& options, const FaceCounts& counts) {
  if (!options.common.json) {
    fmt::print(
        options.common.console.out,
        "{}{} frames on {}: {} with a face, {} without, {} that could not be read; mean quality {:.2f}; {:.1f} fits "
        "per second{}\n",
        counts.stopped ? "stopped; " : "", counts.frames, places_text(counts.stages), counts.found, counts.lost,
        counts.unreadable, counts.quality, counts.fits_per_second(), counts.live.words());
    const FaceFiles& files = options.run.files;
    print_written({files.landmarks, files.csv, files.overlay, files.pts, files.patches, files.appearance},
                  options.common);
    return;
  }
  nlohmann::ordered_json json;
  json["backend"] = name(counts.backend);
  json["stages"] = places_json(counts.stages);
  json["frames"] = counts.frames;
  json["found"] = counts.found;
  json["lost"] = counts.lost;
  json["unreadable"] = counts.unreadable;
  json["restarts"] = counts.restarts;
  json["late"] = counts.live.late;
  json["reopened"] = counts.live.reopened;
  json["stopped"] = counts.stopped;
  json["mean_quality"] = counts.quality;
  json["fits_per_second"] = counts.fits_per_second();
  for (const auto& [stage, ms] : counts.ms) json["ms"][stage] = ms;
  json["slowest"] = counts.slowest();
  json["results"] = {{"out", options.run.files.landmarks}};
  print_json(json, options.common.console);
}

io::ColourSettings source_settings(const FaceFitOptions& options) {
  io::ColourSettings settings = face_source(options.fps, options.sequence);
  settings.reconnect = options.reconnect;
  settings.wait = source_wait(options.common.console.err);
  return settings;
}

void run(FaceFitOptions& options) {
  const Interrupt interrupt;  // until the results are printed
  check_outputs(options);
  FaceRun& chain = options.run;
  check_devices(options.common);
  choose(options.common.compute.backend);  // refuses what is not there before anything is read
  chain.compute = options.common.compute;
  chain.tracker.model = fit_model(options.fit);
  chain.tracker.fit = fit_settings(options.fit);
  chain.tracker.head = pose_settings(options.pose);
  if (options.init == "detect") {
    chain.detector.emplace(options.detector);
  } else {
    chain.starts.emplace(options.init, chain.tracker.model->shape.landmarks());
    // with a detector, a face that was lost in a video can be found again
    if (!options.detector.empty() || !io::find_face_cascade().empty()) chain.detector.emplace(options.detector);
  }
  std::optional<View> view;
  std::optional<serve::FaceFeed> feed;
  if (options.view.wanted) {
    view.emplace(options.view);
    view->faces().set_model(chain.tracker.model);
    feed.emplace(view->hub().channel("face"), options.input.front(), chain.tracker.model);
    chain.watch = [&](std::int64_t frame, const io::Picture& picture, const face::Estimate& face) {
      feed->add(frame, picture, face);
    };
  }
  const std::unique_ptr<io::Source> source = io::open_colour(options.input, source_settings(options));
  const FaceCounts counts = fit_faces(*source, chain);
  if (feed) feed->finish();
  print_left_out(counts.lines, options.common.console);
  report(options, counts);
  if (counts.found == 0 && !counts.stopped) {
    throw Error(fmt::format("{}: {} in {} frames; {} says why for each", options.input.front(),
                            chain.starts && !chain.detector ? "no face was fitted" : "no face was found", counts.frames,
                            chain.files.landmarks),
                Error::Cause::running);
  }
  if (view && !counts.stopped) view->wait();
}

}  // namespace

void add_face_fit(Verb parent, Task& task) {
  Verb verb = parent.add("fit", "Find the landmarks of faces in pictures, videos and cameras");
  const auto options = std::make_shared<FaceFitOptions>();
  FaceRun& chain = options->run;
  add_fit_options(verb, options->fit);
  verb.option("--input", options->input, "FILES|DIR|SOURCE",
              "Pictures, a folder or pattern of them, a video, or a live source: see kinema cameras")
      .required();
  verb.option("--init", options->init, "detect|start.jsonl",
              "Where fits start: the face detector, or boxes or points by picture")
      .show_default();
  verb.option("--out", chain.files.landmarks, "landmarks.jsonl",
              "One line of JSON per face; CSV if the name ends in .csv")
      .required();
  verb.option("--csv", chain.files.csv, "FILE", "The landmarks as a table as well");
  verb.option("--overlay", chain.files.overlay, "out.mp4|DIR|FILE",
              "Landmarks over the frames: a video, PNGs in a folder (named as the pictures) or by pattern (%06d.png), "
              "or one .png");
  verb.option("--pts", chain.files.pts, "DIR", "A folder for a .pts file of each face, counted from 1 as in 300-W");
  verb.option("--patches", chain.files.patches, "DIR", "A folder for the shape-free patch of each face");
  verb.option("--appearance", chain.files.appearance, "DIR", "A folder for the sampled texture beside the fitted one");
  verb.option("--detector", options->detector, "FILE", "A cascade (.xml) or network (.onnx) in place of OpenCV's own");
  verb.option("--faces", chain.faces, "N",
              "Faces in each picture, at most: the largest first. In videos each is followed and has a number")
      .between(1, 1000)
      .show_default();
  verb.flag("--sequence", options->sequence, "The pictures are consecutive frames of one camera");
  verb.option("--fps", options->fps, "N", "Frames per second of such pictures, or in place of the video's own");
  verb.option("--reconnect", options->reconnect, "S", "Seconds to wait for a live source that disappears; 0: end")
      .show_default();
  verb.option("--frames", chain.frames, "N", "At most N frames; 0: all");
  verb.option("--smoothing", chain.tracker.smoothing, "HZ",
              "In videos: cutoff of the smoothing of a face at rest, hertz; 0: none")
      .between(0.0, 1000.0)
      .show_default();
  verb.option("--lost", chain.tracker.lost, "P", "In videos: a fit with a higher probability of failure is lost")
      .between(0.0, 1.0)
      .show_default();
  add_pose_options(verb, options->pose);
  add_neutral_option(verb, *chain.tracker.expression);
  verb.under("The pose of the head")
      .option("--head-smoothing", chain.tracker.head_smoothing, "HZ",
              "In videos: cutoff of the smoothing of a head at rest, hertz; 0: none")
      .between(0.0, 1000.0)
      .show_default();
  add_osc_option(verb, chain.live, "landmarks and the pose of the head");
  add_place_options(verb, chain.live, "the pose of the head and the expression", "the pose of the head");
  add_blend_shape_option(verb, chain.live);
  add_height_option(verb, chain.live);
  add_view_options(verb, options->view);
  add_common_options(verb, options->common);
  verb.chosen([options, &task] {
    options->common.console = task.console;
    task.run = [options](const Ranks&) { run(*options); };
  });
}

}  // namespace kinema::app
