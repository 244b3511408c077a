#include "face/training/held_out.h"

#include "core/random.h"
#include "core/symmetric.h"
#include "face/constants.h"
#include "face/fitter/quality.h"
#include "face/model/linear.h"
#include "face/model/shape.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kinema::face {
namespace {

// The target of the regressions.
float target_error(double error) { return static_cast<float>(std::log(std::clamp(error, least_error, most_error))); }

// Logistic regression by Newton's method; the penalty is small unless given.
std::vector<double> logistic(const RowMatrix& features, std::span<const char> happened, std::span<const double> counts,
                             double penalty = 1e-2) {
  const Eigen::Index size = features.cols();
  Eigen::VectorXd weights = Eigen::VectorXd::Zero(size);
  for (int round = 0; round < 50; ++round) {
    Eigen::MatrixXd hessian = penalty * Eigen::MatrixXd::Identity(size, size);
    Eigen::VectorXd slope = -penalty * weights;
    for (Eigen::Index i = 0; i < features.rows(); ++i) {
      const Eigen::VectorXd f = features.row(i).transpose().cast<double>();
      const double count = counts[static_cast<std::size_t>(i)];
      const double p = probability(std::clamp(weights.dot(f), -30.0, 30.0));
      slope += count * (happened[static_cast<std::size_t>(i)] - p) * f;
      hessian += count * std::max(1e-9, p * (1 - p)) * f * f.transpose();
    }
    const Eigen::VectorXd step = solve_symmetric(hessian, slope);
    // an excessive step results from separable classes
    weights += step * std::min(1.0, 5 / std::max(1e-12, step.norm()));
    if (step.norm() < 1e-9) break;
  }
  return {weights.data(), weights.data() + size};
}

// Of quality_features(), what orders faces unlike the examples too: 1, the expected mean error, the distance of the shape
// from the mean and the residual. Those of the landmarks are so like the expected mean error that a regression weighs
// their difference.
constexpr std::array<bool, quality_feature_count> transferable = {true, true, false, false, false, true, true};

// What photographs add to the landmarks of a held-out fit of a drawn face: labels set by hand, and textures that tell less of
// errors. Nothing where faces are like the examples.
class Labels {
public:
  Labels(bool transferred, std::size_t fit)
      : random_{0, 7'000'000, static_cast<std::uint32_t>(fit)}, factor_(transferred ? 1 : 0) {}

  double x(std::size_t landmark) const { return factor_ * label_deviation * number(3 * landmark); }
  double y(std::size_t landmark) const { return factor_ * label_deviation * number(3 * landmark + 1); }
  double expected(std::size_t landmark) const { return factor_ * expected_error_deviation * number(3 * landmark + 2); }

private:
  double number(std::size_t which) const { return random_.normal(static_cast<std::uint32_t>(which)); }

  Random random_;
  double factor_;
};

std::vector<float> with_constant(const Ridge& ridge) {
  std::vector<float> row = {ridge.constant[0]};
  row.insert(row.end(), ridge.weights.data(), ridge.weights.data() + ridge.weights.size());
  return row;
}

std::vector<float> floats_of(const std::vector<double>& values) { return {values.begin(), values.end()}; }

// What the shape of a fit adds to the argument of its probability of failure.
struct ShapeOdds {
  double constant = 0;
  std::vector<float> weights;  // of b
};

// From fits with usual starts alone, since others end in shapes of no face: a regression of their errors on shapes, and the
// odds of failure that go with what it expects. It adds to what textures tell as if it were independent of them: drawn
// textures tell so much that a joint regression would leave the shape out.
ShapeOdds learn_shape_odds(std::span<const HeldOutFit> fits, std::span<const Evidence> evidence,
                           const RowMatrix& mean_errors, std::span<const char> failed, const Threads& threads) {
  std::vector<std::size_t> usual;
  for (std::size_t i = 0; i < fits.size(); ++i)
    if (fits[i].count == held_out_weights[0]) usual.push_back(i);
  const auto rows = static_cast<Eigen::Index>(usual.size());
  const std::size_t modes = evidence[0].shape.size();
  if (modes == 0) return {};
  RowMatrix shapes(rows, static_cast<Eigen::Index>(modes)), errors(rows, 1);
  std::vector<int> folds;
  std::vector<char> usual_failed;
  for (const std::size_t i : usual) {
    const auto row = static_cast<Eigen::Index>(folds.size());
    for (std::size_t k = 0; k < modes; ++k)
      shapes(row, static_cast<Eigen::Index>(k)) = static_cast<float>(evidence[i].shape[k]);
    errors(row, 0) = mean_errors(static_cast<Eigen::Index>(i), 0);
    folds.push_back(fits[i].fold), usual_failed.push_back(failed[i]);
  }
  const Ridge ridge = ridge_regression(shapes, errors, folds, {&quality_shape_penalty, 1}, threads);
  const Eigen::VectorXf expected = ridge.held_out.col(0);
  const float mean = expected.mean();
  const float deviation = std::sqrt((expected.array() - mean).square().mean());
  if (!(deviation > 1e-6f)) return {0, std::vector<float>(modes, 0.0f)};
  RowMatrix features(rows, 2);
  features.col(0).setOnes();
  features.col(1) = (expected.array() - mean) / deviation;
  const std::vector<double> counts(usual.size(), 1.0);
  // few failures tell little: a penalty of 1 for a deviation of 1
  const double odds = std::max(0.0, logistic(features, usual_failed, counts, 1)[1]) / static_cast<double>(deviation);
  ShapeOdds result;
  result.constant = odds * static_cast<double>(ridge.constant[0] - mean);
  for (Eigen::Index k = 0; k < ridge.weights.size(); ++k)
    result.weights.push_back(static_cast<float>(odds * static_cast<double>(ridge.weights.data()[k])));
  return result;
}

}  // namespace

