// The machine that a benchmark ran on.
#pragma once

#include "kinema/backend.h"

#include <cstddef>
#include <string>
#include <vector>

namespace kinema::bench {

struct Machine {
  std::string cpu;     ///< the model's name according to the system
  std::string system;  ///< such as "Linux x86_64"
  int cores = 0;       ///< available to this process
  int threads = 0;     ///< used by the CPU work
  std::size_t memory_bytes = 0;
  std::vector<Gpu> gpus;
  Build build;
  std::string build_type;  ///< "Release"
  std::string embree;      ///< version, "" if it is not built in
};

/// `threads` as in body::LikelihoodSettings.
Machine describe_machine(int threads);

/// The same for a terminal, with commit and date, one per line.
std::string machine_text(const Machine& machine, const std::string& commit, const std::string& date);

/// Why nothing is measured on a GPU here; empty if something is. What the cuda backend is compared with goes into a command into
/// which that backend is linked, and is no part of its module.
std::string no_gpu_reason();

/// KINEMA_COMMIT of the environment, otherwise the commit that was built, otherwise "".
std::string source_commit();

/// The current time in UTC, ISO 8601.
std::string utc_date();

}  // namespace kinema::bench
