// Repeated wall times of an operation.
#pragma once

#include "bench/statistics.h"
#include "core/stopwatch.h"
#include "kinema/stage_time.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace kinema::bench {

/// In one turn: more would not improve a median.
inline constexpr std::size_t most_turn_repeats = 200;

inline double ms_of(const auto& work) {
  const Stopwatch watch;
  work();
  return watch.ms();
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
  const std::vector<double>& walls() const { return wall_; }
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

inline constexpr std::size_t rounds = 5;          ///< turns per row, interleaved with those of the others
inline constexpr std::size_t fewest_repeats = 3;  ///< even if one takes longer than all turns of its row

/// One row's turn: calls `once` until `turn_ms` milliseconds are spent, at most `most_repeats` times. All rows take
/// turns, so that a machine whose speed drifts, or that is busy for a while, affects all of them equally.
void take_turn(Times& times, double turn_ms, std::size_t most_repeats, const auto& once, const auto& stages) {
  if (times.count() >= fewest_repeats && times.total() > fewest_repeats * turn_ms * rounds) return;
  double spent = 0;
  for (std::size_t repeat = 0; repeat < most_repeats && (repeat == 0 || spent < turn_ms); ++repeat) {
    const double ms = ms_of(once);
    spent += ms;
    // the first call of a turn finds the caches full of other rows' data and threads asleep; it counts only if it is
    // long enough for that not to matter
    if (repeat == 0 && ms < 0.1 * turn_ms) continue;
    times.add(ms, stages());
  }
}

}  // namespace kinema::bench
