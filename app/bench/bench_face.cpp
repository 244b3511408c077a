// kinema bench face: the table and figures of the face paper, reproduced on this machine.
#include "app/bench/bench_options.h"
#include "bench/face/face_bench.h"

#include <memory>

namespace kinema::app {
namespace {

struct BenchFaceOptions {
  CommonOptions common;
  bench::FaceBenchOptions bench;
};

void run(BenchFaceOptions options) {
  use_one_device(options.common);
  take_backend(options.common, "--backends", std::string(name(choose(options.common.compute.backend))),
               options.bench.backends);
  take_common(options.common, options.bench);
  bench::run_face(options.bench);
}

}  // namespace

void add_bench_face(Verb parent, Task& task) {
  Verb verb = parent.add("face", "Time fits by size of the model: time per frame, growth, speed-ups");
  const auto options = std::make_shared<BenchFaceOptions>();
  verb.option("--pixels", options->bench.pixels, "N,N,...",
              "Sizes of the models in pixels [the paper's: 4096, 8192 ... 65536]")
      .list();
  verb.option("--iterations", options->bench.iterations, "N", "Iterations per frame [10]");
  verb.option("--model", options->bench.model, "M.kface",
              "Time the default fit of this model too, on the CPU and on a GPU");
  add_choice(verb, "--only", bench::face_parts(), options->bench.only);
  add_choice(verb, "--backends", bench::face_backends(), options->bench.backends);
  add_bench_options(verb, "face", "each backend at each size", options->bench, options->common);
  verb.chosen([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

}  // namespace kinema::app
