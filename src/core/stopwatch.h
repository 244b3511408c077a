// Wall time between two points of a program, in milliseconds.
#pragma once

#include <chrono>

namespace kinema {

class Stopwatch {
public:
  /// Since the last lap, or since construction.
  double ms() const { return std::chrono::duration<double, std::milli>(Clock::now() - start_).count(); }

  /// The same, and restarts.
  double lap() {
    const auto now = Clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - start_).count();
    start_ = now;
    return ms;
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace kinema
