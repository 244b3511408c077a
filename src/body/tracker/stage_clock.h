// Measures the stages of a frame by name.
#pragma once

#include "core/stopwatch.h"
#include "kinema/stage_time.h"

#include <string>
#include <vector>

namespace kinema::body {

class StageClock {
public:
  /// The time since the last call.
  void add(const std::string& name) { add(name, watch_.lap()); }

  /// A time measured elsewhere.
  void add(const std::vector<StageTime>& times) {
    for (const StageTime& time : times) add(time.stage, time.ms);
  }

  std::vector<StageTime> times() const { return times_; }

private:
  void add(const std::string& name, double ms) {
    for (StageTime& time : times_) {
      if (time.stage == name) {
        time.ms += ms;
        return;
      }
    }
    times_.push_back({name, ms});
  }

  Stopwatch watch_;
  std::vector<StageTime> times_;
};

}  // namespace kinema::body
