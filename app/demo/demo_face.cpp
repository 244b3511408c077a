#include "app/demo/demo.h"

#include "app/face/face_sinks.h"
#include "app/options/progress.h"
#include "core/stopwatch.h"
#include "io/faces/face_model_file.h"
#include "kinema/error.h"
#include "kinema/face_tracker.h"
#include "synth/faces/faces.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace kinema::app {
namespace {

constexpr std::uint32_t training_faces = 90, test_faces = 30, clip_frames = 36;
constexpr int picture_size = 192;
constexpr double face_fps = 12;

// Synthetic faces with their images in grey; the files are in colour, for viewers.
FaceExamples synthetic_set(const FaceDemoSettings& settings, const char* name, std::uint32_t first, std::uint32_t count,
                           bool files) {
  FaceExamples set;
  set.points = synth::face_landmarks;
  const std::vector<synth::FaceShot> shots =
      synth::face_shots(settings.seed, first, count, picture_size, settings.compute.threads);
  const std::filesystem::path folder = settings.folder / "faces" / name;
  if (files) synth::write_face_set(folder, shots, first, settings.compute.threads);
  for (std::uint32_t i = 0; i < count; ++i) {
    set.images.push_back(synth::grey_of(shots[i].picture));
    set.landmarks.push_back(shots[i].landmarks);
    io::LabelledImage file;
    file.name = fmt::format("face_{:04}.png", first + i);
    file.image = folder / file.name;
    set.files.push_back(std::move(file));
  }
  return set;
}

std::shared_ptr<const face::Model> trained_model(FaceDemo& demo, const FaceExamples& examples) {
  face::TrainSettings settings;
  settings.pixels = 4096;
  settings.levels = 2;
  settings.cascade_stages = 4;
  settings.displacements = 6;
  settings.gradient = face::TrainSettings::Gradient::none;  // the sequence below does not use R
  settings.seed = demo.settings.seed;
  settings.threads = demo.settings.compute.threads;
  Progress progress("training", 1000, true);
  settings.progress = [&](std::string_view, double done) { progress.show(static_cast<std::size_t>(1000 * done)); };
  std::vector<face::Example> set;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    set.push_back({examples.images[i].view(), examples.landmarks[i], examples.files[i].name});
  }
  face::Model model = face::train(set, face::default_layout(synth::face_landmarks), settings);
  model.note = "trained on synthetic faces by kinema demo";
  demo.trained = examples.size();
  demo.pixels = model.levels.front().pixels();
  io::write_face_model(demo.settings.folder / "face.kface", model);
  // as a user's model: read back and mapped
  return std::make_shared<const face::Model>(io::read_face_model(demo.settings.folder / "face.kface"));
}

void follow_clip(FaceDemo& demo, const std::shared_ptr<const face::Model>& model, bool pictures) {
  const synth::FaceClip clip(demo.settings.seed, picture_size);
  face::TrackerSettings settings{.model = model};
  face::Tracker tracker(settings, demo.settings.compute);
  io::LandmarkWriter lines(demo.settings.folder / "face.jsonl", synth::face_landmarks);
  std::optional<Film> film;
  if (pictures) film.emplace(demo, demo.settings.folder / "face.mp4", face_fps, clip_frames, "face_");
  Progress progress("following a face", clip_frames, true);
  const std::vector<synth::FaceShot> shots = clip.frames(clip_frames, face_fps, demo.settings.compute.threads);
  bool lost = true;
  for (std::uint32_t frame = 0; frame < clip_frames; ++frame) {
    const synth::FaceShot& shot = shots[frame];
    const double time = frame / face_fps;
    const io::GreyImage grey = synth::grey_of(shot.picture);
    if (lost) {
      // replaces a face detector, which may not be installed
      face::Start start;
      start.similarity = synth::displaced_start(*model, shot.landmarks, {}, demo.settings.seed, 5000 + frame);
      tracker.start(start);
    }
    const face::Estimate face = tracker.track(grey.view(), time);
    lost = !face.found;
    ++demo.clip_frames;
    demo.clip_found += face.found;
    if (face.found) demo.clip_error += landmark_error(model->layout, face.landmarks, shot.landmarks);
    lines.add({frame, "clip", time, face.found ? &face.fit : nullptr, "lost", 0});
    if (film) {
      const std::string caption = fmt::format("{:.2f} s  quality {:.2f}", time, face.fit.quality);
      film->add(frame, time, face_overlay(shot.picture, *model, {face}, caption, "lost"),
                [](const io::Picture& whole) { return io::resized(whole, 240, 240 * whole.height / whole.width); });
    }
    if (demo.settings.watch) demo.settings.watch(frame, shot.picture, face, model);
    progress.show(frame);
  }
  if (demo.clip_found > 0) demo.clip_error /= static_cast<double>(demo.clip_found);
  lines.commit();
  if (film) film->commit();
}

}  // namespace

std::vector<std::string> FaceDemo::commands() const {
  if (strip.empty()) return {"kinema face info face.kface"};
  return {"kinema face train --images faces/train --pixels 4096 --out face.kface",
          "kinema face evaluate --model face.kface --images faces/test --out evaluation-faces",
          "kinema face fit --model face.kface --input faces/test --out face.jsonl --overlay face-overlays",
          "kinema face info face.kface --modes face-modes"};
}

FaceDemo fit_demo_faces(const FaceDemoSettings& settings) {
  const bool pictures = build().opencv;
  FaceDemo demo;
  demo.settings = settings;
  if (!pictures) demo.no_video = "this kinema was built without OpenCV, which draws and writes pictures";
  Stopwatch watch;
  const FaceExamples training = synthetic_set(settings, "train", 0, training_faces, pictures);
  const FaceExamples test = synthetic_set(settings, "test", training_faces, test_faces, pictures);
  demo.make_ms = watch.lap();
  const std::shared_ptr<const face::Model> model = trained_model(demo, training);
  demo.train_ms = watch.lap();
  FaceEvaluationSettings evaluation;
  evaluation.seed = settings.seed;
  evaluation.compute = settings.compute;
  demo.test = evaluate_faces(model, test, evaluation, nullptr, nullptr);
  watch.lap();
  follow_clip(demo, model, pictures);
  demo.clip_ms = watch.lap();
  return demo;
}

}  // namespace kinema::app
