// kinema bench head: the table and figure of the head paper, reproduced on this machine.
#include "app/bench/bench_options.h"
#include "bench/head/head_bench.h"
#include "bench/head/head_implementations.h"
#include "kinema/error.h"

#include <memory>

namespace kinema::app {
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

}  // namespace kinema::app
