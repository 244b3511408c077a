#include "face/quality.h"

#include "face/shape.h"
#include "face/similarity.h"

#include <algorithm>
#include <cmath>

namespace kinema::face {
namespace {

constexpr double scale = 26, margin = 0.7;
constexpr double penalties[] = {1, 10};
// errors below this are all the same to us: labels are no better
constexpr double least_error = 0.01;

// The texture of a shape, and its distance from the mean.
void look(const Model& model, const QualityModel& quality, const GreyView& image, std::span<const float> landmarks,
          std::span<float> texture, Evidence& evidence) {
  const Similarity pose = similarity_between<float, float>(model.shape.mean, landmarks);
  const std::vector<float> unit = transformed<float>(inverse(pose), landmarks);
  Channels grey, bins;
  resample(image, pose, quality.frame, grey);
  orientation_bins(grey, model.cascade.bins, bins);
  landmark_texture(bins, quality.frame, quality.offsets, unit, texture);
  const std::vector<double> b = shape_parameters(model.shape, std::vector<double>(unit.begin(), unit.end()), 0);
  double sum = 0;
  for (std::size_t k = 0; k < b.size(); ++k) sum += b[k] * b[k] / std::max(1e-12, double{model.shape.variances[k]});
  evidence.distance = b.empty() ? 0 : std::sqrt(sum / static_cast<double>(b.size()));
}

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return sum;
}

// Logistic regression by Newton's method with a small penalty.
std::vector<double> logistic(const std::vector<std::vector<double>>& features, const std::vector<char>& failed) {
  const auto size = static_cast<Eigen::Index>(features.front().size());
  Eigen::VectorXd weights = Eigen::VectorXd::Zero(size);
  for (int round = 0; round < 50; ++round) {
    Eigen::MatrixXd hessian = 1e-2 * Eigen::MatrixXd::Identity(size, size);
    Eigen::VectorXd slope = -1e-2 * weights;
    for (std::size_t i = 0; i < features.size(); ++i) {
      const Eigen::Map<const Eigen::VectorXd> f(features[i].data(), size);
      const double p = 1 / (1 + std::exp(-std::clamp(weights.dot(f), -30.0, 30.0)));
      slope += (failed[i] - p) * f;
      hessian += std::max(1e-9, p * (1 - p)) * f * f.transpose();
    }
    const Eigen::VectorXd step = hessian.ldlt().solve(slope);
    // a step that is far too long comes of classes that part cleanly
    weights += step * std::min(1.0, 5 / std::max(1e-12, step.norm()));
    if (step.norm() < 1e-9) break;
  }
  return {weights.data(), weights.data() + size};
}

}  // namespace

std::vector<double> quality_features(const Evidence& evidence) {
  double sum = 0, errors = 0;
  std::vector<double> sorted = evidence.landmarks;
  for (const double value : sorted) sum += value, errors += std::exp(value);
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  return {1, evidence.overall, sum / n, std::log(errors / n), sorted[sorted.size() * 9 / 10], evidence.distance};
}

Trust trust(const Model& model, const GreyView& image, std::span<const float> landmarks) {
  const QualityModel& quality = model.quality;
  const std::size_t count = model.shape.landmarks();
  const std::size_t values = quality.offsets.size() / 2 * model.cascade.bins;
  std::vector<float> texture(count * values);
  Evidence evidence;
  look(model, quality, image, landmarks, texture, evidence);
  const std::span<const float> all = texture;
  evidence.overall = quality.overall_error[0] + dot(std::span<const float>(quality.overall_error).subspan(1), all);
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = quality.landmark_error.row(i);
    evidence.landmarks.push_back(row[0] + dot(row.subspan(1), all.subspan(i * values, values)));
  }
  const std::vector<double> features = quality_features(evidence);
  double score = 0;
  for (std::size_t k = 0; k < features.size(); ++k) score += quality.weights[k] * features[k];
  Trust result;
  result.failure = 1 / (1 + std::exp(-std::clamp(score, -50.0, 50.0)));
  for (std::size_t i = 0; i < count; ++i) {
    // the normal distribution function, nearly
    const double z = (std::log(failure_error) - evidence.landmarks[i]) / quality.landmark_deviation[i];
    result.confidence.push_back(static_cast<float>(1 / (1 + std::exp(-1.702 * std::clamp(z, -20.0, 20.0)))));
  }
  return result;
}

