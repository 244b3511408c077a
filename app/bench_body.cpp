// kinema bench body: the figures of the body paper, remade on this machine.
#include "app/bench_options.h"
#include "bench/body_bench.h"
#include "bench/body_contestants.h"

#include <memory>

namespace kinema::app {
namespace {

struct Options {
  CommonOptions common;
  bench::BodyBenchOptions bench;
};

void run(Options options) {
  take_backend(options.common, "--backends", std::string(name(choose(options.common.backend))), options.bench.backends);
  take_common(options.common, options.bench);
  bench::run_body(options.bench);
}

}  // namespace

void add_bench_body(CLI::App& parent, Task& task) {
  CLI::App* verb = parent.add_subcommand("body", "The likelihood: time by number of points and samples, speed-ups");
  const auto options = std::make_shared<Options>();
  verb->add_option("--points", options->bench.points, "Numbers of points to sweep [the paper's]")
      ->type_name("N,N,...")
      ->delimiter(',');
  verb->add_option("--samples", options->bench.samples, "Numbers of samples to sweep [the paper's]")
      ->type_name("N,N,...")
      ->delimiter(',');
  add_choice(*verb, "--backends", bench::body_backends(), options->bench.backends);
  add_bench_options(*verb, "body", "each backend at each size", options->bench, options->common);
  verb->callback([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

}  // namespace kinema::app
