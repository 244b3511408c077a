#include "bench/body/body_bench.h"

#include "bench/body/body_implementations.h"
#include "bench/body/body_problem.h"
#include "bench/body/matcher_bench.h"
#include "bench/body/tracker_bench.h"
#include "bench/pinned.h"
#include "bench/times.h"
#include "core/slice.h"
#include "core/threads.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

namespace kinema::bench {
namespace {

using body::Association;
using body::CapsulesView;
using body::Likelihood;

constexpr std::size_t fewest_batchs = 3;        // sample 0, the true pose, is atypical
constexpr std::size_t most_error_samples = 16;  // where not all of them are compared
constexpr double serial_turns = 4;  // the sequential program, which the speed-ups refer to, is timed for longer

// An implementation with its measurements at the current size.
struct BodyRunner {
  Implementation implementation;
  std::unique_ptr<Likelihood> likelihood;
  Times set_points_times;
  CapsulesView capsules;  // those used for timing
  std::vector<double> log_likelihood;
  Times times;

  void evaluate() { likelihood->evaluate(capsules, log_likelihood); }
  double turn_ms(double usual) const { return implementation.serial() ? serial_turns * usual : usual; }

  // On one core where the program is sequential.
  void take_turn(double usual_ms) {
    std::optional<Pinned> pinned;
    if (implementation.serial()) pinned.emplace();
    bench::take_turn(
        times, turn_ms(usual_ms), most_turn_repeats, [&] { evaluate(); }, [&] { return likelihood->times(); });
  }
};

CapsulesView first_samples(const BodyProblem& problem, std::size_t count) {
  return {problem.capsules.data(), count, person_capsules, body::capsule_floats};
}

// Warms a backend up, and determines how many samples are timed: all, or as many as fit into its turn.
void prepare(BodyRunner& runner, const BodyProblem& problem, std::size_t samples, double turn_ms) {
  const auto use = [&](std::size_t count) {
    runner.capsules = first_samples(problem, count);
    runner.log_likelihood.assign(count, 0);
  };
  runner.times = {};
  const std::size_t batch = runner.implementation.batch;
  use(runner.implementation.scaled ? std::min(samples, batch) : samples);
  const double probe_ms = ms_of([&] { runner.evaluate(); });
  if (!runner.implementation.scaled) return;
  const double fit = std::min(turn_ms / std::max(probe_ms, 1e-3), static_cast<double>(samples));
  use(std::min(samples, batch * std::max(fewest_batchs, static_cast<std::size_t>(fit))));
}

// The reference's log-likelihood of the first samples, or of all, by association: the baseline of errors.
class Oracle {
public:
  Oracle(const body::LikelihoodSettings& settings, double budget_ms, int threads)
      : settings_(settings), budget_ms_(budget_ms), threads_(threads) {}

  void set_problem(const BodyProblem& problem, bool all) {
    problem_ = &problem;
    all_ = all;
    for (auto& values : values_) values.clear();
  }
  bool all() const { return all_; }

