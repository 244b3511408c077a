// kinema bench: the tables and figures of the papers, reproduced on this machine.
#include "app/options/options.h"
#include "bench/bench_run.h"
#include "bench/body/body_bench.h"
#include "bench/body/body_implementations.h"
#include "bench/body/division_bench.h"
#include "bench/face/face_bench.h"
#include "bench/head/head_bench.h"
#include "bench/head/head_implementations.h"
#include "bench/papers.h"
#include "core/cuda/device.h"
#include "kinema/error.h"

#include <cmath>
#include <memory>
#include <optional>

namespace kinema::app {
namespace {

// --out, --seconds, --quick and the options of every verb; `timed` names what is timed for that many seconds.
void add_bench_options(Verb verb, const std::string& name, const std::string& timed, bench::BenchOptions& bench,
                       CommonOptions& common) {
  verb.option("--out", bench.out, "DIR", fmt::format("Folder for {0}.txt, {0}.json and {0}.html", name));
  verb.option("--seconds", bench.seconds, "S", fmt::format("Approximate time spent on {}", timed));
  verb.flag("--quick", bench.quick, "Shorter times, and fewer sizes where several are timed, for a first look");
  add_common_options(verb, common);
}

// An option that takes some of `known`; by default all that run here.
void add_choice(Verb verb, const std::string& option, const std::vector<std::string>& known,
                std::vector<std::string>& chosen) {
  verb.option(option, chosen, "NAME,NAME,...", fmt::format("Any of {} [all available]", fmt::join(known, ", "))).list();
}

// The values of these options; throws Error if they make no sense.
void take_common(const CommonOptions& common, bench::BenchOptions& bench) {
  if (!std::isfinite(bench.seconds) || bench.seconds < 0)
    throw Error(fmt::format("--seconds is {}: it must be a finite number, not below 0", bench.seconds));
  bench.seed = common.seed;
  bench.threads = common.compute.threads;
  bench.json = common.json;
}

// For a benchmark of one GPU: that of --devices, for this thread. Throws Error if there are several.
void use_one_device(CommonOptions& common) {
  check_devices(common);
  if (common.compute.devices.size() > 1)
    throw Error("--devices names several GPUs, and this measures one: kinema bench body measures divided work");
  if (common.compute.devices.size() == 1 && !gpus().empty()) cuda::use_device(common.compute.devices.front());
}

// --backend restricts what add_choice() chose; `as` is its name there.
void take_backend(const CommonOptions& common, const std::string& option, const std::string& as,
                  std::vector<std::string>& chosen) {
  if (common.compute.backend == Backend::automatic) return;
  if (!chosen.empty()) throw Error(fmt::format("--backend and {} exclude each other: give one of them", option));
  chosen = {as};
}

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
  verb.option("--points", options->bench.points, "N,N,...", "Numbers of points to sweep [the paper's]").list();
  verb.option("--samples", options->bench.samples, "N,N,...", "Numbers of samples to sweep [the paper's]").list();
  add_choice(verb, "--backends", bench::body_backends(), options->bench.backends);
  add_bench_options(verb, "body", "each backend at each size", options->bench, options->common);
  verb.chosen([options, &task] {
    task.shared = true;
    task.run = [options](const Ranks& ranks) { run(*options, ranks); };
  });
}

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

namespace {

struct BenchHeadOptions {
  CommonOptions common;
  bench::HeadBenchOptions bench;
  std::string size;
};

// "1920x1080"
void parse_size(const std::string& text, std::size_t& width, std::size_t& height) {
  int end = 0;
  if (std::sscanf(text.c_str(), "%zux%zu%n", &width, &height, &end) != 2 ||
      text[static_cast<std::size_t>(end)] != '\0' || text.find('-') != std::string::npos)
    throw Error(fmt::format("--size is '{}': give width and height in pixels, such as 1920x1080", text));
}

void run(BenchHeadOptions options) {
  use_one_device(options.common);
  take_backend(options.common, "--tables", choose(options.common.compute.backend) == Backend::cuda ? "gpu" : "cpu",
               options.bench.tables);
  if (!options.size.empty()) parse_size(options.size, options.bench.width, options.bench.height);
  take_common(options.common, options.bench);
  bench::run_head(options.bench);
}

}  // namespace

void add_bench_head(Verb parent, Task& task) {
  Verb verb = parent.add("head", "Time the sums over a frame: the paper's steps, every backend, lower bounds");
  const auto options = std::make_shared<BenchHeadOptions>();
  verb.option("--size", options->size, "WxH", "Size of the frames [1920x1080]");
  add_choice(verb, "--tables", bench::head_tables(), options->bench.tables);
  add_bench_options(verb, "head", "each row", options->bench, options->common);
  verb.chosen([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

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
