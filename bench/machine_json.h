// Parts of the JSON of all results: the machine of a benchmark, numbers that may be missing.
#pragma once

#include "bench/machine.h"

#include <nlohmann/json.hpp>

#include <optional>

namespace kinema::bench {

inline nlohmann::ordered_json optional_number(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nullptr;
}

inline nlohmann::ordered_json machine_json(const Machine& machine) {
  auto gpus = nlohmann::ordered_json::array();
  for (const Gpu& gpu : machine.gpus)
    gpus.push_back({{"name", gpu.name},
                    {"multiprocessors", gpu.multiprocessors},
                    {"compute_capability", gpu.compute_capability},
                    {"memory_bytes", gpu.memory_bytes}});
  return {{"cpu", machine.cpu},         {"cores", machine.cores},
          {"threads", machine.threads}, {"memory_bytes", machine.memory_bytes},
          {"system", machine.system},   {"gpus", gpus}};
}

inline nlohmann::ordered_json build_json(const Machine& machine) {
  return {{"version", machine.build.version}, {"type", machine.build_type},       {"compiler", machine.build.compiler},
          {"simd", machine.build.simd},       {"threads", machine.build.threads}, {"cuda", machine.build.cuda},
          {"embree", machine.embree}};
}

}  // namespace kinema::bench
