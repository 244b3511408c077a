// What a benchmark ran on.
#pragma once

#include "kinema/backend.h"

#include <string>
#include <vector>

namespace kinema::bench {

struct Machine {
  std::string cpu;     ///< the model's name as the system gives it
  std::string system;  ///< such as "Linux x86_64"
  int cores = 0;       ///< that this process may run on
  int threads = 0;     ///< that the CPU work uses
  std::vector<Gpu> gpus;
  Build build;
  std::string build_type;  ///< "Release"
  std::string embree;      ///< version, "" where it is not built in
};

/// `threads` as in body::LikelihoodSettings.
Machine describe_machine(int threads);

/// The same for a terminal, with commit and date, each line ended.
std::string machine_text(const Machine& machine, const std::string& commit, const std::string& date);

/// KINEMA_COMMIT of the environment, else the commit that was built, else "".
std::string source_commit();

/// The time of day in UTC, ISO 8601.
std::string utc_date();

}  // namespace kinema::bench
