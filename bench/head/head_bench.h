// `kinema bench head`: table 1 and figure 4 of the head paper, measured on this machine, and more.
#pragma once

#include "bench/bench_run.h"
#include "bench/head/head_report.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace kinema::bench {

struct HeadBenchOptions : BenchOptions {
  std::size_t width = 1920, height = 1080;

  /// Of head_tables(); empty: all that can run here.
  std::vector<std::string> tables;
};

/// All rows run in turns, so that their ratios hold on a machine whose speed varies. `progress` is called with a line of
/// text before each turn. Throws Error for options that make no sense.
HeadReport measure_head(const HeadBenchOptions& options, const std::function<void(const std::string&)>& progress = {});

/// Measures, prints the result to standard output and the progress to standard error, and writes the files. Throws Error
/// as measure_head() does, and where files cannot be written.
void run_head(const HeadBenchOptions& options);

}  // namespace kinema::bench
