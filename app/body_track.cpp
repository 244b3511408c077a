// kinema body track: stereo pairs, depth images or point clouds to joints, frame by frame.
#include "app/interrupt.h"
#include "app/options.h"
#include "app/progress.h"
#include "app/stopwatch.h"
#include "io/bvh.h"
#include "io/overlay.h"
#include "io/pose_bvh.h"
#include "io/poses.h"
#include "io/recording.h"
#include "io/skeleton_json.h"
#include "kinema/body_tracker.h"
#include "kinema/error.h"
#include "kinema/foreground.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

namespace kinema::app {
namespace {

struct Options {
  CommonOptions common;
  std::vector<std::string> input;
  std::string out, csv, bvh, overlay, skeleton, init = "auto", background;
  std::optional<double> height;
  long start = 0, frames = 0;
  bool no_shape = false, no_free_space = false, no_planes = false;
  io::RecordingSettings recording;
  body::ForegroundSettings foreground;
  body::TrackerSettings tracker;
};

// The person to look for, and whether its size is known.
struct Person {
  body::Skeleton skeleton;
  bool measured = false;
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

// All that is written while frames go by. Files appear when all are done, or when the user stops the run.
class Sinks {
public:
  Sinks(const Options& options, const io::Recording& recording, const body::Skeleton& skeleton) {
    poses_.emplace_back(std::make_unique<io::PosesWriter>(options.out, skeleton));
    if (!options.csv.empty()) poses_.emplace_back(std::make_unique<io::PosesWriter>(options.csv, skeleton));
    if (!options.bvh.empty()) bvh_file_.emplace(options.bvh);
    fps_ = recording.camera().fps > 0 ? recording.camera().fps : 30;
    if (!options.overlay.empty()) overlay_.emplace(options.overlay, recording.camera().camera, fps_);
  }

  void add(const io::RecordedFrame& frame, const body::Skeleton& skeleton, const body::Estimate& estimate,
           const std::string& why) {
    for (const auto& writer : poses_) writer->add(frame.index, frame.time, estimate, why);
    // an animation has no gaps, so that its frames are those of the recording: the last pose stays, and the first waits
    if (estimate.found && !last_) animation_.assign(unseen_, estimate.pose);
    if (estimate.found) last_ = estimate.pose;
    if (bvh_file_ && last_) animation_.push_back(*last_);
    if (!last_) ++unseen_;
    if (overlay_) {
      io::OverlayFrame picture{frame.index,
                               frame.time,
                               frame.colour.empty() ? nullptr : &frame.colour,
                               frame.depth,
                               {frame.points.data(), frame.points.size() / 3, {}}};
      overlay_->add(picture, skeleton, estimate, why);
    }
  }

  void commit(const body::Skeleton& skeleton) {
    for (const auto& writer : poses_) writer->commit();
    if (overlay_) overlay_->commit();
    if (bvh_file_) {
      io::write_bvh(*bvh_file_, io::poses_to_bvh(skeleton, animation_, 1 / fps_));
      bvh_file_->commit();
    }
  }

private:
  double fps_ = 30;
  std::vector<std::unique_ptr<io::PosesWriter>> poses_;
  std::optional<io::OutputFile> bvh_file_;
  std::optional<io::OverlaySink> overlay_;
  std::optional<body::Pose> last_;
  std::vector<body::Pose> animation_;
  std::size_t unseen_ = 0;  // frames before the person was first found
};

// The points of a frame that the tracker takes.
class Eye {
public:
  Eye(const Options& options, const io::Recording& recording)
      : foreground_(recording.camera().camera, options.foreground) {
    const Camera& camera = recording.camera().camera;
    width_ = static_cast<std::size_t>(camera.width);
    height_ = static_cast<std::size_t>(camera.height);
    if (!recording.background().empty()) foreground_.set_background(image(recording.background()));
  }

  body::Cloud cut(const io::RecordedFrame& frame, std::span<const float> expected) {
    if (frame.depth.empty()) {
      return foreground_.cut(PointsView{frame.points.data(), frame.points.size() / 3, {}}, expected);
    }
    return foreground_.cut(image(frame.depth), expected);
  }

private:
  ImageView<const float> image(const std::vector<float>& depth) const {
    return {depth.data(), width_, height_, width_};
  }

