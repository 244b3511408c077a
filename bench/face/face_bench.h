// `kinema bench face`: the table and the figures of the face paper that are about time, measured on this machine.
#pragma once

#include "bench/bench_run.h"
#include "bench/face/face_report.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace kinema::bench {

struct FaceBenchOptions : BenchOptions {
  /// Sizes of the models; empty: the paper's sixteen, 4,096 to 65,536, or three of them where `quick`.
  std::vector<std::size_t> pixels;

  /// Of face_backends(); empty: all that can run here.
  std::vector<std::string> backends;

  int iterations = 10;

  /// A model file whose default fit is timed too; empty: none.
  std::string model;

  /// Of face_parts(); empty: all that can be measured here.
  std::vector<std::string> only;
};

/// Sizes: table 1 and figures 2 and 5 to 8, on films. Default-fit: that of `model`. Products: of matrices and vectors, against
/// cuBLAS.
std::vector<std::string> face_parts();

/// All names known to `bench face`, in the order of its tables.
std::vector<std::string> face_backends();

/// Backends of one size run in turns within the same seconds. `progress` is called with a line of text before each
/// size. Throws Error for options that make no sense.
FaceReport measure_face(const FaceBenchOptions& options, const std::function<void(const std::string&)>& progress = {});

/// Measures, prints the result to standard output and the progress to standard error, and writes the files. Throws Error
/// as measure_face() does, and where files cannot be written.
void run_face(const FaceBenchOptions& options);

}  // namespace kinema::bench
