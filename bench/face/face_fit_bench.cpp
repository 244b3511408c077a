#include "bench/face/face_fit_bench.h"

#include "bench/face/face_problem.h"
#include "bench/times.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace kinema::bench {
namespace {

constexpr std::size_t pictures = 16, faces_at_once = 256, most_fit_repeats = 400;
constexpr std::uint32_t first_face = 2000;

struct Clip {
  std::vector<DrawnFace> drawn;
  std::vector<face::Start> starts;
};

// Other faces in each picture, or one that moves by about a pixel a frame.
Clip make_clip(std::uint64_t seed, bool film) {
  Clip clip;
  DrawSettings draw;
  draw.width = 640, draw.height = 480;
  for (std::uint32_t i = 0; i < pictures; ++i) {
    const double turn = 2 * 3.14159265358979 * i / pictures;
    if (film) draw.x = 0.5 + 0.004 * std::cos(turn), draw.y = 0.5 + 0.005 * std::sin(turn);
    clip.drawn.push_back(draw_face(seed, film ? first_face : first_face + i, draw));
    clip.starts.push_back(displaced_start(clip.drawn.back(), seed, i));
  }
  return clip;
}

struct FitRunner {
  FaceFitRow row;
  std::function<void()> once;
  std::function<std::vector<StageTime>()> stages;
  std::vector<std::vector<float>> ends;  // landmarks of the first fits
  Times times;
};

FitRunner one_face(const std::shared_ptr<face::Fitter>& fitter, const Clip& clip) {
  FitRunner runner;
  runner.row.what = "one face";
  for (std::size_t i = 0; i < pictures; ++i) {
    const face::Fit fit = fitter->fit({clip.drawn[i].view(), clip.starts[i], false});
    runner.row.iterations += fit.iterations / static_cast<double>(pictures);
    runner.ends.push_back(fit.landmarks);
  }
  runner.once = [fitter, &clip, next = std::size_t{0}]() mutable {
    const std::size_t i = next++ % pictures;
    fitter->fit({clip.drawn[i].view(), clip.starts[i], false});
  };
  runner.stages = [fitter] { return fitter->times(); };
  return runner;
}

FitRunner many_faces(const std::shared_ptr<face::Fitter>& fitter, const Clip& clip) {
  FitRunner runner;
  runner.row.what = "batch";
  runner.row.faces = faces_at_once;
  std::vector<face::Face> faces;
  for (std::size_t i = 0; i < faces_at_once; ++i)
    faces.push_back({clip.drawn[i % pictures].view(), clip.starts[i % pictures], false});
  auto fits = std::make_shared<std::vector<face::Fit>>(faces_at_once);
  fitter->fit(faces, *fits);
  for (std::size_t i = 0; i < pictures; ++i) {
    runner.row.iterations += (*fits)[i].iterations / static_cast<double>(pictures);
    runner.ends.push_back((*fits)[i].landmarks);
  }
  runner.once = [fitter, faces, fits] { fitter->fit(faces, *fits); };
  runner.stages = [fitter] { return fitter->times(); };
  return runner;
}

FitRunner film(const std::shared_ptr<face::Fitter>& fitter, const Clip& clip) {
  FitRunner runner;
  runner.row.what = "film";
  auto last = std::make_shared<face::Fit>(fitter->fit({clip.drawn[0].view(), clip.starts[0], false}));
  const auto follow = [fitter, &clip, last](std::size_t i) {
    face::Start start;
    start.landmarks = last->landmarks;
    fitter->expect({clip.drawn[(i + 1) % pictures].view(), {}, false});
    *last = fitter->fit({clip.drawn[i].view(), start, false});
  };
  for (std::size_t i = 1; i < pictures; ++i) {
    follow(i);
    runner.row.iterations += last->iterations / static_cast<double>(pictures - 1);
    runner.ends.push_back(last->landmarks);
  }
  runner.once = [follow, next = std::size_t{0}]() mutable { follow(next++ % pictures); };
  runner.stages = [fitter] { return fitter->times(); };
  return runner;
}

// Medians over the clip of what a backend reports for one face.
std::vector<StageTime> median_stages(face::Fitter& fitter, const Clip& clip) {
  Times times;
  for (std::size_t i = 0; i < 5 * pictures; ++i) {
    fitter.fit({clip.drawn[i % pictures].view(), clip.starts[i % pictures], false});
    if (i >= pictures) times.add(0, fitter.times());
  }
  return times.stages();
}

// Where the time of one face goes. A GPU runs all stages as one graph: it is timed with the first stage alone, with the first
// two, and so on, and what each adds is its own.
std::vector<StageTime> parts_of(const std::shared_ptr<const face::Model>& model, const face::FitSettings& settings,
                                Backend backend, const Clip& clip, const FaceFitRow& row) {
  const auto stage = [](const std::vector<StageTime>& stages, const std::string& wanted) {
    return stage_ms(stages, wanted).value_or(0);
  };
  std::vector<StageTime> parts;
  double sum = 0;
  for (std::size_t i = 0; i <= model->sequence.size(); ++i) {
    const bool score = i == model->sequence.size();
    double ms = 0;
    if (backend == Backend::cuda) {
      face::FitSettings with = settings;
      with.stages = model->sequence;
      if (!score) with.stages.resize(i + 1);
      with.score = score;
      ms = std::max(0.0, stage(median_stages(*face::make_fitter(model, with, backend), clip), "device") - sum);
    } else {
      ms = stage(row.stages, score ? "score" : fmt::format("stage {}", i + 1));
    }
    parts.push_back({score ? "score" : std::string(name(model->sequence[i].method)), ms});
    sum += ms;
  }
  parts.push_back({backend == Backend::cuda ? "copies and host" : "rest", std::max(0.0, row.ms.median - sum)});
  return parts;
}

}  // namespace

