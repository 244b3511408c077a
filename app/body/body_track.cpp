// kinema body track: stereo pairs, depth images or point clouds to joints, frame by frame.
#include "app/options/interrupt.h"
#include "app/options/live_options.h"
#include "app/options/options.h"
#include "app/options/places.h"
#include "app/page/view.h"
#include "app/run/track_run.h"
#include "io/faces/face_detector.h"
#include "io/files/text.h"
#include "io/motion/skeleton_json.h"
#include "kinema/error.h"
#include "kinema/files.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace kinema::app {
namespace {

struct BodyTrackOptions {
  CommonOptions common;
  std::vector<std::string> input;
  TrackRun run;
  std::string skeleton, init = "auto";
  std::optional<double> height;
  bool no_shape = false, no_free_space = false, no_planes = false, face = false;
  io::RecordingSettings recording;
  ViewOptions view;
};

// The settings for this recording, with the person given by the options.
body::TrackerSettings settings_for(const io::Recording& recording, const BodyTrackOptions& options) {
  const body::TrackerSettings& given = options.run.tracker;
  body::TrackerSettings tracker = body::settings_for(recording, given);
  if (!options.skeleton.empty()) {
    tracker.skeleton = io::read_skeleton(options.skeleton);
    tracker.fit_shape = false;
  } else if (options.height) {
    try {
      tracker.skeleton = body::default_human(*options.height);
      tracker.height_known = true;
    } catch (const Error& error) {
      throw Error(fmt::format("--height is {}: {}", *options.height, error.what()));
    }
    tracker.fit_shape = given.fit_shape;
  }
  return tracker;
}

// How faces are looked for in the pictures of this recording.
person::FaceObserverSettings face_settings(const io::Recording& recording, const BodyTrackOptions& options) {
  const std::string& input = options.input.front();
  if (!recording.holds_pictures())
    throw Error(fmt::format("{}: has no colour pictures, which --face needs: {}leave --face out", input,
                            recording.kind() == io::SourceKind::sequence ? "name them with --colour, or " : ""));
  if (recording.camera().camera.width == 0)
    throw Error(fmt::format("{}: has no camera, which --face needs: give --camera-file", input));
  person::FaceObserverSettings settings;
  const auto detector = std::make_shared<const io::FaceDetector>();
  settings.detect = [detector](const face::GreyView& image) { return detector->detect(image); };
  settings.model = std::make_shared<const face::Model>(read_face_model());
  settings.camera = recording.camera().camera;
  return settings;
}

// For the summary of a run from a live source.
std::string live_words(const TrackCounts& counts) {
  if (counts.latency.count() == 0) return "";
  std::string text = fmt::format("; latency {:.0f} ms, 95 % within {:.0f} ms", counts.latency.quantile(0.5),
                                 counts.latency.quantile(0.95));
  if (counts.pace_changes > 0) {
    text += fmt::format("; kept up with {} particles and {} points", counts.settings.particles, counts.settings.points);
  }
  return text;
}

std::string people_words(const TrackRun& run, const TrackCounts& counts) {
  return run.tracker.people == 1 ? "" : fmt::format("; {} {}", counts.people, counts.people == 1 ? "person" : "people");
}

// All ranks of mpirun weigh by the same backend, or results would depend on their number.
void check_backends(const Ranks& ranks, Backend own) {
  Backend first = own;
  ranks.broadcast(&first, sizeof first);
  ranks.together([&] {
    if (own != first) throw Error("the ranks have different backends: give --backend cpu, or a GPU to each");
  });
}

constexpr int most_people = 30;  // see body::TrackerSettings

// People of this size are rare; pairs with a wrong baseline or focal length are not.
constexpr double shortest = 0.92, tallest = 2.1;

void report(const BodyTrackOptions& options, const TrackCounts& counts, const Ranks& ranks) {
  const TrackRun& run = options.run;
  const bool measured = counts.settings.baseline > 0 && counts.settings.fit_shape && !counts.settings.height_known;
  if (measured && counts.stature > 0 && (counts.stature < shortest || counts.stature > tallest))
    warn(options.common.console.err,
         "by these pairs the person is {:.2f} m tall: check their baseline, {} m, and focal length", counts.stature,
         counts.settings.baseline);
  if (!options.common.json) {
    fmt::print(
        options.common.console.out,
        "{}{} frames on {}: {} tracked, {} without a person, {} that could not be used; {:.1f} frames per second{}\n",
        counts.stopped ? "stopped; " : "", counts.frames, name(counts.backend), counts.found, counts.lost, counts.gaps,
        counts.frames_per_second(), people_words(run, counts) + counts.live.words() + live_words(counts));
    const TrackFiles& files = run.files;
    std::vector<std::string> written = {files.poses, files.csv};
    written.insert(written.end(), counts.motion_files.begin(), counts.motion_files.end());
    written.push_back(files.overlay);
    print_written(written, options.common);
    return;
  }
  nlohmann::ordered_json json;
  json["backend"] = name(counts.backend);
  json["frames"] = counts.frames;
  json["found"] = counts.found;
  if (run.tracker.people != 1) json["people"] = counts.people;
  json["lost"] = counts.lost;
  json["gaps"] = counts.gaps;
  if (run.face) json["faces"] = counts.faces;
  json["late"] = counts.live.late;
  json["reopened"] = counts.live.reopened;
  json["stopped"] = counts.stopped;
  json["particles"] = counts.settings.particles;
  json["layers"] = counts.settings.layers;
  json["points"] = counts.settings.points;
  json["deviation_mm"] = 1000 * counts.deviation;
  json["stature"] = counts.stature;
  json["fps"] = counts.frames_per_second();
  if (counts.latency.count() > 0) {
    json["live"] = {{"fps", counts.live_frames_per_second()},
                    {"latency_ms", {{"median", counts.latency.quantile(0.5)}, {"p95", counts.latency.quantile(0.95)}}},
                    {"changes", counts.pace_changes},
                    {"search_rest", counts.search_rest}};
  }
  json["ranks"] = ranks.count();
  json["exchanged"] = {{"bytes", counts.exchanged_bytes},
                       {"bytes_per_frame", counts.frames > 0 ? counts.exchanged_bytes / counts.frames : 0}};
  for (const auto& [stage, ms] : counts.ms) json["ms"][stage] = ms;
  json["results"] = {{"out", run.files.poses}};
  print_json(json, options.common.console);
}

void check_people(const TrackRun& run) {
  if (run.person > 0 && run.tracker.people == 1)
    throw Error("--person needs --people: where one person is followed, nobody has a number");
}

// Outputs that would overwrite an input or each other, or whose format does not match their name.
void check_outputs(BodyTrackOptions& options) {
  const TrackFiles& files = options.run.files;
  if (!files.csv.empty() && std::filesystem::path(files.csv).extension() != ".csv") {
    throw Error(fmt::format("{}: --csv writes a table: give a name that ends in .csv", files.csv));
  }
  for (const auto& [flag, ending, file] : {std::tuple{"--trc", ".trc", &files.trc},
                                           {"--mot", ".mot", &files.mot},
                                           {"--c3d", ".c3d", &files.c3d},
                                           {"--gltf", ".glb", &files.gltf}}) {
    if (file->empty() || std::filesystem::path(*file).extension() == ending) continue;
    throw Error(fmt::format("{}: {} writes a file whose name ends in {}", *file, flag, ending));
  }
  std::vector<Place> inputs = {{"--colour", options.recording.colour_pattern},
                               {"--skeleton", options.skeleton},
                               {"--init", options.init == "auto" ? "" : options.init}};
  for (const std::string& input : options.input) inputs.push_back({"--input", input});
  for (const auto& file : options.recording.camera_files) inputs.push_back({"--camera-file", file.string()});
  check_places({{"--out", files.poses}, {"--csv", files.csv}},
               {{"--bvh", files.bvh},
                {"--trc", files.trc},
                {"--mot", files.mot},
                {"--c3d", files.c3d},
                {"--gltf", files.gltf},
                {"--overlay", files.overlay}},
               inputs, options.common);
}

// On the first rank.
void track(BodyTrackOptions& options, const Ranks& ranks) {
  TrackRun& chain = options.run;
  if (options.no_free_space) chain.tracker.likelihood.free_space = false;
  chain.tracker.seed = options.common.seed;
  if (options.no_shape) chain.tracker.fit_shape = false;
  chain.tracker.foreground.planes = !options.no_planes;

  options.recording.colour = !chain.files.overlay.empty() || options.view.wanted || options.face;
  options.recording.wait = source_wait(options.common.console.err);
  const std::unique_ptr<io::Recording> recording = io::open_recording(options.input, options.recording);
  if (ranks.count() > 1 && recording->live())
    throw Error(fmt::format("a live source is tracked by one process, not {} ranks: record it first (kinema record)",
                            ranks.count()));
  chain.tracker = settings_for(*recording, options);
  if (options.face) chain.face = face_settings(*recording, options);
  if (options.init != "auto") chain.start_pose = io::read_pose(options.init, chain.tracker.skeleton);

  std::optional<View> view;
  std::optional<serve::BodyFeed> feed;
  if (options.view.wanted) {
    view.emplace(options.view);
    feed.emplace(view->hub().channel("body"), options.input.front(), recording->size().value_or(0));
    show(*feed, chain, view->control());
    chain.recordings = options.view.recordings;
  }
  const TrackCounts counts = app::track(*recording, chain);
  report(options, counts, ranks);
  if (feed) feed->finish();
  if (counts.frames > 0 && counts.found == 0) {
    throw Error(fmt::format("no person was found in {} frames; {} says why for each", counts.frames, chain.files.poses),
                Error::Cause::running);
  }
  if (view && !counts.stopped) view->wait();
}

void run(BodyTrackOptions options, const Ranks& ranks) {
  const Interrupt interrupt;  // until the results are printed
  Compute& compute = options.run.compute;
  Backend backend = Backend::automatic;
  ranks.together([&] {
    check_outputs(options);
    check_people(options.run);
    if (ranks.count() > 1 && options.view.wanted)
      throw Error(fmt::format("--view shows one process: start it without mpirun, not on {} ranks", ranks.count()));
    check_devices(options.common);
    divide_machine(ranks, options.common);
    compute = options.common.compute;
    backend = choose(compute).backend;  // throws at once if it is missing
  });
  check_backends(ranks, backend);
  ranks.share(compute, [&](const body::ShareLikelihood& share) {
    options.run.tracker.share_weighing = share;
    track(options, ranks);
  });
}

int parse_people(const std::string& text) {
  if (text == "all") return 0;
  const auto people = io::exact_number_in<int>(text);
  if (!people || *people < 1 || *people > most_people)
    throw Error(fmt::format("--people is \"{}\": give a number from 1 to {}, or all", text, most_people));
  return *people;
}

std::pair<double, double> parse_place(const std::string& text) {
  const std::vector<std::string> parts = split(text, ',');
  const auto x = io::exact_number_in<double>(parts.front()), y = io::exact_number_in<double>(parts.back());
  if (parts.size() != 2 || !x || !y)
    throw Error(fmt::format("--choose is \"{}\": give the column and row of a pixel, as in 320,240", text));
  return {*x, *y};
}

void add_input_options(Verb verb, BodyTrackOptions& options) {
  io::RecordingSettings& recording = options.recording;
  verb.option("--input", options.input, "DIR|FILES|SOURCE",
              "A recording's folder, a pattern such as depth/%06d.png, files, left,right of a stereo pair, or a live "
              "source: see kinema cameras")
      .required();
  verb.parsed("--camera-file", recording.camera_files, split_paths, "FILE[,FILE]",
              "camera.json or an OpenCV calibration, in place of the recording's own");
  verb.option("--fps", recording.fps, "N", "Frames per second, in place of the camera file's");
  verb.length("--depth-scale", recording.depth_scale, "Length of a unit of the depth images");
  verb.length("--baseline", recording.baseline, "Distance between the cameras of a rectified pair");
  verb.length("--calibration-unit", recording.calibration_unit, "Length of a unit of an OpenCV calibration");
  verb.option("--colour", recording.colour_pattern, "FILES",
              "Pattern of the colour pictures, for --overlay, --view and --face");
  body::ForegroundSettings& foreground = options.run.tracker.foreground;
  verb.length("--near", foreground.nearest, "Smallest distance of the person").show_default(foreground.nearest);
  verb.length("--far", foreground.farthest, "Largest distance of the person").show_default(foreground.farthest);
  verb.flag("--no-planes", options.no_planes, "Do not detect floor and walls");
  verb.choice<body::CutOut>("--cut-out", foreground.cut_out,
                            "Whether depth images hold only the person, so that empty pixels are rays past the person",
                            {{"auto", body::CutOut::automatic}, {"yes", body::CutOut::yes}, {"no", body::CutOut::no}});
  verb.option("--reconnect", recording.reconnect, "S", "Seconds to wait for a live source that disappears; 0: end")
      .show_default();
  verb.option("--start", options.run.start, "N", "Number of the first frame").between(0L, 1L << 52);
  verb.option("--frames", options.run.frames, "N", "At most N frames; 0: all").between(0L, 1L << 52);
}

// Before all other options that change the tracker's settings, which may then deviate from those of the paper.
void add_paper_option(Verb verb, BodyTrackOptions& options) {
  verb.under("The filter")
      .preset(
          "--paper", [&run = options.run] { run.tracker = body::paper_settings(); },
          "The plain filter of the paper; further options change it from there");
}

void add_tracker_options(Verb verb, BodyTrackOptions& options) {
  body::TrackerSettings& tracker = options.run.tracker;
  verb = verb.under("The filter");
  verb.option("--particles", tracker.particles, "N", "Particles per layer; 0: chosen for this machine")
      .between(0, 1000000);
  verb.option("--layers", tracker.layers, "N", "Annealing layers; 1: the plain filter").between(1, 100).show_default();
  verb.option("--refined", tracker.refined, "N", "Poses refined by least squares; 0: none")
      .between(0, 10000)
      .show_default();
  verb.option("--rivals", tracker.rivals, "N", "Rival poses compared with the tracked one; 0: none")
      .between(0, 1000)
      .show_default();
  verb.flag("--limbs", tracker.limbs, "Sample trunk and limbs one after the other");
  verb.option("--points", tracker.points, "N", "Points of the person, thinned evenly; 0: chosen for this machine")
      .between(0, 100000000);
  verb.choice<body::Motion>("--motion", tracker.motion, "Motion model from frame to frame",
                            {{"random-walk", body::Motion::random_walk},
                             {"constant-velocity", body::Motion::constant_velocity},
                             {"spatial", body::Motion::spatial}});
  verb.choice<body::Resampling>("--resampling", tracker.resampling, "Resampling scheme of the particles",
                                {{"systematic", body::Resampling::systematic},
                                 {"stratified", body::Resampling::stratified},
                                 {"residual", body::Resampling::residual},
                                 {"multinomial", body::Resampling::multinomial}});
  verb.choice<body::Association>(
      "--association", tracker.likelihood.association, "The capsule that a point is compared with",
      {{"nearest", body::Association::nearest}, {"first-hit", body::Association::first_hit}});
  verb.length("--tau", tracker.likelihood.tau, "Distance at which residuals are truncated")
      .show_default(tracker.likelihood.tau);
  verb.length("--sigma", tracker.likelihood.sigma, "Standard deviation of a point about the skin")
      .show_default(tracker.likelihood.sigma);
  verb.length("--sensor-noise", tracker.sensor_noise,
              "Standard deviation of a depth at 1 m; grows with the square of the distance")
      .show_default(tracker.sensor_noise);
  verb.option("--independent", tracker.independent_points, "N", "Number of points per frame that count as independent")
      .show_default();
  verb.option("--rest-cutoff", tracker.rest_cutoff, "HZ",
              "Low-pass cutoff of joints at rest in immediate poses (live, --lag 0), hertz; lower is steadier, 0: none")
      .between(0.0, 1000.0)
      .show_default();
  verb.flag("--no-free-space", options.no_free_space, "Ignore the rays that see past the person");
}

}  // namespace

