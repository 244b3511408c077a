// What every `kinema bench` has in common: its options, and where its results go.
#pragma once

#include "io/output_file.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace kinema::bench {

struct BenchOptions {
  /// A folder for text, JSON and a page, each with the benchmark's name, made where it is missing; empty: no files.
  std::filesystem::path out;

  /// About how long each row is timed; 0: as long as the benchmark sees fit, less where `quick`.
  double seconds = 0;

  int threads = 0;  ///< of the CPU backends that have any; 0: one a core
  std::uint64_t seed = 1;
  bool json = false;   ///< one JSON object on standard output instead of tables
  bool quick = false;  ///< fewer sizes or shorter times, for a first look
};

/// The files of a result. They are opened first: a place that cannot be written is found before the minutes of
/// measuring, not after.
class ResultFiles {
public:
  ResultFiles(const BenchOptions& options, const std::string& name);

  /// Writes the files, and prints the text or the JSON.
  void publish(const std::string& text, const std::string& json, const std::string& page);

private:
  std::filesystem::path page_;
  bool json_;
  std::vector<std::unique_ptr<io::OutputFile>> files_;
};

/// A line of progress for a person.
void say(const std::string& line);

}  // namespace kinema::bench