std::vector<FaceFitRow> measure_default_fit(const std::shared_ptr<const face::Model>& model,
                                            const FaceFitOptions& options) {
  if (model->shape.landmarks() != face_landmarks)
    throw Error(fmt::format("a model of {} landmarks cannot be timed: the faces that are drawn have {}",
                            model->shape.landmarks(), face_landmarks));
  const Clip faces = make_clip(options.seed, false), frames = make_clip(options.seed, true);
  const face::FitSettings settings;
  std::vector<FitRunner> runners;
  for (const Backend backend : {Backend::cpu, Backend::cuda}) {
    if (!available(backend)) continue;
    std::shared_ptr<face::Fitter> fitter = face::make_fitter(model, settings, {backend, options.threads});
    for (FitRunner runner : {one_face(fitter, faces), many_faces(fitter, faces), film(fitter, frames)}) {
      runner.row.backend = name(backend);
      runners.push_back(std::move(runner));
    }
  }
  for (std::size_t round = 0; round < rounds; ++round)
    for (FitRunner& runner : runners)
      take_turn(runner.times, options.seconds * 1e3 / rounds, most_fit_repeats, runner.once, runner.stages);
  std::vector<FaceFitRow> rows;
  for (FitRunner& runner : runners) {
    FaceFitRow row = runner.row;
    const double each = 1 / static_cast<double>(row.faces);
    row.repeats = runner.times.count();
    row.ms = runner.times.wall(each);
    row.stages = runner.times.stages(each);
    for (const FitRunner& cpu : runners)
      if (cpu.row.backend == name(Backend::cpu) && cpu.row.what == row.what)
        for (std::size_t i = 0; i < std::min(cpu.ends.size(), runner.ends.size()); ++i)
          row.landmark_error = std::max(row.landmark_error, farthest(cpu.ends[i], runner.ends[i]));
    if (row.what == "one face") row.parts = parts_of(model, settings, parse_backend(row.backend), faces, row);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace kinema::bench
