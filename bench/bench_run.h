// Shared by all benchmarks: options, and output of results.
#pragma once

#include "io/files/output_file.h"
#include "report/report.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace kinema::bench {

struct BenchOptions {
  /// A folder for text, JSON and a page, each with the benchmark's name, created if missing; empty: no files.
  std::filesystem::path out;

  /// Approximate time spent on each row; 0: the default of the benchmark, less where `quick`.
  double seconds = 0;

  int threads = 0;  ///< of the CPU backends that have any; 0: one per core
  std::uint64_t seed = 1;
  bool json = false;   ///< one JSON object on standard output instead of tables
  bool quick = false;  ///< fewer sizes or shorter times, for a first look
};

/// The files of a result. They are opened first, so that a folder that cannot be written is reported before minutes of
/// measurement rather than after.
class ResultFiles {
public:
  ResultFiles(const BenchOptions& options, const std::string& name);

  /// Writes the files, and prints the text or the JSON.
  void publish(const std::string& text, const std::string& json, const report::Report& page);

  /// Writes the files.
  void write(const std::string& text, const std::string& json, const report::Report& page);

private:
  std::filesystem::path page_;
  bool json_;
  std::vector<std::unique_ptr<io::OutputFile>> files_;
};

/// Prints a line of progress to standard error.
void say(const std::string& line);

}  // namespace kinema::bench
