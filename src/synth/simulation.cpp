#include "synth/simulation.h"

#include "core/threads.h"
#include "synth/flesh.h"

#include <algorithm>

namespace kinema::synth {
namespace {

StageSettings stage_settings(const SimulationSettings& settings) {
  StageSettings stage = settings.stage;
  stage.baseline = settings.mode == Mode::stereo ? settings.baseline : 0;
  return stage;
}

ImageView<const std::uint16_t> view_of(const std::vector<std::uint16_t>& depth, const Camera& camera) {
  const auto width = static_cast<std::size_t>(camera.width);
  return {depth.data(), width, static_cast<std::size_t>(camera.height), width};
}

}  // namespace

Simulation::Simulation(std::vector<Figure> figures, const SimulationSettings& settings)
    : settings_(settings),
      stage_(set_stage(figures, settings.camera, stage_settings(settings))),
      figures_(std::move(figures)) {
  for (Figure& figure : figures_) figure = stage_.to_camera(figure);
}

std::size_t Simulation::frames_in_view() const {
  const double baseline = stage_settings(settings_).baseline;
  return static_cast<std::size_t>(
      std::count_if(figures_.begin(), figures_.end(), [&](const Figure& f) { return stage_.shows(f, baseline); }));
}

std::vector<std::string> Simulation::kinds() const {
  switch (settings_.mode) {
    case Mode::depth:
      return {"depth", "colour"};
    case Mode::stereo:
      return {"left", "right"};
    case Mode::points:
      break;
  }
  return {"points"};
}

View Simulation::view() const {
  View view;
  view.background = settings_.background;
  view.texture = static_cast<std::uint32_t>(settings_.sensor.seed);
  return view;
}

void Simulation::write(const io::SimulatedRecording& recording, int thread_count,
                       const std::function<void(std::size_t)>& done) const {
  const Threads threads(thread_count);
  const auto batch = static_cast<std::size_t>(std::max(1, threads.count()));
  for (std::size_t begin = 0; begin < frames(); begin += batch) {
    const std::size_t count = std::min(batch, frames() - begin);
    threads.for_each(count, [&](std::size_t i) { write_frame(recording, begin + i); });
    done(begin + count);
  }
}

void Simulation::write_frame(const io::SimulatedRecording& recording, std::size_t frame) const {
  const std::vector<Part> parts = flesh_of(figures_[frame]);
  const auto number = static_cast<std::uint32_t>(frame);
  View seen = view();
  if (settings_.mode == Mode::stereo) {
    // stereo matching has subpixel resolution, so edges must not jump by whole pixels
    seen.oversampling = 2;
    recording.write_picture("left", frame, photograph(render(stage_, parts, seen), 0, settings_.sensor, number));
    seen.eye.x = settings_.baseline;
    recording.write_picture("right", frame, photograph(render(stage_, parts, seen), 1, settings_.sensor, number));
    return;
  }
  const Rendering rendering = render(stage_, parts, seen);
  if (settings_.mode == Mode::points) {
    recording.write_points(frame, scan_points(rendering, settings_.camera, settings_.sensor, number));
    return;
  }
  const std::vector<std::uint16_t> depth = measure_depth(rendering, settings_.camera, settings_.sensor, number);
  recording.write_depth(frame, view_of(depth, settings_.camera));
  recording.write_picture("colour", frame, rendering.colour);
}

void Simulation::write_background(const io::SimulatedRecording& recording) const {
  const Rendering rendering = render(stage_, {}, view());
  // its noise is independent of the frames'
  constexpr std::uint32_t no_frame = 0xffffffff;
  const std::vector<std::uint16_t> depth = measure_depth(rendering, settings_.camera, settings_.sensor, no_frame);
  recording.write_background(view_of(depth, settings_.camera));
}

std::vector<std::vector<Vec3>> Simulation::truth() const {
  std::vector<std::vector<Vec3>> truth;
  for (const Figure& figure : figures_) {
    std::vector<Vec3> joints;
    joints.reserve(std::size(body::common_joints));
    for (std::string_view name : body::common_joints) joints.push_back(figure.joint(name));
    truth.push_back(std::move(joints));
  }
  return truth;
}

}  // namespace kinema::synth
