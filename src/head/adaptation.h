// Colours learned during tracking: those inside the head's oval versus those around it (Bayes), as a table.
//
// The colours of the first frame keep a fixed weight, so that the model recovers from some seconds of errors.
#pragma once

#include "head/moments/degree_map.h"
#include "kinema/head.h"
#include "kinema/head_calibration.h"

#include <memory>
#include <vector>

namespace kinema::head {

class Adaptation {
public:
  /// Starts from a frame and its head. Colours that occur neither in the head nor around it, such as those of brighter
  /// light, take the degrees of `prior`.
  void start(const ColourView& frame, const Oval& oval, const Degrees& prior);
  bool started() const { return !start_.head.empty(); }

  /// Adds the colours of a frame with weight `rate`, and the previous ones with 1 - `rate`.
  void learn(const ColourView& frame, const Oval& oval, double rate);

  /// The current degrees. The bytes do not depend on the number of threads (0: one per core).
  std::shared_ptr<const Table> table(int threads) const;

private:
  struct Counts {
    std::vector<float> head, around;  // shares of pixels by cell, smoothed
    double level = 0;                 // mean of R + G + B in the head
  };
  static Counts count(const ColourView& frame, const Oval& oval);

  Counts start_, running_;
  std::vector<float> prior_;
};

}  // namespace kinema::head
