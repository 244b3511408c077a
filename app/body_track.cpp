// kinema body track: stereo pairs, depth images or point clouds to joints, frame by frame.
#include "app/options.h"
#include "app/track_run.h"
#include "app/view.h"
#include "io/skeleton_json.h"
#include "kinema/error.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>

namespace kinema::app {
namespace {

struct Options {
  CommonOptions common;
  std::vector<std::string> input;
  TrackRun run;
  std::string skeleton, init = "auto";
  std::optional<double> height;
  bool no_shape = false, no_free_space = false, no_planes = false;
  io::RecordingSettings recording;
  ViewOptions view;
};

Person person(const Options& options, const io::Recording& recording) {
  if (!options.skeleton.empty()) return {io::read_skeleton(options.skeleton), true};
  if (options.height) {
    try {
      return {body::default_human(*options.height), false};
    } catch (const Error& error) {
      throw Error(fmt::format("--height is {}: {}", *options.height, error.what()));
    }
  }
  if (!recording.skeleton().empty()) return {io::read_skeleton(recording.skeleton()), true};
  return {body::default_human(), false};
}

void report(const Options& options, const TrackCounts& counts) {
  const TrackRun& run = options.run;
  if (!options.common.json) {
    fmt::print(
        "{}{} frames on {}: {} tracked, {} without a person, {} that could not be used; {:.1f} frames a second\n",
        counts.stopped ? "stopped; " : "", counts.frames, name(run.backend), counts.found, counts.lost, counts.gaps,
        counts.frames_per_second());
    return;
  }
  nlohmann::ordered_json json;
  json["backend"] = name(run.backend);
  json["frames"] = counts.frames;
  json["found"] = counts.found;
  json["lost"] = counts.lost;
  json["gaps"] = counts.gaps;
  json["stopped"] = counts.stopped;
  json["particles"] = run.tracker.particles;
  json["layers"] = run.tracker.layers;
  json["points"] = run.foreground.points;
  json["fps"] = counts.frames_per_second();
  for (const auto& [stage, ms] : counts.ms) json["ms"][stage] = ms;
  json["results"] = {{"out", run.files.poses}};
  print_json(json);
}

// Outputs that would write into each other, or into what they do not say.
void check_outputs(const TrackFiles& files) {
  if (!files.csv.empty() && std::filesystem::path(files.csv).extension() != ".csv") {
    throw Error(fmt::format("{}: --csv writes a table: give a name that ends in .csv", files.csv));
  }
  std::map<std::filesystem::path, const char*> places;
  for (const auto& [flag, file] : {std::pair{"--out", &files.poses},
                                   {"--csv", &files.csv},
                                   {"--bvh", &files.bvh},
                                   {"--overlay", &files.overlay}}) {
    std::error_code ignored;
    if (file->empty() || std::filesystem::is_character_file(*file, ignored)) continue;
    const auto [other, first] = places.emplace(weakly_canonical(absolute(std::filesystem::path(*file)), ignored), flag);
    if (!first) throw Error(fmt::format("{}: {} and {} name the same file", *file, other->second, flag));
  }
}

void run(Options options) {
  TrackRun& chain = options.run;
  check_outputs(chain.files);
  chain.backend = options.common.backend;
  chain.tracker.likelihood.threads = options.common.threads;
  chain.tracker.likelihood.free_space = !options.no_free_space;
  chain.tracker.seed = options.common.seed;
  chain.tracker.fit_shape = !options.no_shape;
  chain.foreground.planes = !options.no_planes;
  fill_in(chain);

  options.recording.colour = !chain.files.overlay.empty();
  const std::unique_ptr<io::Recording> recording = io::open_recording(options.input, options.recording);
  chain.person = person(options, *recording);
  if (options.init != "auto") chain.start_pose = io::read_pose(options.init, chain.person.skeleton);

  std::optional<View> view;
  std::optional<serve::BodyFeed> feed;
  if (options.view.wanted) {
    view.emplace(options.view);
    feed.emplace(view->hub().channel("body"), options.input.front(), recording->size().value_or(0));
    chain.watch = [&feed](const TrackedFrame& seen) { show(*feed, seen); };
  }
  const TrackCounts counts = track(*recording, chain);
  report(options, counts);
  if (feed) feed->finish();
  if (counts.frames > 0 && counts.found == 0) {
    throw Error(fmt::format("no person was found in {} frames; {} says why for each", counts.frames, chain.files.poses),
                Error::Cause::running);
  }
  if (view && !counts.stopped) view->wait();
}

template <class T>
std::function<void(const std::string&)> one_of(const char* flag, T& value, std::map<std::string, T> words) {
  return [flag, &value, words = std::move(words)](const std::string& word) {
    const auto found = words.find(word);
    if (found == words.end()) {
      std::string known;
      for (const auto& entry : words) known += (known.empty() ? "" : ", ") + entry.first;
      throw Error(fmt::format("{} is '{}': it is one of {}", flag, word, known));
    }
    value = found->second;
  };
}

void add_input_options(CLI::App& verb, Options& options) {
  io::RecordingSettings& recording = options.recording;
  verb.add_option("--input", options.input,
                  "A recording's folder, a pattern such as depth/%06d.png, files, or left,right of a stereo pair")
      ->type_name("DIR|FILES")
      ->required();
  verb.add_option_function<std::string>(
          "--camera-file",
          [&recording](const std::string& files) {
            for (const std::string& file : CLI::detail::split(files, ',')) recording.camera_files.emplace_back(file);
          },
          "camera.json or an OpenCV calibration, instead of the recording's own")
      ->type_name("FILE[,FILE]");
  verb.add_option("--fps", recording.fps, "Frames a second, instead of the camera's file")->type_name("N");
  verb.add_option("--depth-scale", recording.depth_scale, "Metres a unit of depth images")->type_name("M");
  verb.add_option("--baseline", recording.baseline, "Metres between the cameras of a rectified pair")->type_name("M");
  verb.add_option("--calibration-unit", recording.calibration_unit, "Metres a unit of an OpenCV calibration")
      ->type_name("M");
  verb.add_option("--colour", recording.colour_pattern, "Pictures for the overlay, a pattern")->type_name("FILES");
  verb.add_option("--near", options.run.foreground.nearest, "Nothing nearer is the person, metres")
      ->type_name("M")
      ->capture_default_str();
  verb.add_option("--far", options.run.foreground.farthest, "Nothing further is the person, metres")
      ->type_name("M")
      ->capture_default_str();
  verb.add_flag("--no-planes", options.no_planes, "Do not look for floor and walls");
  verb.add_option("--start", options.run.start, "Number of the first frame")
      ->type_name("N")
      ->check(CLI::Range(0L, 1L << 52).description(""));
  verb.add_option("--frames", options.run.frames, "At most so many frames; 0: all")
      ->type_name("N")
      ->check(CLI::Range(0L, 1L << 52).description(""));
}

void add_tracker_options(CLI::App& verb, Options& options) {
  body::TrackerSettings& tracker = options.run.tracker;
  const char* group = "The filter";
  verb.add_option("--particles", tracker.particles, "Poses tried in a layer; 0: what the machine holds")
      ->type_name("N")
      ->check(CLI::Range(0, 1000000).description(""))
      ->group(group);
  verb.add_option("--layers", tracker.layers, "Annealing layers; 1: the plain filter")
      ->type_name("N")
      ->check(CLI::Range(1, 100).description(""))
      ->capture_default_str()
      ->group(group);
  verb.add_option("--refined", tracker.refined, "Poses refined by least squares; 0: none")
      ->type_name("N")
      ->check(CLI::Range(0, 10000).description(""))
      ->capture_default_str()
      ->group(group);
  verb.add_option("--rivals", tracker.rivals, "Poses elsewhere held against the tracked one; 0: none")
      ->type_name("N")
      ->check(CLI::Range(0, 1000).description(""))
      ->capture_default_str()
      ->group(group);
  verb.add_flag("--limbs", tracker.limbs, "Sample trunk and limbs one after the other")->group(group);
  verb.add_option("--points", tracker.points, "Points of the person, thinned evenly; 0: what the machine holds")
      ->type_name("N")
      ->check(CLI::Range(0, 100000000).description(""))
      ->group(group);
  verb.add_option_function<std::string>("--motion",
                                        one_of<body::Motion>("--motion", tracker.motion,
                                                             {{"random-walk", body::Motion::random_walk},
                                                              {"constant-velocity", body::Motion::constant_velocity},
                                                              {"spatial", body::Motion::spatial}}),
                                        "How a pose goes on from frame to frame")
      ->type_name("random-walk|constant-velocity|spatial")
      ->group(group);
  verb.add_option_function<std::string>("--resampling",
                                        one_of<body::Resampling>("--resampling", tracker.resampling,
                                                                 {{"systematic", body::Resampling::systematic},
                                                                  {"stratified", body::Resampling::stratified},
                                                                  {"residual", body::Resampling::residual},
                                                                  {"multinomial", body::Resampling::multinomial}}),
                                        "How particles are drawn by their weights")
      ->type_name("systematic|stratified|residual|multinomial")
      ->group(group);
  verb.add_option_function<std::string>("--association",
                                        one_of<body::Association>("--association", tracker.likelihood.association,
                                                                  {{"nearest", body::Association::nearest},
                                                                   {"first-hit", body::Association::first_hit}}),
                                        "The capsule that a point is held against")
      ->type_name("nearest|first-hit")
      ->group(group);
  verb.add_option("--tau", tracker.likelihood.tau, "Where distances are cut off, metres")
      ->type_name("M")
      ->capture_default_str()
      ->group(group);
  verb.add_option("--sigma", tracker.likelihood.sigma, "Standard deviation of a point about the skin, metres")
      ->type_name("M")
      ->capture_default_str()
      ->group(group);
  verb.add_option("--sensor-noise", tracker.sensor_noise, "Standard deviation of a depth at 1 m; grows with its square")
      ->type_name("M")
      ->capture_default_str()
      ->group(group);
  verb.add_option("--independent", tracker.independent_points, "Points of a frame that count as independent")
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  verb.add_flag("--no-free-space", options.no_free_space, "Do not use the rays that see past the person")->group(group);
}

}  // namespace

void add_body_track(CLI::App& parent, Task& task) {
  CLI::App* verb = parent.add_subcommand("track", "Stereo pairs, depth images or point clouds to joints");
  const auto options = std::make_shared<Options>();
  add_input_options(*verb, *options);
  verb->add_option("--out", options->run.files.poses, "Joints, deviations and angles of each frame")
      ->type_name("poses.jsonl")
      ->required();
  verb->add_option("--csv", options->run.files.csv, "The same as a table")->type_name("poses.csv");
  verb->add_option("--bvh", options->run.files.bvh, "The same as an animation")->type_name("out.bvh");
  verb->add_option("--overlay", options->run.files.overlay,
                   "Skeleton and skin over the frames: a video, or PNGs in a folder")
      ->type_name("out.mp4|DIR");
  CLI::Option* skeleton =
      verb->add_option("--skeleton", options->skeleton, "The person, instead of the recording's skeleton.json")
          ->type_name("S.json");
  verb->add_option("--height", options->height, "The person's height in metres, for the skeleton that ships")
      ->type_name("M")
      ->excludes(skeleton);
  verb->add_option("--init", options->init, "Where to start: auto searches")->type_name("auto|pose.json");
  verb->add_flag("--no-shape", options->no_shape, "Do not fit lengths and radii to the person");
  add_tracker_options(*verb, *options);
  add_view_options(*verb, options->view);
  add_common_options(*verb, options->common);
  verb->callback([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

}  // namespace kinema::app
