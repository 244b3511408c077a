#include "bench/head_bench.h"

#include "bench/head_contestants.h"
#include "bench/times.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

namespace kinema::bench {
namespace {

constexpr std::size_t rounds = 5;               // turns of each row
constexpr std::size_t warm_up = 3;              // calls, once
constexpr std::size_t learning = 60;            // calls of what divides frames by measured times, once
constexpr std::size_t most_turn_repeats = 400;  // more would not sharpen a median
constexpr std::size_t longest_side = 16384;

// One row's turn: calls until its time is up.
void take_turn(HeadContestant& contestant, Times& times, double turn_ms) {
  double spent = 0;
  for (std::size_t repeat = 0; repeat < most_turn_repeats && (repeat == 0 || spent < turn_ms); ++repeat) {
    const double ms = ms_of(contestant.once);
    spent += ms;
    // the first of a turn finds the caches full of the others' data; it counts only where it is long enough not to care
    if (repeat == 0 && ms < 0.1 * turn_ms) continue;
    times.add(ms, contestant.stages());
  }
}

}  // namespace

HeadReport measure_head(const HeadBenchOptions& options, const std::function<void(const std::string&)>& progress) {
  if (!std::isfinite(options.seconds) || options.seconds < 0)
    throw Error(fmt::format("{} is no time to measure for: give seconds above 0", options.seconds));
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
  auto contestants = head_contestants(options.tables, {options.width, options.height, options.seed, options.threads});
  std::vector<Times> times(contestants.size());
  for (HeadContestant& contestant : contestants) {
    const bool divides = contestant.row.backend == "joint" || contestant.row.backend == "cpu+gpu";
    for (std::size_t i = 0; i < (divides ? learning : warm_up); ++i) contestant.once();
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    if (progress) progress(fmt::format("bench head: {} rows ({} of {})", contestants.size(), round + 1, rounds));
    for (std::size_t i = 0; i < contestants.size(); ++i)
      take_turn(contestants[i], times[i], report.seconds * 1e3 / rounds);
  }
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    HeadRow row = contestants[i].row;
    const double each = 1 / static_cast<double>(row.frames);
    row.repeats = times[i].count();
    row.ms = times[i].wall(each);
    row.stages = times[i].stages(each);
    report.rows.push_back(std::move(row));
  }
  compare_rows(report);
  return report;
}

void run_head(const HeadBenchOptions& options) {
  ResultFiles files(options, "head");
  const HeadReport report = measure_head(options, say);
  files.publish(head_text(report), head_json(report), head_html(report));
}

}  // namespace kinema::bench
