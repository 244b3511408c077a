// Runs the jobs of a batch, several at once. On the CPU each is a process of its own: one that crashes, runs out of memory
// or fills the disk takes no other with it. On a GPU they share a process, and with it CUDA's context; where that process
// ends, the jobs under way in it are tried again, each alone.
#pragma once

#include "app/batch/batch_jobs.h"
#include "app/batch/batch_store.h"
#include "kinema/backend.h"

#include <cstddef>
#include <filesystem>
#include <vector>

namespace kinema::app {

struct BatchSettings {
  std::filesystem::path program;         ///< the kinema command
  Backend backend = Backend::automatic;  ///< that the jobs will choose
  int cores = 0;                         ///< to use in all; 0: all
  int at_once = 0;                       ///< jobs at once; 0: as many as keep cores and GPUs busy
  int per_process = 0;                   ///< of these in one process; 0: all of a GPU, one on the CPU
};

/// What happened to the jobs of one shard.
struct BatchCounts {
  std::size_t jobs = 0;
  std::size_t skipped = 0;  ///< done before
  std::size_t done = 0;     ///< in this run
  std::size_t failed = 0;   ///< twice in this run, or once where a second attempt cannot help; or its input is missing
  std::size_t elsewhere = 0;  ///< another process works on them
  bool stopped = false;       ///< by a signal; the rest was not started
};

/// Runs those of `jobs` that are not done, in their order. A job that fails is tried once more after all others. Prints a
/// line on standard error for every failure.
BatchCounts run_batch(const JobList& list, const std::vector<Job>& jobs, const BatchStore& store,
                      const BatchSettings& settings);

/// How many jobs run at once, with how many threads each.
struct Concurrency {
  int at_once = 1;
  int threads = 1;
};

/// For `jobs` that are left, `cores`, and `gpus` that all of them use (0: none does).
Concurrency concurrency(std::size_t jobs, int cores, int gpus, int at_once = 0);

}  // namespace kinema::app