QualityModel train_quality(const TrainingSet& set, const Model& model, std::span<const Sample> samples,
                           const Threads& threads) {
  QualityModel quality;
  quality.frame = frame_about(model.shape.mean, scale, margin);
  const std::vector<float> radii = {3, 7};
  const std::vector<int> counts = {4, 6};
  quality.offsets = ring_offsets(radii, counts);
  const std::size_t count = model.shape.landmarks();
  const std::size_t values = quality.offsets.size() / 2 * model.cascade.bins;
  const auto rows = static_cast<Eigen::Index>(samples.size());
  RowMatrix textures(rows, static_cast<Eigen::Index>(count * values));
  RowMatrix errors(rows, static_cast<Eigen::Index>(count)), mean_errors(rows, 1);
  std::vector<Evidence> evidence(samples.size());
  std::vector<char> failed(samples.size());
  std::vector<int> folds;
  for (const Sample& sample : samples) folds.push_back(sample.fold);
  threads.for_each(samples.size(), [&](std::size_t i) {
    const Sample& sample = samples[i];
    const auto row = static_cast<Eigen::Index>(i);
    const std::span<const float> truth = set.landmarks(sample.example);
    const std::vector<float> landmarks = transformed<float>(sample.pose, sample.shape);
    look(model, quality, set.image(sample.example), landmarks, {textures.row(row).data(), count * values}, evidence[i]);
    const double unit = error_unit(model.layout, truth);
    double sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const double error = std::hypot(landmarks[2 * k] - truth[2 * k], landmarks[2 * k + 1] - truth[2 * k + 1]) / unit;
      sum += error;
      errors(row, static_cast<Eigen::Index>(k)) = static_cast<float>(std::log(error + least_error));
    }
    failed[i] = sum / static_cast<double>(count) > failure_error;
    mean_errors(row, 0) = static_cast<float>(std::log(sum / static_cast<double>(count) + least_error / 2));
  });

  std::vector<float> landmark_error, deviations;
  for (std::size_t k = 0; k < count; ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    RowMatrix about = textures.middleCols(static_cast<Eigen::Index>(k * values), static_cast<Eigen::Index>(values));
    const Ridge ridge = ridge_regression(about, errors.col(column), folds, penalties, threads);
    landmark_error.push_back(ridge.constant[0]);
    landmark_error.insert(landmark_error.end(), ridge.weights.data(), ridge.weights.data() + ridge.weights.size());
    double square = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const double told = ridge.held_out(static_cast<Eigen::Index>(i), 0);
      const double off = told - errors(static_cast<Eigen::Index>(i), column);
      square += off * off;
      evidence[i].landmarks.push_back(told);
    }
    deviations.push_back(static_cast<float>(std::max(0.05, std::sqrt(square / static_cast<double>(samples.size())))));
  }
  const Ridge ridge = ridge_regression(textures, mean_errors, folds, penalties, threads);
  std::vector<float> overall = {ridge.constant[0]};
  overall.insert(overall.end(), ridge.weights.data(), ridge.weights.data() + ridge.weights.size());
  std::vector<std::vector<double>> features;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    evidence[i].overall = ridge.held_out(static_cast<Eigen::Index>(i), 0);
    features.push_back(quality_features(evidence[i]));
  }
  const std::vector<double> weights = logistic(features, failed);
  quality.landmark_error = {count, 1 + values, std::move(landmark_error)};
  quality.landmark_deviation = std::move(deviations);
  quality.overall_error = std::move(overall);
  quality.weights = std::vector<float>(weights.begin(), weights.end());
  return quality;
}

}  // namespace kinema::face
