// The wall clock around an operation, again and again.
#pragma once

#include "bench/statistics.h"
#include "kinema/stage_time.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace kinema::bench {

inline double ms_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Repeated times of one operation, and of the stages that the backend reports for it.
class Times {
public:
  void add(double ms, const std::vector<StageTime>& stages) {
    wall_.push_back(ms);
    total_ += ms;
    for (const StageTime& stage : stages) {
      const auto known =
          std::find_if(stages_.begin(), stages_.end(), [&](const auto& entry) { return entry.first == stage.stage; });
      auto& values = known != stages_.end() ? known->second : stages_.emplace_back(stage.stage, 0).second;
      values.push_back(stage.ms);
    }
  }
  std::size_t count() const { return wall_.size(); }
  double total() const { return total_; }
  Spread wall(double scale = 1) const {
    const Spread s = spread(wall_);
    return {s.median * scale, s.low * scale, s.high * scale};
  }
  std::vector<StageTime> stages(double scale = 1) const {
    std::vector<StageTime> medians;
    for (const auto& [stage, values] : stages_) medians.push_back({stage, quantile(values, 0.5) * scale});
    return medians;
  }

private:
  std::vector<double> wall_;
  double total_ = 0;
  std::vector<std::pair<std::string, std::vector<double>>> stages_;
};

}  // namespace kinema::bench
