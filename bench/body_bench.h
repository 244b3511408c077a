// `kinema bench body`: figures 5 and 6 of the body paper, remade on this machine with every backend it has.
#pragma once

#include "bench/report.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kinema::bench {

struct BodyBenchOptions {
  /// A folder for body.txt, body.json and body.html, made where it is missing; empty: no files.
  std::filesystem::path out;

  /// Sizes to sweep. Points are swept at the most samples and samples at the most points. Empty: the paper's range, up
  /// to 43,000 points and 3,500 samples.
  std::vector<std::size_t> points, samples;

  /// Of body_backends(); empty: all that can run here.
  std::vector<std::string> backends;

  /// About how long each backend is timed at each size; 0: 1 s, or 0.25 s where `quick`.
  double seconds = 0;

  /// Of the tracker's sequence; 0: 100, or 25 where `quick`.
  int tracker_frames = 0;

  int threads = 0;  ///< of the CPU backends other than the listing and the reference; 0: one a core
  std::uint64_t seed = 1;
  bool json = false;   ///< one JSON object on standard output instead of tables
  bool quick = false;  ///< fewer sizes, for a first look
};

/// Backends of one size run in turns within the same seconds, so that their ratios hold on a machine whose speed
/// wanders. `progress` is called with a line for a person before each size. Throws Error for options that make no sense.
BodyReport measure_body(const BodyBenchOptions& options, const std::function<void(const std::string&)>& progress = {});

/// Measures, prints the result to standard output and the progress to standard error, and writes the files. Returns the
/// exit status; throws Error as measure_body() does, and where files cannot be written.
int run_body(const BodyBenchOptions& options);

}  // namespace kinema::bench
