// kinema bench papers: every figure and table of the three papers, beside this machine's.
#include "app/bench/bench_options.h"
#include "bench/papers.h"
#include "kinema/error.h"

#include <memory>

namespace kinema::app {
namespace {

struct BenchPapersOptions {
  CommonOptions common;
  bench::BenchOptions bench;
};

void run(BenchPapersOptions options) {
  use_one_device(options.common);
  if (options.common.compute.backend != Backend::automatic)
    throw Error("--backend chooses one, and the papers are remade with all: leave it out");
  take_common(options.common, options.bench);
  bench::run_papers(options.bench);
}

}  // namespace

void add_bench_papers(Verb parent, Task& task) {
  Verb verb = parent.add("papers", "Every figure and table of the three papers beside this machine's, on one page");
  const auto options = std::make_shared<BenchPapersOptions>();
  add_bench_options(verb, "papers", "each row", options->bench, options->common);
  verb.chosen([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

}  // namespace kinema::app
