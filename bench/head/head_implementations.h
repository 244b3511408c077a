// What `kinema bench head` compares: the steps of the paper, the backends in all their modes, other programs, and the
// floors, which are lower bounds for all of them.
#pragma once

#include "bench/head/head_report.h"

#include <functional>
#include <string>
#include <vector>

namespace kinema::bench {

struct HeadImplementation {
  HeadRow row;                                                                               // without measurements
  std::function<void()> once;                                                                // one call
  std::function<std::vector<StageTime>()> stages = [] { return std::vector<StageTime>{}; };  // of the last call
  std::function<std::optional<double>()> cpu_share = [] { return std::nullopt; };            // HeadRow::cpu_share
};

struct HeadProblem {
  std::size_t width = 1920, height = 1080;
  std::uint64_t seed = 1;
  int threads = 0;  // of the CPU unless a row sets it; 0: one per core
};

/// Those of `tables` ("paper", "cpu", "gpu", "other"), or all that can run here if it is empty. Errors relative to the
/// reference are in the rows already. Throws Error for an unknown table.
std::vector<HeadImplementation> head_implementations(const std::vector<std::string>& tables,
                                                     const HeadProblem& problem);

std::vector<std::string> head_tables();

}  // namespace kinema::bench
