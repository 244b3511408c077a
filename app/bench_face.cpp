// kinema bench face: the table and figures of the face paper, remade on this machine.
#include "app/options.h"
#include "bench/face_bench.h"
#include "kinema/error.h"

#include <cmath>
#include <memory>

namespace kinema::app {
namespace {

struct Options {
  CommonOptions common;
  bench::FaceBenchOptions bench;
  std::string out;
};

void run(Options options) {
  if (!std::isfinite(options.bench.seconds) || options.bench.seconds < 0)
    throw Error(fmt::format("--seconds is {}: it must be a finite number, not below 0", options.bench.seconds));
  if (options.common.backend != Backend::automatic) {
    if (!options.bench.backends.empty()) throw Error("--backend and --backends exclude each other: give one of them");
    options.bench.backends = {std::string(name(choose(options.common.backend)))};
  }
  options.bench.out = options.out;
  options.bench.seed = options.common.seed;
  options.bench.threads = options.common.threads;
  options.bench.json = options.common.json;
  if (bench::run_face(options.bench) != 0) throw Error("the benchmark did not end well", Error::Cause::running);
}

}  // namespace

void add_bench_face(CLI::App& parent, Task& task) {
  CLI::App* verb = parent.add_subcommand("face", "Fits by size of the model: time a frame, growth, speed-ups");
  const auto options = std::make_shared<Options>();
  verb->add_option("--out", options->out, "A folder for face.txt, face.json and face.html")->type_name("DIR");
  verb->add_option("--pixels", options->bench.pixels, "Sizes of the models [the paper's: 4096, 8192 ... 65536]")
      ->type_name("N,N,...")
      ->delimiter(',');
  verb->add_option("--iterations", options->bench.iterations, "Of a frame [10]")->type_name("N");
  std::string known;
  for (const std::string& backend : bench::face_backends()) known += (known.empty() ? "" : ", ") + backend;
  verb->add_option("--backends", options->bench.backends, "Of " + known + " [all that run here]")
      ->type_name("NAME,NAME,...")
      ->delimiter(',');
  verb->add_option("--seconds", options->bench.seconds, "How long each backend is timed at each size, about")
      ->type_name("S");
  verb->add_flag("--quick", options->bench.quick, "Fewer sizes and shorter times, for a first look");
  add_common_options(*verb, options->common);
  verb->callback([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

}  // namespace kinema::app