  const std::vector<double>& values(Association association) {
    std::vector<double>& values = values_[association == Association::first_hit ? 1 : 0];
    if (!values.empty()) return values;
    body::LikelihoodSettings settings = settings_;
    settings.association = association;
    const auto make = [&] {
      auto reference = body::make_likelihood(settings, Backend::reference);
      reference->set_points({problem_->points.data(), problem_->points.size() / 3});
      return reference;
    };
    const std::size_t held = problem_->capsules.size() / (person_capsules * body::capsule_floats);
    if (all_) {
      values.resize(held);
      const auto parts = static_cast<std::size_t>(threads_.count());
      threads_.for_each(parts, [&](std::size_t part) {
        const Slice own = slice_of(held, static_cast<int>(part), static_cast<int>(parts));
        if (own.size() == 0) return;
        make()->evaluate(
            {first_samples(*problem_, held).row(own.begin), own.size(), person_capsules, body::capsule_floats},
            std::span(values).subspan(own.begin, own.size()));
      });
      return values;
    }
    const auto reference = make();
    double spent = 0;
    while (values.size() < std::min(held, most_error_samples) && (values.size() < 2 || spent < budget_ms_)) {
      const CapsulesView one{first_samples(*problem_, held).row(values.size()), 1, person_capsules,
                             body::capsule_floats};
      double value = 0;
      spent += ms_of([&] { reference->evaluate(one, {&value, 1}); });
      values.push_back(value);
    }
    return values;
  }

private:
  body::LikelihoodSettings settings_;
  double budget_ms_;
  Threads threads_;
  const BodyProblem* problem_ = nullptr;
  bool all_ = false;
  std::vector<double> values_[2];
};

BodyRow make_row(BodyRunner& runner, const BodyProblem& problem, std::size_t points, std::size_t samples,
                 Oracle& oracle) {
  BodyRow row;
  row.backend = runner.implementation.backend;
  row.points_per_block = runner.implementation.points_per_block;
  row.association = runner.implementation.association;
  row.points = points;
  row.samples = samples;
  row.timed_samples = runner.capsules.rows;
  row.repeats = runner.times.count();
  const double scale = static_cast<double>(samples) / static_cast<double>(row.timed_samples);
  row.ms = runner.times.wall(scale);
  row.stages = runner.times.stages(scale);
  row.set_points_ms = runner.set_points_times.wall().median;
  row.pairs_per_second = static_cast<double>(points) * static_cast<double>(samples) *
                         static_cast<double>(person_capsules) / (row.ms.median * 1e-3);

  const std::vector<double>& truth = oracle.values(row.association);
  if (oracle.all() && row.timed_samples < samples && row.backend != "reference") {
    runner.log_likelihood.resize(samples);
    runner.likelihood->evaluate(first_samples(problem, samples), runner.log_likelihood);
  }
  row.error_samples = std::min(truth.size(), runner.log_likelihood.size());
  for (std::size_t j = 0; j < row.error_samples; ++j) {
    const double size = truth[j] != 0 ? std::fabs(truth[j]) : 1;
    row.max_relative_error = std::max(row.max_relative_error, std::fabs(runner.log_likelihood[j] - truth[j]) / size);
  }
  return row;
}

// Leaves the likelihood whose variant took the least time of the device, and says what each took.
void tune(BodyRunner& runner, const BodyProblem& problem, const body::LikelihoodSettings& settings, double turn_ms,
          BodyReport& report) {
  struct Variant {
    Implementation implementation;
    std::unique_ptr<Likelihood> likelihood;
    std::vector<double> device_ms;
  };
  std::vector<Variant> variants;
  const CapsulesView capsules = first_samples(problem, report.samples.back());
  std::vector<double> out(capsules.rows);
  for (Implementation& variant : variants_of(runner.implementation)) {
    auto likelihood = variant.make(settings);
    likelihood->set_points({problem.points.data(), problem.points.size() / 3});
    likelihood->evaluate(capsules, out);  // warm
    variants.push_back({std::move(variant), std::move(likelihood), {}});
  }
  for (std::size_t round = 0; round < rounds; ++round)
    for (Variant& variant : variants)
      for (double spent = 0; spent < 0.1 * turn_ms || variant.device_ms.empty();) {
        spent += ms_of([&] { variant.likelihood->evaluate(capsules, out); });
        for (const StageTime& time : variant.likelihood->times())
          if (time.stage == "device") variant.device_ms.push_back(time.ms);
      }
  for (Variant& variant : variants) {
    report.blocks.push_back({variant.implementation.points_per_block, spread(variant.device_ms)});
    const auto is_better = [](const BlockRow& a, const BlockRow& b) { return a.ms.median < b.ms.median; };
    if (&*std::min_element(report.blocks.begin(), report.blocks.end(), is_better) != &report.blocks.back()) continue;
    runner.implementation = std::move(variant.implementation);
    runner.likelihood = std::move(variant.likelihood);
  }
}

// The listing on 1, 2, 4 ... samples at the most points, in turns.
void time_linear(BodyRunner& runner, const BodyProblem& problem, double turn_ms, BodyReport& report) {
  const Pinned pinned;
  const std::size_t points = problem.points.size() / 3;
  std::vector<double> out(1);
  const double one_ms = ms_of([&] { runner.likelihood->evaluate(first_samples(problem, 1), out); });
  for (std::size_t samples = 1;
       samples <= report.samples.back() &&
       (samples <= 4 || static_cast<double>(samples) * one_ms <= serial_turns * rounds * turn_ms);
       samples *= 2)
    report.linear.push_back({points, samples, {}});
  std::vector<std::vector<double>> ms(report.linear.size());
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < ms.size(); ++i) {
      out.resize(report.linear[i].samples);
      ms[i].push_back(ms_of([&] { runner.likelihood->evaluate(first_samples(problem, out.size()), out); }));
    }
  for (std::size_t i = 0; i < ms.size(); ++i) report.linear[i].ms = spread(ms[i]);
}

// Warmed up and timed in turns like evaluations. Measured all at once, a backend whose threads were just woken or
// descheduled would differ by orders of magnitude from similar ones.
void time_set_points(std::vector<BodyRunner>& runners, const BodyProblem& problem, double turn_ms,
                     std::vector<SetPointsRow>& rows) {
  const PointsView points{problem.points.data(), problem.points.size() / 3};
  const auto once = [&](BodyRunner& runner) { runner.likelihood->set_points(points); };
  for (BodyRunner& runner : runners) {
    runner.set_points_times = {};
    for (double spent = 0; spent < turn_ms;) spent += ms_of([&] { once(runner); }) + 1e-3;
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    for (BodyRunner& runner : runners) {
      take_turn(
          runner.set_points_times, turn_ms, most_turn_repeats, [&] { once(runner); },
          [&] { return runner.likelihood->times(); });
    }
  }
  for (const BodyRunner& runner : runners) {
    rows.push_back({runner.implementation.backend, runner.implementation.association, points.size,
                    runner.set_points_times.wall(), runner.set_points_times.stages()});
  }
}

std::vector<std::size_t> sizes(const std::vector<std::size_t>& wanted, const std::vector<std::size_t>& otherwise,
                               const char* what) {
  std::vector<std::size_t> sorted = wanted.empty() ? otherwise : wanted;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  if (sorted.front() == 0) throw Error(fmt::format("a benchmark over 0 {} measures nothing: give at least 1", what));
  return sorted;
}

}  // namespace

