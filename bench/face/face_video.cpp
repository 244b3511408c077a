#include "bench/face/face_video.h"

#include "bench/face/fitters.h"
#include "bench/times.h"
#include "core/threads.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

namespace kinema::bench {
namespace {

constexpr std::size_t clip_frames = 48, most_video_repeats = 2000;
constexpr std::size_t checked_frames = 12;  // against what was drawn: a serial program is slow
constexpr std::uint32_t clip_face = 3000;

// The paper's fit: a fixed number of iterations of algorithm 1.
face::FitSettings fit_settings(const VideoOptions& options) {
  face::FitSettings settings;
  settings.stages = {{face::Method::combined, 0, static_cast<std::uint32_t>(options.iterations), 0}};
  settings.threshold = -1;
  settings.score = false;
  return settings;
}

double mean_distance(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < a.size(); i += 2) sum += std::hypot(double{a[i]} - b[i], double{a[i + 1]} - b[i + 1]);
  return sum / static_cast<double>(std::max<std::size_t>(1, a.size() / 2));
}

// Goes round the clip.
class Follower {
public:
  Follower(std::shared_ptr<face::Fitter> fitter, const std::vector<DrawnFace>& clip)
      : fitter_(std::move(fitter)), clip_(&clip), landmarks_(clip.front().landmarks) {}

  const std::vector<float>& next() {
    face::Start start;
    start.landmarks = landmarks_;
    landmarks_ = fitter_->fit({frame().view(), start, false}).landmarks;
    at_ = (at_ + 1) % clip_->size();
    return landmarks_;
  }
  const DrawnFace& frame() const { return (*clip_)[at_]; }

private:
  std::shared_ptr<face::Fitter> fitter_;
  const std::vector<DrawnFace>* clip_;
  std::vector<float> landmarks_;
  std::size_t at_ = 0;
};

struct Runner {
  Follower follower;
  FaceVideoRow row = {};
  Times times = {};
};

}  // namespace

std::vector<DrawnFace> draw_clip(std::uint64_t seed, int threads) {
  std::vector<DrawnFace> clip(clip_frames);
  Threads(threads).for_each(clip.size(), [&](std::size_t i) {
    // up to two pixels per frame
    const double turn = 2 * std::numbers::pi * static_cast<double>(i) / clip_frames;
    DrawSettings draw;
    draw.width = 640, draw.height = 480;
    draw.x = 0.5 + 0.02 * std::cos(turn), draw.y = 0.5 + 0.02 * std::sin(2 * turn);
    clip[i] = draw_face(seed, clip_face, draw);
  });
  return clip;
}

std::vector<FaceVideoRow> measure_video(const std::shared_ptr<const face::Model>& model,
                                        const std::vector<DrawnFace>& clip, const std::vector<std::string>& backends,
                                        const VideoOptions& options) {
  const face::FitSettings settings = fit_settings(options);
  std::vector<Runner> runners;
  for (const std::string& backend : backends) {
    std::shared_ptr<face::Fitter> fitter =
        make_fitter(backend, model, settings, Compute(Backend::automatic, options.threads));
    Runner runner{Follower(std::move(fitter), clip)};
    runner.row.backend = backend;
    runner.row.pixels = model->levels[0].pixels();
    double error = 0, start_error = 0;
    for (std::size_t i = 0; i < checked_frames; ++i) {
      error += mean_distance(runner.follower.next(), clip[i].landmarks);
      start_error += mean_distance(clip.front().landmarks, clip[i].landmarks);
    }
    runner.row.error = error / checked_frames;
    runner.row.start_error = start_error / checked_frames;
    runners.push_back(std::move(runner));
  }
  for (std::size_t round = 0; round < rounds; ++round)
    for (Runner& runner : runners)
      take_turn(
          runner.times, options.seconds * 1e3 / rounds, most_video_repeats, [&] { runner.follower.next(); },
          [] { return std::vector<StageTime>{}; });
  std::vector<FaceVideoRow> rows;
  for (Runner& runner : runners) {
    runner.row.ms = runner.times.wall();
    runner.row.repeats = runner.times.count();
    rows.push_back(std::move(runner.row));
  }
  return rows;
}

std::vector<FacePicture> fitted_frames(const std::shared_ptr<const face::Model>& model,
                                       const std::vector<DrawnFace>& clip, const VideoOptions& options) {
  constexpr std::size_t shown = 6;
  std::vector<FacePicture> pictures;
  Follower follower(face::make_fitter(model, fit_settings(options), {Backend::cpu, options.threads}), clip);
  for (std::size_t i = 0; i < clip.size(); ++i) {
    const DrawnFace& frame = follower.frame();
    const std::vector<float>& landmarks = follower.next();
    if (i % std::max<std::size_t>(1, clip.size() / shown) == 0 && pictures.size() < shown)
      pictures.push_back(landmark_picture(frame, landmarks, "frame " + std::to_string(i)));
  }
  return pictures;
}

}  // namespace kinema::bench
