// kinema body simulate: a recording with truth from a motion-capture clip.
#include "app/options/options.h"
#include "app/options/progress.h"
#include "core/stopwatch.h"
#include "io/motion/bvh.h"
#include "io/recordings/simulated_recording.h"
#include "kinema/error.h"
#include "kinema/files.h"
#include "synth/motion.h"
#include "synth/simulation.h"

#include <cmath>
#include <memory>
#include <optional>

namespace kinema::app {
namespace {

struct BodySimulateOptions {
  CommonOptions common;
  std::string motion, mode, out;
  std::string unit = "auto", skip_first = "auto";
  synth::PersonSettings person;
  synth::SimulationSettings settings;
  double start = 0, fps = 30;
  int frames = 0;  // 0: to the end of the clip
  bool force = false, no_background = false, write_background = false;
};

double metres_per_unit(const BodySimulateOptions& options, const io::Bvh& bvh) {
  if (options.unit == "auto") return io::guess_metres_per_unit(bvh);
  const double value = parse_metres("--unit", options.unit);
  if (value <= 0) {
    throw Error(fmt::format("--unit is '{}': it is auto, or how many metres a unit of the file is", options.unit));
  }
  return value;
}

void check(const BodySimulateOptions& options) {
  const auto refuse = [](const char* flag, double value, const char* rule) {
    throw Error(fmt::format("{} is {}: {}", flag, value, rule));
  };
  const synth::StageSettings& stage = options.settings.stage;
  if (!(options.fps >= 0.1 && options.fps <= 1000)) refuse("--fps", options.fps, "it is from 0.1 to 1000 a second");
  if (!(options.start >= 0 && options.start < 1e6)) refuse("--start", options.start, "it is a time in seconds, from 0");
  if (!(stage.height >= 0.1 && stage.height <= 5)) {
    refuse("--camera-height", stage.height, "it is from 0.1 to 5 metres");
  }
  if (!(std::abs(stage.azimuth) <= 360)) refuse("--camera-azimuth", stage.azimuth, "it is from -360 to 360 degrees");
  if (stage.distance && !(*stage.distance >= 0.5 && *stage.distance <= 20)) {
    refuse("--camera-distance", *stage.distance, "it is from 0.5 to 20 metres");
  }
  const auto& tall = options.person.height;
  if (tall && !(*tall >= 0.7 && *tall <= 2.3)) refuse("--height", *tall, "it is from 0.7 to 2.3 metres");
  const double noise = options.settings.sensor.noise;
  if (!(noise >= 0 && noise <= 20)) refuse("--noise", noise, "it is from 0 (clean) to 20, 1: a usual sensor");
  const double baseline = options.settings.baseline;
  if (!(baseline >= 0.01 && baseline <= 1)) refuse("--baseline", baseline, "it is from 0.01 to 1 metres");
  if (options.write_background && options.mode != "depth") {
    throw Error("--write-background goes with --mode depth: the other modes have no background.png");
  }
}

std::vector<synth::Figure> figures_of(const BodySimulateOptions& options, const synth::Motion& motion) {
  // with a small tolerance, since the frame time of a file is rounded
  const double left = motion.duration() - options.start + 1e-3;
  if (left < 0) {
    throw Error(fmt::format("lasts {:.3g} s: --start {:g} is after its end", motion.duration(), options.start));
  }
  auto count = static_cast<std::size_t>(std::floor(left * options.fps)) + 1;
  if (options.frames > 0) count = std::min(count, static_cast<std::size_t>(options.frames));
  constexpr std::size_t most = 1'000'000;  // names of frames have six digits
  if (count > most) throw Error(fmt::format("gives {} frames: take a part of it with --frames", count));
  std::vector<synth::Figure> figures;
  for (std::size_t i = 0; i < count; ++i) {
    figures.push_back(motion.at(options.start + static_cast<double>(i) / options.fps));
  }
  return figures;
}

void run(const BodySimulateOptions& options) {
  check(options);
  Stopwatch watch;
  const io::Bvh bvh = io::read_bvh(options.motion);
  const double read_ms = watch.lap();

  double unit = 0;
  bool skip_first = false;
  body::Skeleton skeleton;
  double height = 0;
  std::optional<synth::Simulation> simulation;
  try {
    unit = metres_per_unit(options, bvh);
    skip_first = options.skip_first == "auto" ? synth::Motion::starts_with_rest_pose(bvh) : options.skip_first == "yes";
    if (skip_first && bvh.frames < 2) throw Error("has one frame only: give --skip-first no");
    const synth::Motion motion(bvh, {unit, skip_first, options.person});
    skeleton = motion.person().skeleton;
    height = motion.person().height;
    simulation.emplace(figures_of(options, motion), options.settings);
  } catch (const Error& error) {
    // a message about an option already names it
    const std::string what = error.what();
    throw Error(what.starts_with("--") ? what : fmt::format("{}: {}", options.motion, what), error.cause());
  }
  const double stage_ms = watch.lap();

  const io::SimulatedRecording recording(options.out, simulation->kinds(), options.force);
  {
    Progress progress("frames", simulation->frames(), true);
    simulation->write(recording, options.common.compute.threads, [&](std::size_t done) { progress.show(done); });
  }
  if (options.write_background) simulation->write_background(recording);
  recording.write_truth(simulation->truth(), options.fps);
  write_skeleton(std::filesystem::path(options.out) / "skeleton.json", skeleton);
  const bool depth = options.mode == "depth", stereo = options.mode == "stereo";
  recording.write_camera(options.settings.camera, options.fps, depth ? std::optional(0.001) : std::nullopt,
                         stereo ? std::optional(options.settings.baseline) : std::nullopt);
  const double render_ms = watch.lap();

  const synth::Stage& stage = simulation->stage();
  if (options.common.json) {
    nlohmann::ordered_json json;
    json["backend"] = "cpu";
    json["mode"] = options.mode;
    json["frames"] = simulation->frames();
    json["fps"] = options.fps;
    json["metres_per_unit"] = unit;
    json["skipped_first"] = skip_first;
    json["person"] = {{"seed", options.person.seed}, {"height", height}, {"clothes", options.person.clothes}};
    json["camera"] = {{"distance", stage.distance},
                      {"height", options.settings.stage.height},
                      {"azimuth", options.settings.stage.azimuth},
                      {"wall", stage.wall}};
    json["frames_in_view"] = simulation->frames_in_view();
    json["ms"] = {{"read", read_ms}, {"stage", stage_ms}, {"render_and_write", render_ms}};
    json["out"] = options.out;
    print_json(json);
  } else {
    fmt::print("{}: {} frames at {:g} a second, seen from {:.2f} m\n", options.out, simulation->frames(), options.fps,
               stage.distance);
  }
  if (simulation->frames_in_view() < simulation->frames()) {
    warn(stderr, "{} of {} frames show the person only in part", simulation->frames() - simulation->frames_in_view(),
         simulation->frames());
  }
}

}  // namespace

void add_body_simulate(Verb parent, Task& task) {
  auto options = std::make_shared<BodySimulateOptions>();
  Verb verb = parent.add("simulate", "Make a recording with ground truth from a motion-capture clip");
  verb.footer(
      "Writes a folder for `kinema body track --input`: frames, truth.jsonl and, last, camera.json.\n"
      "A folder without camera.json is an incomplete recording.");
  synth::SimulationSettings& settings = options->settings;
  verb.option("--motion", options->motion, "clip.bvh", "The clip: a BVH file with y up").required();
  verb.option("--mode", options->mode, "depth|stereo|points", "What is recorded")
      .one_of({"depth", "stereo", "points"})
      .required();
  verb.option("--out", options->out, "DIR", "The folder of the recording").required();
  verb.flag("--force", options->force, "Replace an existing recording");
  verb.option("--fps", options->fps, "N", "Frames per second; poses between those of the clip are interpolated [30]");
  verb.option("--frames", options->frames, "N", "At most N frames [to the end of the clip]").between(0, 1'000'000);
  verb.option("--start", options->start, "S", "Start time in the clip, in seconds [0]");
  verb.option("--skip-first", options->skip_first, "auto|yes|no",
              "Skip the first frame of the clip; auto: if it is a rest pose before the motion [auto]")
      .one_of({"auto", "yes", "no"});
  verb.option("--unit", options->unit, "auto|M",
              "Metres per unit of the clip; auto: metres, centimetres, millimetres or CMU units, from the person's "
              "size [auto]");
  verb.option("--person", options->person.seed, "N",
              "Who performs the clip: 0 a person of average proportions, other numbers people who differ in build, "
              "proportions and hair [0]")
      .between(0L, 1'000'000'000L);
  verb.length("--height", options->person.height,
              "The person's height, in metres or with a unit [from the legs of the clip]");
  verb.flag("--clothes", options->person.clothes, "Loose clothes, which stand off by up to 3 cm");
  verb.length("--camera-distance", settings.stage.distance,
              "Distance from the middle of the motion, in metres or with a unit [the smallest that keeps all of it in "
              "view]");
  verb.length("--camera-height", settings.stage.height, "Height above the floor, in metres or with a unit [1.2]");
  verb.option("--camera-azimuth", settings.stage.azimuth, "DEG",
              "Degrees around the person: 0 from the front, 90 from the person's left [15]");
  verb.length("--baseline", settings.baseline,
              "Distance between the cameras of --mode stereo, in metres or with a unit [0.12]");
  verb.option("--noise", settings.sensor.noise, "FACTOR", "Sensor noise: 1 a typical sensor, 0 none [1]");
  verb.flag("--no-background", options->no_background, "Only the person, without floor and wall");
  verb.flag("--write-background", options->write_background, "Also write background.png, the empty scene (depth)");
  add_common_options(verb, options->common);
  verb.chosen([options, &task] {
    synth::SimulationSettings& chosen = options->settings;
    chosen.background = !options->no_background;
    chosen.sensor.seed = options->common.seed;
    chosen.mode = options->mode == "depth"    ? synth::Mode::depth
                  : options->mode == "stereo" ? synth::Mode::stereo
                                              : synth::Mode::points;
    task.run = [options](const Ranks&) { run(*options); };
  });
}

}  // namespace kinema::app
