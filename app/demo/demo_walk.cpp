#include "app/demo/demo.h"

#include "app/options/progress.h"
#include "core/stopwatch.h"
#include "io/files/output_file.h"
#include "io/motion/bvh.h"
#include "io/overlays/overlay.h"
#include "io/pictures/image_file.h"
#include "kinema/error.h"
#include "synth/motion.h"
#include "synth/simulation.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace kinema::app {
namespace {

constexpr double walk_fps = 30;
constexpr int shot_width = 240;

void simulate(const WalkSettings& settings, synth::Mode mode) {
  // the clip first, so that the commands on the page find it
  const std::filesystem::path clip = settings.folder / "motion.bvh";
  io::write_file(clip, walk_clip());

  const io::Bvh bvh = io::read_bvh(clip);
  const synth::Motion motion(bvh, {.metres_per_unit = io::guess_metres_per_unit(bvh)});
  std::vector<synth::Figure> figures;
  const auto longest = static_cast<std::size_t>(std::floor((motion.duration() + 1e-3) * walk_fps)) + 1;
  for (std::size_t i = 0; i < std::min(settings.frames, longest); ++i) {
    figures.push_back(motion.at(static_cast<double>(i) / walk_fps));
  }
  synth::SimulationSettings camera;
  camera.mode = mode;
  camera.sensor.seed = settings.seed;
  const synth::Simulation simulation(std::move(figures), camera);
  const io::SimulatedRecording recording(settings.folder / "walk", simulation.kinds(), true);
  Progress progress("simulating", simulation.frames(), true);
  simulation.write(recording, settings.compute.threads, [&](std::size_t done) { progress.show(done); });
  recording.write_truth(simulation.truth(), walk_fps);
  recording.write_camera(camera.camera, walk_fps, mode == synth::Mode::depth ? std::optional(0.001) : std::nullopt,
                         std::nullopt);
}

// An upright crop of the overlay around the person, without the caption, for the page.
io::Picture cut_out(const io::Picture& picture, const body::Estimate& estimate, const Camera& camera) {
  double centre = picture.width / 2.0;
  if (estimate.found) {
    const Vec3& root = estimate.joints.front();
    centre = (camera.fx * root.x / root.z + camera.cx) * picture.width / camera.width;
  }
  const int height = picture.height * 96 / 100, width = std::min(picture.width, height * 45 / 100);
  const int left = std::clamp(static_cast<int>(centre) - width / 2, 0, picture.width - width);
  io::Picture part{width, height, {}};
  for (int y = 0; y < height; ++y) {
    const auto from = picture.bgr.begin() + 3 * (static_cast<std::ptrdiff_t>(y) * picture.width + left);
    part.bgr.insert(part.bgr.end(), from, from + 3 * static_cast<std::ptrdiff_t>(width));
  }
  return io::resized(part, shot_width, height * shot_width / width);
}

}  // namespace

std::vector<std::string> Walk::commands() const {
  const std::string seed = settings.seed == 1 ? "" : fmt::format(" --seed {}", settings.seed);
  return {fmt::format("kinema body simulate --motion motion.bvh --mode {} --frames {} --out walk --force{}", mode,
                      settings.frames, seed),
          // a height instead of the person's own skeleton.json, which the second command would find
          fmt::format("kinema body track --input walk --height 1.65 --out poses.jsonl --bvh walk.bvh{}{}",
                      strip.empty() ? "" : " --overlay walk.mp4", seed),
          "kinema body evaluate --poses poses.jsonl --truth walk/truth.jsonl --out evaluation"};
}

Walk follow_walk(const WalkSettings& settings) {
  const bool pictures = build().opencv;
  Walk walk;
  walk.settings = settings;
  walk.mode = pictures ? "depth" : "points";
  if (!pictures) walk.no_video = "this kinema was built without OpenCV, which draws and writes pictures";
  Stopwatch watch;
  simulate(settings, pictures ? synth::Mode::depth : synth::Mode::points);
  walk.simulate_ms = watch.lap();

  const std::unique_ptr<io::Recording> recording = io::open_recording({(settings.folder / "walk").string()});
  TrackRun run;
  run.compute = settings.compute;
  run.tracker.seed = settings.seed;
  run.tracker = body::settings_for(*recording, run.tracker);
  // the person is treated as unknown, and the size is fitted
  run.tracker.skeleton = body::default_human();
  run.tracker.fit_shape = true;
  const std::string poses = (settings.folder / "poses.jsonl").string();
  run.files.poses = poses;
  run.files.bvh = (settings.folder / "walk.bvh").string();
  const Camera& camera = recording->camera().camera;
  std::optional<Film> film;
  std::optional<io::OverlayPainter> painter;
  if (pictures) {
    film.emplace(walk, settings.folder / "walk.mp4", walk_fps, recording->size().value_or(settings.frames), "");
    painter.emplace(camera);
    run.written = [&](const io::Frame& frame, const body::Estimate& estimate) {
      const io::OverlayFrame seen{
          frame.index, frame.time, frame.colour.empty() ? nullptr : &frame.colour, frame.depth, {}};
      film->add(frame.index, frame.time, painter->draw(seen, *estimate.skeleton, estimate),
                [&](const io::Picture& overlay) { return cut_out(overlay, estimate, camera); });
    };
  }
  run.watch = settings.watch;
  walk.counts = track(*recording, run);
  if (film) film->commit();
  walk.track_ms = watch.lap();
  if (walk.counts.found == 0) {
    throw Error(fmt::format("the walking person was not found; {} says why for each frame", poses),
                Error::Cause::running);
  }
  const std::string truth = recording->truth().string();
  walk.evaluation = evaluate({poses, io::read_poses(poses)}, {truth, io::read_poses(truth)});
  return walk;
}

}  // namespace kinema::app
