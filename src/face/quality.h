// How far a fit can be trusted: expected errors of landmarks from the texture about them, and from all of it a
// probability of failure. Single precision; run once a fit.
#pragma once

#include "core/threads.h"
#include "face/cascade.h"
#include "kinema/face.h"

#include <span>
#include <vector>

namespace kinema::face {

/// A fit fails where its mean error is over this share of the outer-eye distance.
inline constexpr double failure_error = 0.08;

struct Trust {
  double failure = 0;
  std::vector<float> confidence;  ///< one a landmark
};

/// What is known of a fit without its truth.
struct Evidence {
  double overall = 0;             ///< log of the expected mean error
  std::vector<double> landmarks;  ///< log of the expected error of each
  double distance = 0;            ///< of the shape from the mean: root mean square of b over its deviations
};

/// The features of the logistic regression: 1, and what follows from the evidence.
std::vector<double> quality_features(const Evidence& evidence);

/// For landmarks in image pixels. The model must have a quality model.
Trust trust(const Model& model, const GreyView& image, std::span<const float> landmarks);

/// Learns it from fits by regressions that had not seen the example, whose shapes and poses `samples` has.
QualityModel train_quality(const TrainingSet& set, const Model& model, std::span<const Sample> samples,
                           const Threads& threads);

}  // namespace kinema::face
