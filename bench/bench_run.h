// Shared by all benchmarks: options, and output of results.
#pragma once

#include "io/files/output_file.h"
#include "report/report.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
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

  /// Writes the files, and prints the page as text, or the JSON.
  void publish(const std::string& json, const report::Report& page);

  /// Writes the files.
  void write(const std::string& json, const report::Report& page);

private:
  std::filesystem::path page_;
  bool json_;
  std::vector<std::unique_ptr<io::OutputFile>> files_;
};

/// Whether a list of names has this one, or is empty: all that can run here.
bool wanted(const std::vector<std::string>& names, std::string_view name);

/// Throws Error for a name that is not known, or that cannot be measured here for the reason that `obstacle` gives. `kind`: what
/// they name, such as "backend".
void check_names(const char* kind, const std::vector<std::string>& names, std::span<const char* const> known,
                 const std::function<std::string(const std::string&)>& obstacle = {});

/// Prints a line of progress to standard error.
void say(const std::string& line);

/// Measures, prints the result to standard output and the progress to standard error, and writes the files. Throws Error as
/// `measure` does, and where files cannot be written.
void run(const auto& options, const char* name, auto measure, auto json, auto page) {
  ResultFiles files(options, name);
  const auto report = measure(options, say);
  files.publish(json(report), page(report));
}

}  // namespace kinema::bench
