// The machine that a benchmark ran on.
#pragma once

#include "bench/bench_run.h"
#include "kinema/backend.h"

#include <cstddef>
#include <cstdint>
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

/// What every report begins with.
struct RunReport {
  std::string date;    ///< UTC, ISO 8601
  std::string commit;  ///< KINEMA_COMMIT of the environment, otherwise the commit that was built, otherwise ""
  Machine machine;
  std::uint64_t seed = 0;
  double seconds = 0;  ///< spent on each measurement, approximately
};

/// Here and now. Seconds are `usual` where the options have none, or `quick`. Throws Error where they are no time.
void begin_run(const BenchOptions& options, double usual, double quick, RunReport& report);

/// Why nothing is measured on a GPU here; empty if something is. What the cuda backend is compared with goes into a command into
/// which that backend is linked, and is no part of its module.
std::string no_gpu_reason();

}  // namespace kinema::bench