BodyReport measure_body(const BodyBenchOptions& options, const std::function<void(const std::string&)>& progress) {
  BodyReport report;
  begin_run(options, 1, 0.25, report);
  using Sizes = std::vector<std::size_t>;
  report.points = sizes(options.points,
                        options.quick ? Sizes{1000, 43000} : Sizes{1000, 2000, 5000, 10000, 20000, 43000}, "points");
  report.samples =
      sizes(options.samples, options.quick ? Sizes{500, 3500} : Sizes{50, 100, 250, 500, 1000, 2000, 3500}, "samples");

  std::vector<BodyRunner> runners;
  for (Implementation& implementation :
       body_implementations(options.backends, static_cast<std::size_t>(report.machine.threads))) {
    body::LikelihoodSettings settings = report.settings;
    settings.association = implementation.association;
    auto likelihood = implementation.make(settings);
    runners.push_back({std::move(implementation), std::move(likelihood), {}, {}, {}, {}});
  }
  const double turn_ms = report.seconds * 1e3 / rounds;
  BodyProblem problem = make_body_problem(report.points.back(), report.samples.back(), options.seed);
  if (progress) progress("bench body: the listing by samples, and the paper's kernels by the size of a block");
  for (BodyRunner& runner : runners) {
    runner.likelihood->set_points({problem.points.data(), problem.points.size() / 3});
    if (runner.implementation.backend == "listing") time_linear(runner, problem, turn_ms, report);
    tune(runner, problem, report.settings, turn_ms, report);
  }

  // the sweep over points at the most samples; then the sweep over samples at the most points, which come last
  std::vector<std::pair<std::size_t, std::size_t>> grid;
  for (const std::size_t points : report.points) grid.emplace_back(points, report.samples.back());
  for (const std::size_t samples : report.samples)
    if (samples != report.samples.back()) grid.emplace_back(report.points.back(), samples);

  Oracle oracle(report.settings, report.seconds * 500, options.threads);
  std::size_t points_held = 0, done = 0;
  for (const auto& [points, samples] : grid) {
    if (progress)
      progress(fmt::format("bench body: {} points x {} samples ({} of {})", points, samples, ++done, grid.size()));
    if (points != points_held) {
      problem = make_body_problem(points, report.samples.back(), options.seed);
      points_held = points;
      oracle.set_problem(problem, points == report.points.front());
      time_set_points(runners, problem, turn_ms / 4, report.set_points);
    }
    for (BodyRunner& runner : runners) prepare(runner, problem, samples, runner.turn_ms(turn_ms));
    for (std::size_t round = 0; round < rounds; ++round)
      for (BodyRunner& runner : runners) runner.take_turn(turn_ms);
    for (BodyRunner& runner : runners) report.rows.push_back(make_row(runner, problem, points, samples, oracle));
  }
  compare_rows(report.rows);
  const int frames = options.tracker_frames > 0 ? options.tracker_frames : options.quick ? 25 : 100;
  report.trackers = measure_tracker(options.backends, options.threads, options.seed, static_cast<std::size_t>(frames),
                                    options.quick, progress);
  report.matchers = measure_matchers(options.backends, options.threads, options.seed, turn_ms, options.quick, progress);
  return report;
}

void run_body(const BodyBenchOptions& options) { run(options, "body", measure_body, body_json, body_page); }

}  // namespace kinema::bench
