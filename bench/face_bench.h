// `kinema bench face`: table 1 and figures 6 to 8 of the face paper, remade on this machine.
#pragma once

#include "bench/face_report.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kinema::bench {

struct FaceBenchOptions {
  /// A folder for face.txt, face.json and face.html, made where it is missing; empty: no files.
  std::filesystem::path out;

  /// Sizes of the models; empty: the paper's sixteen, 4,096 to 65,536, or three of them where `quick`.
  std::vector<std::size_t> pixels;

  /// Of face_backends(); empty: all that can run here.
  std::vector<std::string> backends;

  /// About how long each backend is timed at each size; 0: 0.5 s, or 0.1 s where `quick`.
  double seconds = 0;

  int iterations = 10;
  int threads = 0;  ///< of the cpu backend; 0: one a core
  std::uint64_t seed = 1;
  bool json = false;   ///< one JSON object on standard output instead of tables
  bool quick = false;  ///< fewer sizes and shorter times, for a first look
};

/// Every name that `bench face` knows, in the order of its tables.
std::vector<std::string> face_backends();

/// Backends of one size run in turns within the same seconds. `progress` is called with a line for a person before each
/// size. Throws Error for options that make no sense.
FaceReport measure_face(const FaceBenchOptions& options, const std::function<void(const std::string&)>& progress = {});

/// Measures, prints the result to standard output and the progress to standard error, and writes the files. Returns the
/// exit status; throws Error as measure_face() does, and where files cannot be written.
int run_face(const FaceBenchOptions& options);

}  // namespace kinema::bench
