// Wall-clock time between two points of a program, in milliseconds.
#pragma once

#include <chrono>

namespace kinema {

class Stopwatch {
public:
  /// The time since the last call, or since the beginning.
  double lap() {
    const auto now = Clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    return ms;
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

}  // namespace kinema
