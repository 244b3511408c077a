// Whether the score means what it says: told probabilities held against what happened.
#pragma once

#include "app/face_evaluation.h"

#include <cstddef>
#include <string>
#include <vector>

namespace kinema::app {

/// Those whose told probability lies from `from` up to `to`.
struct ReliabilityBin {
  double from = 0, to = 1;
  std::size_t count = 0;
  double told = 0;      ///< mean of the probabilities
  double happened = 0;  ///< share of those in which it came true
};

/// Of the probabilities that fits failed.
std::vector<ReliabilityBin> failure_reliability(const FaceEvaluation& evaluation);

/// Of the confidences that landmarks are within the limit; empty where there are none.
std::vector<ReliabilityBin> landmark_reliability(const FaceEvaluation& evaluation);

/// The mean difference between told and happened, over the bins by their count: 0 is perfect.
double calibration_error(const std::vector<ReliabilityBin>& bins);

}  // namespace kinema::app
