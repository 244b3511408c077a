#include "bench/head/head_bench.h"

#include "bench/head/head_implementations.h"
#include "bench/times.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numeric>

namespace kinema::bench {
namespace {

constexpr std::size_t warm_up = 3;              // calls, once
constexpr std::size_t learning = 60;            // calls of backends that divide frames by measured times, once
constexpr std::size_t most_head_repeats = 400;  // more would not improve a median
constexpr std::size_t longest_side = 16384;
constexpr std::size_t paper_trials = 100;  // of which the paper prints means

}  // namespace

HeadReport measure_head(const HeadBenchOptions& options, const std::function<void(const std::string&)>& progress) {
  if (!std::isfinite(options.seconds) || options.seconds < 0)
    throw Error(fmt::format("{} is not a time to measure for: give seconds above 0", options.seconds));
  if (options.width == 0 || options.height == 0 || std::max(options.width, options.height) > longest_side)
    throw Error(
        fmt::format("a frame of {} x {} pixels: give 1 to {} a side", options.width, options.height, longest_side));

  HeadReport report;
  report.date = utc_date();
  report.commit = source_commit();
  report.machine = describe_machine(options.threads);
  report.width = options.width;
  report.height = options.height;
  report.seed = options.seed;
  report.seconds = options.seconds > 0 ? options.seconds : options.quick ? 0.1 : 0.4;

  if (progress) progress("bench head: making frames");
  auto implementations =
      head_implementations(options.tables, {options.width, options.height, options.seed, options.threads});
  std::vector<Times> times(implementations.size());
  for (HeadImplementation& implementation : implementations) {
    const bool divides = implementation.row.backend == "joint" || implementation.row.backend == "cpu+gpu";
    for (std::size_t i = 0; i < (divides ? learning : warm_up); ++i) implementation.once();
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    if (progress) progress(fmt::format("bench head: {} rows ({} of {})", implementations.size(), round + 1, rounds));
    for (std::size_t i = 0; i < implementations.size(); ++i)
      take_turn(times[i], report.seconds * 1e3 / rounds, most_head_repeats, implementations[i].once,
                implementations[i].stages);
  }
  for (std::size_t i = 0; i < implementations.size(); ++i) {
    HeadRow row = implementations[i].row;
    if (row.table == "paper") {
      while (times[i].count() < paper_trials) times[i].add(ms_of(implementations[i].once), implementations[i].stages());
      const auto& walls = times[i].walls();
      row.mean_of = paper_trials;
      row.mean_ms = std::accumulate(walls.begin(), walls.begin() + paper_trials, 0.0) / paper_trials;
    }
    const double each = 1 / static_cast<double>(row.frames);
    row.repeats = times[i].count();
    row.ms = times[i].wall(each);
    row.stages = times[i].stages(each);
    row.cpu_share = implementations[i].cpu_share();
    report.rows.push_back(std::move(row));
  }
  compare_rows(report);
  return report;
}

void run_head(const HeadBenchOptions& options) {
  ResultFiles files(options, "head");
  const HeadReport report = measure_head(options, say);
  files.publish(head_text(report), head_json(report), head_page(report));
}

}  // namespace kinema::bench
