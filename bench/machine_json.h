// Parts of the JSON of all results: the machine of a benchmark, numbers that may be missing.
#pragma once

#include "bench/machine.h"
#include "kinema/stage_time.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <vector>

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

/// What every result begins with.
inline nlohmann::ordered_json run_json(const char* kind, const RunReport& run) {
  return {{"kind", kind},
          {"date", run.date},
          {"commit", run.commit},
          {"machine", machine_json(run.machine)},
          {"build", build_json(run.machine)}};
}

inline nlohmann::ordered_json stages_json(const std::vector<StageTime>& stages) {
  auto json = nlohmann::ordered_json::object();
  for (const StageTime& time : stages) json[time.stage] = time.ms;
  return json;
}

/// Adds rows to a list, which is there even if it is empty.
template <class Rows, class RowJson>
void add_rows(nlohmann::ordered_json& json, const char* name, const Rows& rows, RowJson row_json) {
  json[name] = nlohmann::ordered_json::array();
  for (const auto& row : rows) json[name].push_back(row_json(row));
}

}  // namespace kinema::bench
