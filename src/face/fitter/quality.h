// The reliability of a fit: expected errors of landmarks from the texture around them, and a probability of failure
// from all of it. Single precision; run once per fit.
#pragma once

#include "core/threads.h"
#include "kinema/face.h"

#include <span>
#include <vector>

namespace kinema::face {

/// A fit fails if its mean error is over this share of the outer-eye distance.
inline constexpr double failure_error = 0.08;

struct FitQuality {
  double failure = 0;
  std::vector<float> confidence;  ///< one per landmark
};

/// What is known about a fit without its truth.
struct Evidence {
  double overall = 0;             ///< log of the expected mean error
  std::vector<double> landmarks;  ///< log of the expected error of each
  std::vector<double> shape;      ///< b
  double distance = 0;            ///< distance of the shape from the mean: root mean square of b over its deviations
  double residual = 0;            ///< log of the texture's error over that of the training set, 0 if unknown
};

/// The features of the logistic regression: 1, and functions of the evidence.
std::vector<double> quality_features(const Evidence& evidence);

/// Of a fit with landmarks in image pixels and the error of its last stage. The model must have a quality model.
FitQuality fit_quality(const Model& model, const GreyView& image, const Fit& fit, const Threads* threads = nullptr);

/// The texture around the landmarks of a fit, and the evidence that needs no regressions on it.
void observe(const Model& model, const QualityModel& quality, const GreyView& image, const Fit& fit,
             std::span<float> texture, Evidence& evidence, const Threads* threads = nullptr);

/// The argument of the probability of failure.
double failure_score(const QualityModel& quality, const Evidence& evidence);
double probability(double score);

}  // namespace kinema::face
