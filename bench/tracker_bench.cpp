#include "bench/tracker_bench.h"

#include "bench/tracker_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

namespace kinema::bench {
namespace {

constexpr double frame_seconds = 1.0 / 30;
constexpr double step_seconds = 1.1;     // of a walk, left and right
constexpr std::size_t first_frames = 5;  // which find memory cold
constexpr double longest_ms = 8e3;

// What is measured of each backend. Rivals are looked at on the host, whatever the backend.
struct Variant {
  body::Association association;
  bool rivals;
};
constexpr Variant variants[] = {
    {body::Association::nearest, false}, {body::Association::first_hit, false}, {body::Association::first_hit, true}};

body::TrackerSettings settings_for(Backend backend, const Variant& variant) {
  body::TrackerSettings settings;
  settings.fit_shape = false;
  settings.likelihood.association = variant.association;
  if (!variant.rivals) settings.rivals = 0;
  if (backend == Backend::cuda) {
    settings.particles = 2000;
    settings.layers = 5;
  }
  return settings;
}

TrackerRow track(Backend backend, const Variant& variant, int threads, std::uint64_t seed,
                 const std::vector<body::Pose>& poses, const std::vector<SeenPerson>& frames,
                 const body::Skeleton& skeleton) {
  body::TrackerSettings settings = settings_for(backend, variant);
  body::fill_in(settings, backend);
  settings.likelihood.threads = threads;
  settings.seed = seed;
  const auto tracker = body::make_tracker(skeleton, settings, backend);
  tracker->start(poses[0]);

  TrackerRow row;
  row.backend = std::string(name(backend));
  row.association = variant.association;
  row.particles = settings.particles;
  row.layers = settings.layers;
  row.refined = settings.refined;
  row.refine_steps = settings.refine_steps;
  row.rivals = settings.rivals;
  std::vector<double> wall, person, background;
  std::map<std::string, std::vector<double>> stages;
  std::vector<std::string> order;
  double total = 0, error = 0;
  std::size_t joints = 0;
  for (std::size_t f = 0; f < frames.size() && (f < 2 * first_frames || total < longest_ms); ++f) {
    const auto start = std::chrono::steady_clock::now();
    const body::Estimate estimate = tracker->track({frame_seconds * static_cast<double>(f), frames[f].view()});
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    total += ms;
    if (!estimate.found) ++row.lost;
    if (f < first_frames) continue;
    wall.push_back(ms);
    person.push_back(static_cast<double>(frames[f].person));
    background.push_back(static_cast<double>(frames[f].background.size() - frames[f].person));
    for (const StageTime& time : estimate.times) {
      if (stages[time.stage].empty()) order.push_back(time.stage);
      stages[time.stage].push_back(time.ms);
    }
    if (!estimate.found) continue;
    const std::vector<Vec3> truth = body::joint_positions(skeleton, poses[f]);
    for (std::size_t j = 0; j < truth.size(); ++j) {
      error += std::hypot(estimate.joints[j].x - truth[j].x, estimate.joints[j].y - truth[j].y,
                          estimate.joints[j].z - truth[j].z);
      ++joints;
    }
  }
  row.frames = wall.size();
  row.points = static_cast<std::size_t>(quantile(person, 0.5));
  row.background = static_cast<std::size_t>(quantile(background, 0.5));
  row.ms = spread(wall);
  double sum = 0;
  for (double ms : wall) sum += ms;
  row.frames_per_second = sum > 0 ? 1e3 * static_cast<double>(wall.size()) / sum : 0;
  for (const std::string& stage : order) row.stages.push_back({stage, quantile(stages[stage], 0.5)});
  row.joint_error = joints > 0 ? error / static_cast<double>(joints) : 0;
  return row;
}

}  // namespace

std::vector<TrackerRow> measure_tracker(const std::vector<std::string>& backends, int threads, std::uint64_t seed,
                                        std::size_t frames, const std::function<void(const std::string&)>& progress) {
  std::vector<Backend> chosen;
  for (const Backend backend : {Backend::cpu, Backend::cuda}) {
    const bool wanted =
        backends.empty() || std::find(backends.begin(), backends.end(), name(backend)) != backends.end();
    if (wanted && available(backend)) chosen.push_back(backend);
  }
  if (chosen.empty()) return {};

  const body::Skeleton skeleton = body::default_human();
  std::vector<body::Pose> poses;
  std::vector<SeenPerson> seen;
  for (std::size_t f = 0; f < frames; ++f) {
    const double phase = 2 * 3.14159265358979323846 * frame_seconds * static_cast<double>(f) / step_seconds;
    poses.push_back(walking_pose(skeleton, phase));
    seen.push_back(see_person(skeleton, poses.back(), person_camera(), 0.005, 5000, seed + f));
  }
  std::vector<TrackerRow> rows;
  for (const Backend backend : chosen) {
    if (progress) progress(fmt::format("bench body: the tracker on {}", name(backend)));
    for (const Variant& variant : variants) {
      rows.push_back(track(backend, variant, threads, seed, poses, seen, skeleton));
    }
  }
  return rows;
}

}  // namespace kinema::bench
