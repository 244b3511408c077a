// The stages of a frame, timed one after the other.
#pragma once

#include "core/stopwatch.h"
#include "kinema/stage_time.h"

#include <vector>

namespace kinema {

class Stages {
public:
  explicit Stages(std::vector<StageTime>& times) : times_(times) {}

  /// A stage that began where the last one ended.
  void end(const char* stage) { times_.push_back({stage, watch_.lap()}); }

  /// One that another thread has timed, beside those before; the next one begins now.
  void end(const char* stage, double ms) {
    times_.push_back({stage, ms});
    watch_.lap();
  }

private:
  std::vector<StageTime>& times_;
  Stopwatch watch_;
};

}  // namespace kinema
