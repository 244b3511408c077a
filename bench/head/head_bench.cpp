#include "bench/head/head_bench.h"

#include "bench/head/head_implementations.h"
#include "bench/times.h"
#include "kinema/error.h"

#include <fmt/format.h>

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
  if (options.width == 0 || options.height == 0 || std::max(options.width, options.height) > longest_side)
    throw Error(
        fmt::format("a frame of {} x {} pixels: give 1 to {} a side", options.width, options.height, longest_side));

  HeadReport report;
  begin_run(options, 0.4, 0.1, report);
  report.width = options.width;
  report.height = options.height;

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

void run_head(const HeadBenchOptions& options) { run(options, "head", measure_head, head_json, head_page); }

}  // namespace kinema::bench