void add_body_track(Verb parent, Task& task) {
  Verb verb = parent.add("track", "Track a person's joints in stereo pairs, depth images or point clouds");
  const auto options = std::make_shared<BodyTrackOptions>();
  add_paper_option(verb, *options);
  add_input_options(verb, *options);
  verb.option("--out", options->run.files.poses, "poses.jsonl", "Joints, deviations and angles of each frame")
      .required();
  verb.option("--csv", options->run.files.csv, "poses.csv", "Joints and anatomical angles as a table");
  verb.option("--bvh", options->run.files.bvh, "out.bvh", "The motion as an animation");
  verb.option("--gltf", options->run.files.gltf, "out.glb", "The same with a skin of capsules, as binary glTF");
  verb.option("--trc", options->run.files.trc, "out.trc", "Joints as markers for OpenSim");
  verb.option("--mot", options->run.files.mot, "out.mot", "Anatomical angles for OpenSim");
  verb.option("--c3d", options->run.files.c3d, "out.c3d", "Joints as points of a C3D file");
  verb.option("--overlay", options->run.files.overlay, "out.mp4|DIR",
              "Skeleton and skin over the frames: a video, or PNGs in a folder");
  const Option skeleton =
      verb.option("--skeleton", options->skeleton, "S.json", "The person, in place of the recording's skeleton.json");
  verb.length("--height", options->height, "The person's height, as 1.8 or 180cm, for the default skeleton")
      .excludes(skeleton);
  verb.parsed("--people", options->run.tracker.people, parse_people, "N|all",
              "How many people to follow at most, each with a number; without it the one most like a person");
  const Option choose = verb.parsed(
      "--choose", options->run.chosen, parse_place, "X,Y",
      "Follow whoever stands at this pixel of the first frame; without --people nobody until somebody does");
  verb.under("Live")
      .option("--person", options->run.person, "N",
              "The number of the person that receivers get; 0: the nearest to the middle of the picture")
      .between(0, 1000000);
  verb.option("--init", options->init, "auto|pose.json", "The pose to start from; auto: search").excludes(choose);
  verb.option("--lag", options->run.tracker.lag, "N", "Later frames that correct a pose before it is written; 0: none")
      .between(0, 10000)
      .show_default();
  verb.flag("--face", options->face,
            "Look for the face in the colour pictures: it tells the person's front from the back");
  verb.flag("--no-shape", options->no_shape, "Do not fit lengths and radii to the person");
  add_osc_option(verb, options->run.live, "joints and rotations");
  add_place_options(verb, options->run.live, "the body", "the body");
  add_tracker_options(verb, *options);
  add_view_options(verb, options->view);
  add_common_options(verb, options->common);
  verb.footer("M: metres, or a length with its unit, as in 1.8m, 180cm or 1800mm.");
  verb.chosen([options, &task] {
    options->common.console = task.console;
    task.shared = true;
    task.run = [options](const Ranks& ranks) { run(*options, ranks); };
  });
}

}  // namespace kinema::app