  body::Foreground foreground_;
  std::size_t width_ = 0, height_ = 0;
};

struct Counts {
  std::size_t frames = 0, found = 0, lost = 0, gaps = 0;
  bool stopped = false;  // by the user
  std::map<std::string, double> ms;
  double tracking_ms = 0;
};

// Fewer points than this are nobody.
constexpr std::ptrdiff_t fewest_points = 60;

bool nobody_in(const body::Cloud& cloud) {
  return std::count(cloud.background.begin(), cloud.background.end(), 0) < fewest_points;
}

Counts follow(const Options& options, io::Recording& recording, body::Tracker& tracker, Sinks& sinks) {
  Eye eye(options, recording);
  Counts counts;
  Progress progress("frames", recording.size().value_or(0), true);
  std::vector<float> expected;
  io::RecordedFrame frame;
  const Interrupt interrupt;
  Stopwatch watch;
  while (!interrupt.asked() && recording.next(frame)) {
    counts.ms["read"] += watch.lap();
    if (frame.index < options.start) continue;
    if (options.frames > 0 && counts.frames >= static_cast<std::size_t>(options.frames)) break;
    ++counts.frames;
    body::Estimate estimate;
    std::string why = frame.gap;
    if (why.empty()) {
      body::Cloud cloud = eye.cut(frame, expected);
      // nobody where somebody was expected: look everywhere
      if (nobody_in(cloud) && !expected.empty()) cloud = eye.cut(frame, {});
      const double cut_ms = watch.lap();
      counts.ms["foreground"] += cut_ms;
      estimate = tracker.track({frame.time, cloud.view()});
      const double track_ms = watch.lap();
      counts.tracking_ms += cut_ms + track_ms;
      for (const body::StageTime& time : estimate.times) counts.ms[time.stage] += time.ms;
      why = nobody_in(cloud) ? "nobody in sight" : "lost";
      expected.clear();
      if (estimate.found) expected = body::pose_capsules(tracker.skeleton(), estimate.pose);
    }
    ++(estimate.found ? counts.found : frame.gap.empty() ? counts.lost : counts.gaps);
    sinks.add(frame, tracker.skeleton(), estimate, why);
    counts.ms["write"] += watch.lap();
    progress.show(counts.frames);
  }
  counts.stopped = interrupt.asked();
  if (counts.frames == 0 && !counts.stopped) {
    throw Error(fmt::format("{}: has no frame from --start {} on", options.input.front(), options.start));
  }
  return counts;
}

void report(const Options& options, const Counts& counts, Backend backend, const body::TrackerSettings& settings) {
  const double tracked = static_cast<double>(counts.found + counts.lost);
  const double fps = counts.tracking_ms > 0 ? 1000 * tracked / counts.tracking_ms : 0;
  if (!options.common.json) {
    fmt::print(
        "{}{} frames on {}: {} tracked, {} without a person, {} that could not be used; {:.1f} frames a second\n",
        counts.stopped ? "stopped; " : "", counts.frames, name(backend), counts.found, counts.lost, counts.gaps, fps);
    return;
  }
  nlohmann::ordered_json json;
  json["backend"] = name(backend);
  json["frames"] = counts.frames;
  json["found"] = counts.found;
  json["lost"] = counts.lost;
  json["gaps"] = counts.gaps;
  json["stopped"] = counts.stopped;
  json["particles"] = settings.particles;
  json["layers"] = settings.layers;
  json["points"] = options.foreground.points;
  json["fps"] = fps;
  for (const auto& [stage, ms] : counts.ms) json["ms"][stage] = ms;
  json["results"] = {{"out", options.out}};
  print_json(json);
}

// Outputs that would write into each other, or into what they do not say.
void check_outputs(const Options& options) {
  if (!options.csv.empty() && std::filesystem::path(options.csv).extension() != ".csv") {
    throw Error(fmt::format("{}: --csv writes a table: give a name that ends in .csv", options.csv));
  }
  std::map<std::filesystem::path, const char*> places;
  for (const auto& [flag, file] : {std::pair{"--out", &options.out},
                                   {"--csv", &options.csv},
                                   {"--bvh", &options.bvh},
                                   {"--overlay", &options.overlay}}) {
    std::error_code ignored;
    if (file->empty() || std::filesystem::is_character_file(*file, ignored)) continue;
    const auto [other, first] = places.emplace(weakly_canonical(absolute(std::filesystem::path(*file)), ignored), flag);
    if (!first) throw Error(fmt::format("{}: {} and {} name the same file", *file, other->second, flag));
  }
}

void run(Options options) {
  check_outputs(options);
  const Backend backend = choose(options.common.backend);
  body::TrackerSettings& settings = options.tracker;
  settings.likelihood.threads = options.common.threads;
  settings.likelihood.free_space = !options.no_free_space;
  settings.seed = options.common.seed;
  options.foreground.planes = !options.no_planes;
  body::fill_in(settings, backend);
  options.foreground.points = settings.points;
  options.foreground.background_points = std::max<std::size_t>(1, settings.points / 2);  // 0 would be all

  options.recording.colour = !options.overlay.empty();
  const std::unique_ptr<io::Recording> recording = io::open_recording(options.input, options.recording);
  const Person who = person(options, *recording);
  settings.fit_shape = !who.measured && !options.no_shape;
  const std::unique_ptr<body::Tracker> tracker = body::make_tracker(who.skeleton, settings, backend);
  if (options.init != "auto") tracker->start(io::read_pose(options.init, who.skeleton));

  Sinks sinks(options, *recording, who.skeleton);
  const Counts counts = follow(options, *recording, *tracker, sinks);
  sinks.commit(tracker->skeleton());
  report(options, counts, backend, settings);
  if (counts.frames > 0 && counts.found == 0) {
    throw Error(fmt::format("no person was found in {} frames; {} says why for each", counts.frames, options.out),
                Error::Cause::running);
  }
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
  verb.add_option("--near", options.foreground.nearest, "Nothing nearer is the person, metres")
      ->type_name("M")
      ->capture_default_str();
  verb.add_option("--far", options.foreground.farthest, "Nothing further is the person, metres")
      ->type_name("M")
      ->capture_default_str();
  verb.add_flag("--no-planes", options.no_planes, "Do not look for floor and walls");
  verb.add_option("--start", options.start, "Number of the first frame")
      ->type_name("N")
      ->check(CLI::Range(0L, 1L << 52).description(""));
  verb.add_option("--frames", options.frames, "At most so many frames; 0: all")
      ->type_name("N")
      ->check(CLI::Range(0L, 1L << 52).description(""));
}

void add_tracker_options(CLI::App& verb, Options& options) {
  body::TrackerSettings& tracker = options.tracker;
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
  verb->add_option("--out", options->out, "Joints, deviations and angles of each frame")
      ->type_name("poses.jsonl")
      ->required();
  verb->add_option("--csv", options->csv, "The same as a table")->type_name("poses.csv");
  verb->add_option("--bvh", options->bvh, "The same as an animation")->type_name("out.bvh");
  verb->add_option("--overlay", options->overlay, "Skeleton and skin over the frames: a video, or PNGs in a folder")
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
  add_common_options(*verb, options->common);
  verb->callback([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

}  // namespace kinema::app
