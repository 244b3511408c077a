// `kinema bench body`: figures 5 and 6 of the body paper, measured on this machine with every available backend.
#pragma once

#include "bench/bench_run.h"
#include "bench/body/body_report.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace kinema::bench {

struct BodyBenchOptions : BenchOptions {
  /// Sizes to sweep. Points are swept at the most samples and samples at the most points. Empty: the paper's range, up
  /// to 43,000 points and 3,500 samples.
  std::vector<std::size_t> points, samples;

  /// Of body_backends(); empty: all that can run here.
  std::vector<std::string> backends;

  /// Of the tracker's sequence; 0: 100, or 25 where `quick`.
  int tracker_frames = 0;
};

/// Backends of one size run in turns within the same seconds, so that their ratios hold on a machine whose speed varies.
/// `progress` is called with a line of text before each size. Throws Error for options that make no sense.
BodyReport measure_body(const BodyBenchOptions& options, const std::function<void(const std::string&)>& progress = {});

/// Measures, prints the result to standard output and the progress to standard error, and writes the files. Throws Error
/// as measure_body() does, and where files cannot be written.
void run_body(const BodyBenchOptions& options);

}  // namespace kinema::bench
