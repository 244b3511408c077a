#include "face/fitter/quality.h"

#include "face/model/orientation_bins.h"
#include "face/model/shape.h"
#include "face/model/similarity.h"

#include <algorithm>
#include <cmath>

namespace kinema::face {
namespace {

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return sum;
}

double dot(std::span<const float> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

void observe(const Model& model, const QualityModel& quality, const GreyView& image, const Fit& fit,
             std::span<float> texture, Evidence& evidence, const Threads* threads) {
  const std::span<const float> landmarks = fit.landmarks;
  const Similarity pose = similarity_between<float, float>(model.shape.mean, landmarks);
  const std::vector<float> unit = transformed<float>(inverse(pose), landmarks);
  Channels grey;
  OrientationBins bins;
  resample(image, pose, quality.frame, grey, threads);
  orientation_bins(grey, model.cascade.bins, bins, threads);
  landmark_texture(bins, quality.frame, quality.offsets, unit, texture, threads);
  evidence.shape = shape_parameters(model.shape, std::vector<double>(unit.begin(), unit.end()), 0);
  const std::vector<double>& b = evidence.shape;
  double sum = 0;
  for (std::size_t k = 0; k < b.size(); ++k) sum += b[k] * b[k] / std::max(1e-12, double{model.shape.variances[k]});
  evidence.distance = b.empty() ? 0 : std::sqrt(sum / static_cast<double>(b.size()));
  const Stage& last = model.sequence.back();
  if (last.method != Method::cascade && fit.error > 0)
    evidence.residual = std::log(fit.error / std::max(1e-12f, model.levels[last.level].residual_variance));
}

std::vector<double> quality_features(const Evidence& evidence) {
  double sum = 0, errors = 0;
  std::vector<double> sorted = evidence.landmarks;
  for (const double value : sorted) sum += value, errors += std::exp(value);
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  return {1,
          evidence.overall,
          sum / n,
          std::log(errors / n),
          sorted[sorted.size() * 9 / 10],
          evidence.distance,
          evidence.residual};
}

double failure_score(const QualityModel& quality, const Evidence& evidence) {
  double score = dot(quality.weights, std::span<const double>(quality_features(evidence)));
  if (!quality.shape_weights.empty()) score += dot(quality.shape_weights, std::span<const double>(evidence.shape));
  return std::clamp(score, -50.0, 50.0);
}

double probability(double score) { return 1 / (1 + std::exp(-score)); }

FitQuality fit_quality(const Model& model, const GreyView& image, const Fit& fit, const Threads* threads) {
  const QualityModel& quality = model.quality;
  const std::size_t count = model.shape.landmarks();
  const std::size_t values = quality.offsets.size() / 2 * model.cascade.bins;
  std::vector<float> texture(count * values);
  Evidence evidence;
  observe(model, quality, image, fit, texture, evidence, threads);
  const std::span<const float> all = texture;
  evidence.overall = quality.overall_error[0] + dot(std::span<const float>(quality.overall_error).subspan(1), all);
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = quality.landmark_error.row(i);
    evidence.landmarks.push_back(row[0] + dot(row.subspan(1), all.subspan(i * values, values)));
  }
  const double score = failure_score(quality, evidence);
  FitQuality result;
  result.failure = probability(score);
  for (std::size_t i = 0; i < count; ++i) {
    const double features[] = {1, evidence.landmarks[i], score};
    result.confidence.push_back(
        static_cast<float>(probability(std::clamp(dot(quality.landmark_weights, features), -50.0, 50.0))));
  }
  return result;
}

}  // namespace kinema::face
