// Colours learned while the head is followed: those inside its oval against those around it (Bayes), as a table.
//
// What the start showed stays a part of it for ever, so that a wrong turn of some seconds is not the end.
#pragma once

#include "head/degree_map.h"
#include "kinema/head.h"
#include "kinema/head_calibration.h"

#include <memory>
#include <vector>

namespace kinema::head {

class Adaptation {
public:
  /// Takes a frame, with its head, as the start. Colours that are seen neither in the head nor around it, such as those of
  /// brighter light, have the degrees of `prior`.
  void start(const ColourView& frame, const Oval& oval, const Degrees& prior);
  bool started() const { return !start_.head.empty(); }

  /// Adds what a frame shows: `rate` of what is known is then new.
  void learn(const ColourView& frame, const Oval& oval, double rate);

  /// The degrees of what is known now. The bytes do not depend on the number of threads (0: one a core).
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