QualityModel train_quality(const TrainingSet& set, const Model& model, const HeldOut& held_out, bool transferred,
                           const Threads& threads) {
  const std::span<const double> penalties =
      transferred ? std::span<const double>(&quality_transfer_penalty, 1) : std::span<const double>(quality_penalties);
  QualityModel quality;
  quality.frame = frame_about(model.shape.mean, quality_scale, quality_margin);
  quality.offsets = ring_offsets(quality_radii, quality_counts);
  const std::vector<HeldOutFit>& fits = held_out.fits;
  const std::size_t count = model.shape.landmarks();
  const std::size_t values = quality.offsets.size() / 2 * model.cascade.bins;
  const auto rows = static_cast<Eigen::Index>(fits.size());
  RowMatrix textures(rows, static_cast<Eigen::Index>(count * values));
  RowMatrix errors(rows, static_cast<Eigen::Index>(count)), mean_errors(rows, 1);
  std::vector<Evidence> evidence(fits.size());
  std::vector<char> failed(fits.size()), within(fits.size() * count);
  std::vector<double> counts;
  std::vector<int> folds;
  for (const HeldOutFit& fit : fits) folds.push_back(fit.fold), counts.push_back(fit.count);
  threads.for_each(fits.size(), [&](std::size_t i) {
    const HeldOutFit& one = fits[i];
    const auto row = static_cast<Eigen::Index>(i);
    const std::span<const float> truth = set.landmarks(one.example);
    const std::vector<float>& landmarks = one.fit.landmarks;
    observe(held_out.models[static_cast<std::size_t>(one.fold)], quality, set.image(one.example), one.fit,
            {textures.row(row).data(), count * values}, evidence[i]);
    const double unit = error_unit(model.layout, truth);
    const Labels labels(transferred, i);
    double sum = 0, labelled = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const float x = landmarks[2 * k] - truth[2 * k], y = landmarks[2 * k + 1] - truth[2 * k + 1];
      const double error = std::hypot(x, y) / unit;
      sum += error;
      errors(row, static_cast<Eigen::Index>(k)) = target_error(error);
      const double from_label = std::hypot(x / unit + labels.x(k), y / unit + labels.y(k));
      labelled += from_label;
      within[i * count + k] = from_label <= failure_error;
    }
    failed[i] = labelled / static_cast<double>(count) > failure_error;
    mean_errors(row, 0) = target_error(sum / static_cast<double>(count));
  });

  // expected errors; the following steps learn from their held-out predictions
  std::vector<float> landmark_error;
  for (std::size_t k = 0; k < count; ++k) {
    RowMatrix about = textures.middleCols(static_cast<Eigen::Index>(k * values), static_cast<Eigen::Index>(values));
    const Ridge ridge = ridge_regression(about, errors.col(static_cast<Eigen::Index>(k)), folds, penalties, threads);
    const std::vector<float> row = with_constant(ridge);
    landmark_error.insert(landmark_error.end(), row.begin(), row.end());
    for (std::size_t i = 0; i < fits.size(); ++i)
      evidence[i].landmarks.push_back(ridge.held_out(static_cast<Eigen::Index>(i), 0));
  }
  // Of faces unlike the examples, textures of fits that are far off tell most: the rarer they are, the more they count.
  std::vector<double> rarity(counts.size(), 1.0);
  for (std::size_t i = 0; transferred && i < counts.size(); ++i) rarity[i] = 1 / counts[i];
  const Ridge ridge = ridge_regression(textures, mean_errors, folds, penalties, threads, false, rarity);
  for (std::size_t i = 0; i < fits.size(); ++i) evidence[i].overall = ridge.held_out(static_cast<Eigen::Index>(i), 0);
  quality.landmark_error = {count, 1 + values, std::move(landmark_error)};
  quality.overall_error = with_constant(ridge);

  // probabilities
  RowMatrix features(rows, static_cast<Eigen::Index>(quality_feature_count));
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const std::vector<double> of = quality_features(evidence[i]);
    for (std::size_t k = 0; k < of.size(); ++k) {
      const bool used = !transferred || transferable[k];
      features(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = used ? static_cast<float>(of[k]) : 0.0f;
    }
  }
  std::vector<double> weights = logistic(features, failed, counts);
  quality.weights = floats_of(weights);
  RowMatrix landmark_features(rows * static_cast<Eigen::Index>(count), 3);
  std::vector<double> landmark_counts;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const auto score = static_cast<float>(failure_score(quality, evidence[i]));
    const Labels labels(transferred, i);
    for (std::size_t k = 0; k < count; ++k) {
      landmark_features.row(static_cast<Eigen::Index>(i * count + k)) << 1,
          static_cast<float>(evidence[i].landmarks[k] + labels.expected(k)), score;
      landmark_counts.push_back(counts[i]);
    }
  }
  quality.landmark_weights = floats_of(logistic(landmark_features, within, landmark_counts));
  // last: the shapes of displaced fits would teach confidences nothing
  if (transferred) {
    const ShapeOdds odds = learn_shape_odds(fits, evidence, mean_errors, failed, threads);
    weights[0] += odds.constant;
    quality.weights = floats_of(weights);
    quality.shape_weights = odds.weights;
  }
  return quality;
}

}  // namespace kinema::face
