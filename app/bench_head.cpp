// kinema bench head: the table and figure of the head paper, remade on this machine.
#include "app/options.h"
#include "bench/head_bench.h"
#include "bench/head_contestants.h"
#include "kinema/error.h"

#include <cmath>
#include <memory>

namespace kinema::app {
namespace {

struct Options {
  CommonOptions common;
  bench::HeadBenchOptions bench;
  std::string out, size;
};

// "1920x1080"
void parse_size(const std::string& text, std::size_t& width, std::size_t& height) {
  int end = 0;
  if (std::sscanf(text.c_str(), "%zux%zu%n", &width, &height, &end) != 2 ||
      text[static_cast<std::size_t>(end)] != '\0' || text.find('-') != std::string::npos)
    throw Error(fmt::format("--size is '{}': give width and height in pixels, such as 1920x1080", text));
}

void run(Options options) {
  if (!std::isfinite(options.bench.seconds) || options.bench.seconds < 0)
    throw Error(fmt::format("--seconds is {}: it must be a finite number, not below 0", options.bench.seconds));
  if (options.common.backend != Backend::automatic) {
    if (!options.bench.tables.empty()) throw Error("--backend and --tables exclude each other: give one of them");
    options.bench.tables = {choose(options.common.backend) == Backend::cuda ? "gpu" : "cpu"};
  }
  if (!options.size.empty()) parse_size(options.size, options.bench.width, options.bench.height);
  options.bench.out = options.out;
  options.bench.seed = options.common.seed;
  options.bench.threads = options.common.threads;
  options.bench.json = options.common.json;
  if (bench::run_head(options.bench) != 0) throw Error("the benchmark did not end well", Error::Cause::running);
}

}  // namespace

void add_bench_head(CLI::App& parent, Task& task) {
  CLI::App* verb = parent.add_subcommand("head", "The sums over a frame: the paper's steps, every backend, the floors");
  const auto options = std::make_shared<Options>();
  verb->add_option("--out", options->out, "A folder for head.txt, head.json and head.html")->type_name("DIR");
  verb->add_option("--size", options->size, "Of the frames [1920x1080]")->type_name("WxH");
  std::string known;
  for (const std::string& table : bench::head_tables()) known += (known.empty() ? "" : ", ") + table;
  verb->add_option("--tables", options->bench.tables, "Of " + known + " [all that run here]")
      ->type_name("NAME,NAME,...")
      ->delimiter(',');
  verb->add_option("--seconds", options->bench.seconds, "How long each row is timed, about")->type_name("S");
  verb->add_flag("--quick", options->bench.quick, "Shorter times, for a first look");
  add_common_options(*verb, options->common);
  verb->callback([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

}  // namespace kinema::app
