// kinema bench body: the figures of the body paper, reproduced on this machine.
#include "app/bench_options.h"
#include "bench/body_bench.h"
#include "bench/body_implementations.h"

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

void add_bench_body(Verb parent, Task& task) {
  Verb verb = parent.add("body", "Time the likelihood by number of points and samples, with speed-ups");
  const auto options = std::make_shared<Options>();
  verb.option("--points", options->bench.points, "Numbers of points to sweep [the paper's]").type("N,N,...").list();
  verb.option("--samples", options->bench.samples, "Numbers of samples to sweep [the paper's]").type("N,N,...").list();
  add_choice(verb, "--backends", bench::body_backends(), options->bench.backends);
  add_bench_options(verb, "body", "each backend at each size", options->bench, options->common);
  verb.chosen([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

}  // namespace kinema::app
