#include "app/demo/demo.h"

#include "core/stopwatch.h"
#include "io/faces/filter_json.h"
#include "io/files/output_file.h"
#include "io/overlays/head_overlay.h"
#include "io/pictures/image_file.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace kinema::app {
namespace {

constexpr std::size_t still_frames = 20;

// Frames as they are generated, without files.
class ClipSource final : public io::Source {
public:
  ClipSource(const synth::HeadClip& clip, std::size_t frames, std::filesystem::path folder)
      : Source(io::SourceKind::sequence), clip_(clip), frames_(frames), folder_(std::move(folder)) {
    fps_ = clip.settings().fps;
  }

  std::optional<std::size_t> size() const override { return frames_; }

private:
  bool read(io::Frame& frame) override {
    if (at_ == frames_) return false;
    frame = {.index = static_cast<long>(at_),
             .time = static_cast<double>(at_) / fps_,
             .name = fmt::format("{:06}.png", at_),
             .colour = clip_.picture(at_)};
    if (!folder_.empty()) io::write_picture_png(folder_ / frame.name, frame.colour);
    ++at_;
    return true;
  }

  const synth::HeadClip& clip_;
  std::size_t frames_, at_ = 0;
  std::filesystem::path folder_;
};

head::Oval oval_of(const synth::HeadTruth& truth) { return {truth.x, truth.y, truth.rx, truth.ry}; }

// Whole pixels, as if drawn by hand.
head::Oval rounded(const head::Oval& oval) {
  return {std::round(oval.cx), std::round(oval.cy), std::round(oval.rx), std::round(oval.ry)};
}

head::Calibration calibrated(const synth::HeadClip& clip) {
  const io::Frame first{.colour = clip.picture(0)};
  const ColourView view = first.view();
  const head::Oval oval = rounded(oval_of(clip.truth(0)));
  head::CalibrationSettings settings;
  settings.distance = clip.truth(0).distance;
  settings.field_of_view = clip.settings().field_of_view;
  head::Calibration calibration = head::calibrate({&view, 1}, {&oval, 1}, settings);
  calibration.filter.camera = "head/000000.png";
  calibration.filter.light = "synthetic";
  return calibration;
}

void write_boxes(const std::filesystem::path& path, const synth::HeadClip& clip, std::size_t frames) {
  io::OutputFile file(path);
  for (std::size_t i = 0; i < frames; ++i) {
    const synth::HeadTruth t = clip.truth(i);
    // corners count from 1, and a box's width counts its pixels
    file.write(fmt::format("{:.3f},{:.3f},{:.3f},{:.3f}\n", t.x - t.rx + 1.5, t.y - t.ry + 1.5, 2 * t.rx, 2 * t.ry));
  }
  file.commit();
}

// How much the camera's noise moves the estimate of a head at rest.
std::optional<double> jitter_at_rest(const HeadDemo& demo, head::TrackerSettings tracker_settings) {
  synth::HeadClipSettings settings;
  settings.moves = false;
  settings.seed = demo.settings.seed;
  const synth::HeadClip clip(settings);
  tracker_settings.calibration = calibrated(clip);
  head::Tracker tracker(tracker_settings, demo.settings.compute);
  HeadPath path;
  for (std::size_t i = 0; i < std::min(still_frames, std::max<std::size_t>(3, demo.settings.frames)); ++i) {
    const io::Frame frame{.colour = clip.picture(i)};
    const head::Estimate estimate = tracker.track(frame.view(), static_cast<double>(i) / settings.fps);
    path.add(static_cast<double>(i), estimate.found ? std::optional(std::pair{estimate.x, estimate.y}) : std::nullopt);
  }
  return jitter(path);
}

}  // namespace

std::vector<std::string> HeadDemo::commands() const {
  return {
      fmt::format("kinema head calibrate --input head/000000.png --oval {} --out filter.json", oval),
      fmt::format("kinema head track --input head --fps 30 --filter filter.json --reference-distance 0.6 --fov 60.16 "
                  "--truth head-boxes.txt --out head.csv{}",
                  no_video.empty() ? " --overlay head.mp4" : "")};
}

HeadDemo follow_head(const HeadDemoSettings& settings) {
  const bool pictures = build().opencv;
  HeadDemo demo;
  demo.settings = settings;
  synth::HeadClipSettings camera;
  camera.seed = settings.seed;
  const synth::HeadClip clip(camera);
  write_boxes(settings.folder / "head-boxes.txt", clip, settings.frames);
  if (pictures) io::make_folder(settings.folder / "head");

  Stopwatch watch;
  HeadRun run;
  run.tracker.calibration = calibrated(clip);
  demo.calibrate_ms = watch.lap();
  demo.score = run.tracker.calibration.filter.score;
  const head::Oval oval = run.tracker.calibration.head->oval;
  demo.oval = fmt::format("{},{},{},{}", oval.cx, oval.cy, oval.rx, oval.ry);
  demo.face_px = 2 * clip.truth(0).rx;
  io::write_filter(settings.folder / "filter.json", run.tracker.calibration);

  run.compute = settings.compute;
  run.outputs.table = (settings.folder / "head.csv").string();
  demo.no_video = pictures ? "" : "this kinema was built without OpenCV, which draws and writes pictures";
  HeadPath path;
  std::vector<io::HeadBox> truth;
  double sum_px = 0, sum_distance = 0;
  const head::Tracker* tracker = nullptr;
  std::optional<Film> film;
  io::HeadPainter painter;
  if (pictures) film.emplace(demo, settings.folder / "head.mp4", clip.settings().fps, settings.frames, "head-");
  run.started = [&](const head::Tracker& made) { tracker = &made; };
  run.watch = [&](const io::Frame& frame, const head::Estimate& estimate) {
    const synth::HeadTruth at = clip.truth(static_cast<std::size_t>(frame.index));
    truth.push_back({at.x - at.rx + 0.5, at.y - at.ry + 0.5, 2 * at.rx, 2 * at.ry});
    path.add(frame.time, estimate.found ? std::optional(std::pair{estimate.x, estimate.y}) : std::nullopt);
    const double error = estimate.found ? std::hypot(estimate.x - at.x, estimate.y - at.y) : -1;
    demo.error_px.push_back(error);
    if (estimate.found) {
      sum_px += error;
      demo.worst_px = std::max(demo.worst_px, error);
      sum_distance += std::abs(estimate.distance.value_or(0) / at.distance - 1);
    }
    if (film) {
      const io::Picture overlay =
          painter.draw(frame.colour, frame.index, frame.time, estimate,
                       [&](std::uint8_t r, std::uint8_t g, std::uint8_t b) { return tracker->degree_now(r, g, b); });
      film->add(frame.index, frame.time, overlay,
                [](const io::Picture& whole) { return io::resized(whole, 320, 320 * whole.height / whole.width); });
    }
    if (settings.watch) settings.watch(frame, estimate, *tracker);
  };
  ClipSource source(clip, settings.frames, pictures ? settings.folder / "head" : std::filesystem::path());
  demo.counts = track(source, run);
  if (film) film->commit();
  demo.track_ms = watch.lap();
  if (demo.counts.found == 0) throw Error("the synthetic head was not found", Error::Cause::running);
  const auto found = static_cast<double>(demo.counts.found);
  demo.mean_px = sum_px / found;
  demo.distance_percent = 100 * sum_distance / found;
  demo.errors = errors(path, truth);
  demo.jitter_px = jitter_at_rest(demo, run.tracker);
  return demo;
}

}  // namespace kinema::app
