// Runs the kinema command as a shell would, and keeps what it printed.
#pragma once

#include "io/files/npy.h"
#include "io/files/output_file.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace kinema::app {

struct Outcome {
  int exit_code = -1;  // 128 and the signal's number where a signal ended it
  std::string out, err;
};

using Arguments = std::vector<std::string>;
using Environment = std::vector<std::pair<std::string, std::string>>;

/// Runs a program with its working directory at `folder`. KINEMA_BACKEND is unset unless `environment` sets it.
Outcome run_program(const std::string& program, const Arguments& arguments, const std::filesystem::path& folder,
                    const Environment& environment = {});

/// `kinema arguments...`
Outcome run_kinema(const Arguments& arguments, const std::filesystem::path& folder,
                   const Environment& environment = {});

/// Exit code 2 or 1, nothing on standard output, and one line "kinema: ..." on standard error that holds `says`.
void expect_one_line(const Outcome& outcome, int exit_code, const std::string& says);

std::string bytes_of(const std::filesystem::path& path);

/// The data that a report page carries.
nlohmann::json report_data(const std::filesystem::path& page);

/// A folder with points.npy (I,3) and capsules.npy (J,48,7) of a small problem, gone when the test ends.
class Problem {
public:
  explicit Problem(std::size_t point_count = 500, std::size_t sample_count = 7);
  ~Problem();
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

  template <class T>
  void save(const std::string& name, const std::vector<T>& data, const std::vector<std::size_t>& shape) const {
    io::OutputFile file(folder_ / name);
    io::write_npy<T>(file, data, shape);
    file.commit();
  }

  /// body likelihood on the two files with further arguments; --out L.npy unless they hold one.
  Outcome likelihood(Arguments more = {}, const Environment& environment = {}) const;

  std::vector<float> points, capsules;
  std::size_t samples = 0;

private:
  std::filesystem::path folder_;
};

}  // namespace kinema::app
