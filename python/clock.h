// The times of the frames that a tracker was given: filters divide by their differences, so they may not go back.
#pragma once

#include "kinema/error.h"

#include <cmath>
#include <limits>
#include <string>

namespace kinema::python {

class Clock {
public:
  /// The time of the next frame, seconds. Throws Error if it is before the last one.
  void advance(double time) {
    if (!std::isfinite(time)) throw Error("time must be a finite number of seconds");
    if (time < last_) {
      throw Error("time goes backwards, from " + std::to_string(last_) + " to " + std::to_string(time) +
                  " s: another recording needs another tracker");
    }
    last_ = time;
  }

  /// A new sequence starts.
  void reset() { last_ = -std::numeric_limits<double>::infinity(); }

private:
  double last_ = -std::numeric_limits<double>::infinity();
};

}  // namespace kinema::python
