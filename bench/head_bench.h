// `kinema bench head`: table 1 and figure 4 of the head paper, remade on this machine, and beyond.
#pragma once

#include "bench/head_report.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kinema::bench {

struct HeadBenchOptions {
  /// A folder for head.txt, head.json and head.html, made where it is missing; empty: no files.
  std::filesystem::path out;

  std::size_t width = 1920, height = 1080;

  /// Of head_tables(); empty: all that can run here.
  std::vector<std::string> tables;

  /// About how long each row is timed; 0: 0.4 s, or 0.1 s where `quick`.
  double seconds = 0;

  int threads = 0;  ///< of the CPU work; 0: one a core
  std::uint64_t seed = 1;
  bool json = false;   ///< one JSON object on standard output instead of tables
  bool quick = false;  ///< shorter times, for a first look
};

/// All rows run in turns, so that their ratios hold on a machine whose speed wanders. `progress` is called with a line for
/// a person before each turn. Throws Error for options that make no sense.
HeadReport measure_head(const HeadBenchOptions& options, const std::function<void(const std::string&)>& progress = {});

/// Measures, prints the result to standard output and the progress to standard error, and writes the files. Returns the
/// exit status; throws Error as measure_head() does, and where files cannot be written.
int run_head(const HeadBenchOptions& options);

}  // namespace kinema::bench
