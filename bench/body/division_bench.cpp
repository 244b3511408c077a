#include "bench/body/division_bench.h"

#include "bench/body/body_problem.h"
#include "bench/body/tracker_problem.h"
#include "bench/times.h"
#include "core/slice.h"
#include "kinema/body_filter.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

namespace kinema::bench {
namespace {

struct PointSequence {
  std::vector<body::Pose> poses;
  std::vector<SeenPerson> points;
};

PointSequence make_sequence(std::size_t frames, std::uint64_t seed) {
  const body::Skeleton skeleton = body::default_human();
  PointSequence sequence;
  for (std::size_t f = 0; f < frames; ++f) {
    const double phase = 2 * 3.14159265358979323846 * frame_seconds * static_cast<double>(f) / step_seconds;
    sequence.poses.push_back(walking_pose(skeleton, phase));
    sequence.points.push_back(see_person(skeleton, sequence.poses.back(), person_camera(), 0.005, 5000, seed + f));
  }
  return sequence;
}

body::TrackerSettings tracker_settings(const DivisionOptions& options, Backend backend) {
  body::TrackerSettings settings;
  settings.fit_shape = false;
  settings.particles = options.particles;
  settings.seed = options.seed;
  body::fill_in(settings, backend);
  return settings;
}

struct Tracked {
  std::vector<double> ms, bytes;
  Times stages;
  std::vector<double> angles;  // of all frames
};

// Whole and divided trackers take turns by frame, so that a machine whose speed drifts affects both.
std::vector<Tracked> track(const body::TrackerSettings& settings, const std::vector<Compute>& each,
                           const PointSequence& sequence) {
  std::vector<std::unique_ptr<body::Filter>> filters;
  for (const Compute& compute : each) {
    filters.push_back(body::make_filter(settings, compute));
    filters.back()->start(sequence.poses[0]);
  }
  std::vector<Tracked> all(each.size());
  for (std::size_t f = 0; f < sequence.poses.size(); ++f) {
    for (std::size_t i = 0; i < filters.size(); ++i) {
      body::Estimate estimate;
      const double ms = ms_of([&] {
        estimate = filters[i]->track({frame_seconds * static_cast<double>(f), sequence.points[f].view()});
      });
      all[i].angles.insert(all[i].angles.end(), estimate.pose.angles.begin(), estimate.pose.angles.end());
      if (f < first_frames && sequence.poses.size() > first_frames) continue;
      all[i].ms.push_back(ms);
      all[i].bytes.push_back(static_cast<double>(estimate.exchanged_bytes));
      all[i].stages.add(ms, estimate.times);
    }
  }
  return all;
}

struct Sizes {
  std::size_t points, samples, frames;
};

Sizes sizes_of(const DivisionOptions& options, Backend backend) {
  const bool gpu = backend == Backend::cuda;
  const auto or_else = [](std::size_t given, std::size_t otherwise) { return given > 0 ? given : otherwise; };
  const int frames = options.frames > 0 ? options.frames : gpu ? (options.quick ? 25 : 100) : options.quick ? 7 : 15;
  return {or_else(options.points, gpu ? 43000 : 10000), or_else(options.samples, gpu ? 14000 : 500),
          static_cast<std::size_t>(frames)};
}

body::CapsulesView some_samples(const BodyProblem& problem, Slice slice) {
  return {problem.capsules.data() + slice.begin * person_capsules * body::capsule_floats, slice.size(), person_capsules,
          body::capsule_floats};
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

DivisionRow divide_likelihood(const DivisionOptions& options, Backend backend, const Sizes& sizes, double seconds) {
  const BodyProblem problem = make_body_problem(sizes.points, sizes.samples, options.seed);
  const auto whole = body::make_likelihood({}, {backend, options.threads});
  const auto divided = body::make_likelihood({}, {backend, options.threads, options.devices});
  std::vector<double> one(sizes.samples), other(sizes.samples);
  Times whole_times, divided_times;
  for (const auto& likelihood : {whole.get(), divided.get()}) {
    likelihood->set_points({problem.points.data(), sizes.points});
    likelihood->evaluate(some_samples(problem, {0, sizes.samples}), one);  // warm
  }
  const double turn_ms = seconds * 1e3 / rounds;
  const body::CapsulesView all = some_samples(problem, {0, sizes.samples});
  for (std::size_t round = 0; round < rounds; ++round) {
    take_turn(
        whole_times, turn_ms, 200, [&] { whole->evaluate(all, one); }, [&] { return whole->times(); });
    take_turn(
        divided_times, turn_ms, 200, [&] { divided->evaluate(all, other); }, [&] { return divided->times(); });
  }
  return {"likelihood",
          sizes.points,
          sizes.samples,
          options.devices.size(),
          whole_times.wall(),
          divided_times.wall(),
          whole_times.stages(),
          divided_times.stages(),
          0,
          one == other};
}

DivisionRow divide_tracker(const DivisionOptions& options, Backend backend, const Sizes& sizes) {
  const PointSequence sequence = make_sequence(sizes.frames, options.seed);
  const body::TrackerSettings settings = tracker_settings(options, backend);
  const std::vector<Tracked> found =
      track(settings, {{backend, options.threads}, {backend, options.threads, options.devices}}, sequence);
  return {"tracked frame",          sequence.points[0].view().size,
          settings.particles,       options.devices.size(),
          spread(found[0].ms),      spread(found[1].ms),
          found[0].stages.stages(), found[1].stages.stages(),
          mean(found[1].bytes),     found[0].angles == found[1].angles};
}

// 1, 2, 4 ... and all.
std::vector<int> rank_counts(int all) {
  std::set<int> counts = {all};
  for (int n = 1; n < all; n *= 2) counts.insert(n);
  return {counts.begin(), counts.end()};
}

// The median over repeats of the time that the slowest rank takes. Ranks from `ranks` on only wait.
Spread time_together(const Crew& crew, int ranks, std::size_t repeats, const std::function<void()>& work) {
  std::vector<double> ms;
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    crew.most(0);
    const double own = crew.rank < ranks ? ms_of(work) : 0;
    const double slowest = crew.most(own);
    if (repeat > 0 || repeats == 1) ms.push_back(slowest);  // the first is cold
  }
  return spread(ms);
}

}  // namespace

DivisionReport measure_division(const DivisionOptions& options,
                                const std::function<void(const std::string&)>& progress) {
  if (options.devices.empty()) throw Error("devices: none given to divide the work among");
  DivisionReport report;
  begin_run(options, 1, 0.25, report);
  report.backend = choose(options.backend);
  report.devices = options.devices;
  report.one_device =
      report.backend != Backend::cuda || std::set<int>(options.devices.begin(), options.devices.end()).size() == 1;
  const Sizes sizes = sizes_of(options, report.backend);
  if (progress) progress(fmt::format("bench body: {} points x {} samples in parts", sizes.points, sizes.samples));
  report.rows.push_back(divide_likelihood(options, report.backend, sizes, report.seconds));
  if (progress) progress(fmt::format("bench body: {} tracked frames in parts", sizes.frames));
  report.rows.push_back(divide_tracker(options, report.backend, sizes));
  return report;
}

DivisionReport measure_scaling(const DivisionOptions& options, const Crew& crew,
                               const std::function<void(const std::string&)>& progress) {
  DivisionReport report;
  begin_run(options, 1, 0.25, report);
  report.backend = choose(options.backend);
  report.ranks = crew.count;
  const Sizes sizes = sizes_of(options, report.backend);
  const std::size_t each = std::max<std::size_t>(1, sizes.samples / static_cast<std::size_t>(crew.count));
  const BodyProblem problem = make_body_problem(sizes.points, sizes.samples, options.seed);
  const Compute compute(report.backend, options.threads);
  const auto likelihood = body::make_likelihood({}, compute);
  likelihood->set_points({problem.points.data(), sizes.points});
  const PointSequence sequence = make_sequence(sizes.frames, options.seed);
  const std::size_t repeats = options.quick ? 4 : 10;

  for (const std::string scaling : {"strong", "weak"}) {
    const bool weak = scaling == "weak";
    std::optional<double> likelihood_ms, frame_ms;  // of one rank
    for (int ranks : rank_counts(crew.count)) {
      if (progress && crew.rank == 0) progress(fmt::format("bench body: {} scaling, ranks: {}", scaling, ranks));
      const auto r = static_cast<std::size_t>(ranks);
      ScalingRow row{scaling, "likelihood", ranks, sizes.points, weak ? each * r : sizes.samples, {}, 1, 0};
      const Slice slice = crew.rank < ranks ? slice_of(row.samples, crew.rank, ranks) : Slice{};
      std::vector<double> out(slice.size());
      row.ms = time_together(crew, ranks, repeats, [&] { likelihood->evaluate(some_samples(problem, slice), out); });
      if (!likelihood_ms) likelihood_ms = row.ms.median;
      row.efficiency = *likelihood_ms / row.ms.median / (weak ? 1 : ranks);
      report.scaling.push_back(row);

      body::TrackerSettings tracker = tracker_settings(options, report.backend);
      if (weak) tracker.particles *= r;
      ScalingRow frame{scaling, "tracked frame", ranks, sequence.points[0].view().size, tracker.particles, {}, 1, 0};
      crew.share(ranks, [&](const body::ShareLikelihood& share) {
        tracker.share_weighing = share;
        const Tracked tracked = track(tracker, {compute}, sequence).front();
        frame.ms = spread(tracked.ms);
        frame.bytes = mean(tracked.bytes);
      });
      if (!frame_ms) frame_ms = frame.ms.median;
      frame.efficiency = frame.ms.median > 0 ? *frame_ms / frame.ms.median / (weak ? 1 : ranks) : 0;
      report.scaling.push_back(frame);
    }
  }
  return report;
}

}  // namespace kinema::bench
