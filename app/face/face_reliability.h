// Calibration of the score: predicted probabilities compared with outcomes.
#pragma once

#include "app/face/face_evaluation.h"

#include <cstddef>
#include <string>
#include <vector>

namespace kinema::app {

/// Those whose predicted probability lies from `from` up to `to`.
struct ReliabilityBin {
  double from = 0, to = 1;
  std::size_t count = 0;
  double predicted = 0;  ///< mean of the probabilities
  double observed = 0;   ///< share of those in which the event occurred
};

/// Of the predicted probabilities of failure.
std::vector<ReliabilityBin> failure_reliability(const FaceEvaluation& evaluation);

/// Of the confidences that landmarks are within the limit; empty if there are none.
std::vector<ReliabilityBin> landmark_reliability(const FaceEvaluation& evaluation);

/// The expected calibration error: the mean difference of prediction and outcome over the bins, weighted by count; 0 is
/// perfect.
double calibration_error(const std::vector<ReliabilityBin>& bins);

}  // namespace kinema::app
