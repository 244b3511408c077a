// kinema bench body: the figures of the body paper, reproduced on this machine; with --devices or under mpirun, the cost
// and the gain of dividing the work.
#include "app/bench/bench_options.h"
#include "bench/body/body_bench.h"
#include "bench/body/body_implementations.h"
#include "bench/body/division_bench.h"
#include "kinema/error.h"

#include <memory>
#include <optional>

namespace kinema::app {
namespace {

struct BenchBodyOptions {
  CommonOptions common;
  bench::BodyBenchOptions bench;
};

bench::DivisionOptions division_options(const BenchBodyOptions& options) {
  bench::DivisionOptions division;
  static_cast<bench::BenchOptions&>(division) = options.bench;
  division.backend = options.common.compute.backend;
  division.devices = options.common.compute.devices;
  if (options.bench.points.size() > 1 || options.bench.samples.size() > 1)
    throw Error("divided work is measured at one size: give one number of points and one of samples");
  if (!options.bench.points.empty()) division.points = options.bench.points.front();
  if (!options.bench.samples.empty()) division.samples = options.bench.samples.front();
  return division;
}

void run_devices(const BenchBodyOptions& options) {
  bench::run(division_options(options), "body-devices", bench::measure_division, bench::division_json,
             bench::division_page);
}

void run_ranks(const BenchBodyOptions& options, const Ranks& ranks) {
  bench::DivisionOptions division;
  std::optional<bench::ResultFiles> files;
  ranks.together([&] {
    division = division_options(options);
    if (ranks.first()) files.emplace(division, "body-ranks");
  });
  const bench::Crew crew{ranks.rank(), ranks.count(), [&](double mine) { return ranks.most(mine); },
                         [&](int count, const auto& work) { ranks.share(options.common.compute, work, count); }};
  const bench::DivisionReport report = bench::measure_scaling(division, crew, bench::say);
  if (files) files->publish(division_json(report), division_page(report));
}

void run(BenchBodyOptions options, const Ranks& ranks) {
  ranks.together([&] {
    check_devices(options.common);
    divide_machine(ranks, options.common);
    take_common(options.common, options.bench);
  });
  if (ranks.count() > 1) return run_ranks(options, ranks);
  if (options.common.compute.devices.size() > 1) return run_devices(options);
  use_one_device(options.common);
  take_backend(options.common, "--backends", std::string(name(choose(options.common.compute.backend))),
               options.bench.backends);
  bench::run_body(options.bench);
}

}  // namespace

void add_bench_body(Verb parent, Task& task) {
  Verb verb = parent.add("body", "Time the likelihood by number of points and samples, with speed-ups");
  const auto options = std::make_shared<BenchBodyOptions>();
  verb.option("--points", options->bench.points, "Numbers of points to sweep [the paper's]").type("N,N,...").list();
  verb.option("--samples", options->bench.samples, "Numbers of samples to sweep [the paper's]").type("N,N,...").list();
  add_choice(verb, "--backends", bench::body_backends(), options->bench.backends);
  add_bench_options(verb, "body", "each backend at each size", options->bench, options->common);
  verb.chosen([options, &task] {
    task.shared = true;
    task.run = [options](const Ranks& ranks) { run(*options, ranks); };
  });
}

}  // namespace kinema::app
