#include "face/training/refine_quality.h"

#include "face/fitter/quality.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace kinema::face {
namespace {

double logit(double probability) {
  const double p = std::clamp(probability, 1e-12, 1 - 1e-12);
  return std::log(p / (1 - p));
}

struct Judged {
  double score = 0;  // the argument of a probability
  bool happened = false;
  double count = 1;
};

// What must be added to all scores so that what happened is most likely. A few faces that all went well do not make it
// boundless: it has a prior of deviation 1.
double shift_of(std::span<const Judged> all) {
  double shift = 0;
  for (int round = 0; round < 50; ++round) {
    double slope = -shift, curvature = 1;
    for (const Judged& one : all) {
      const double p = 1 / (1 + std::exp(-(one.score + shift)));
      slope += one.count * ((one.happened ? 1 : 0) - p);
      curvature += one.count * p * (1 - p);
    }
    const double step = std::clamp(slope / curvature, -1.0, 1.0);
    shift += step;
    if (std::abs(step) < 1e-9) break;
  }
  return shift;
}

}  // namespace

void calibrate_quality(Model& model, const TrainingSet& set, const HeldOut& held_out, const Threads& threads) {
  QualityModel& quality = model.quality;
  if (quality.weights.empty()) return;
  const std::size_t landmarks = model.shape.landmarks(), fits = held_out.fits.size();
  std::vector<Judged> failures(fits), places(fits * landmarks);
  threads.for_each(fits, [&](std::size_t i) {
    const HeldOutFit& one = held_out.fits[i];
    const FitQuality told =
        fit_quality(held_out.models[static_cast<std::size_t>(one.fold)], set.image(one.example), one.fit);
    const std::span<const float> truth = set.landmarks(one.example);
    const double unit = error_unit(model.layout, truth);
    double sum = 0;
    for (std::size_t k = 0; k < landmarks; ++k) {
      const double error =
          std::hypot(one.fit.landmarks[2 * k] - truth[2 * k], one.fit.landmarks[2 * k + 1] - truth[2 * k + 1]) / unit;
      sum += error;
      places[i * landmarks + k] = {logit(told.confidence[k]), error <= failure_error,
                                   one.count / static_cast<double>(landmarks)};
    }
    failures[i] = {logit(told.failure), sum / static_cast<double>(landmarks) > failure_error, one.count};
  });
  const double shift = shift_of(failures);
  // the confidence of a landmark depends on the first score too, by its last weight
  for (Judged& place : places) place.score += quality.landmark_weights[2] * shift;
  std::vector<float> weights(quality.weights.begin(), quality.weights.end());
  std::vector<float> landmark_weights(quality.landmark_weights.begin(), quality.landmark_weights.end());
  weights[0] += static_cast<float>(shift);
  landmark_weights[0] += static_cast<float>(shift_of(places));
  quality.weights = std::move(weights);
  quality.landmark_weights = std::move(landmark_weights);
}

}  // namespace kinema::face
