// Refining: the modes of shape, then the cascade, then the textures; held-out examples tell whether it helps.
#include "kinema/face_refine.h"

#include "core/threads.h"
#include "face/constants.h"
#include "face/fitter/quality.h"
#include "face/model/linear.h"
#include "face/model/shape.h"
#include "face/model/similarity.h"
#include "face/training/appearance.h"
#include "face/training/cascade.h"
#include "face/training/held_out.h"
#include "face/training/training_set.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace kinema::face {
namespace {

constexpr std::size_t refine_folds = 4;

void check_call(const Model& start, std::span<const Example> examples, const RefineSettings& settings) {
  check_refinable(start);
  if (examples.size() < least_refine_examples)
    throw Error(fmt::format("{} faces; refining a model needs at least {}", examples.size(), least_refine_examples));
  if (examples.front().landmarks.size() != start.shape.mean.size())
    throw Error(fmt::format("{} landmarks, but the model to refine has {}; label as many",
                            examples.front().landmarks.size() / 2, start.shape.landmarks()));
  if (settings.displacements < 1 || settings.displacements > 1000)
    throw Error(fmt::format("displacements is {}; give 1 to 1000", settings.displacements));
  if (settings.threads < 0)
    throw Error(fmt::format("threads is {}; give 0 for one per core, or more", settings.threads));
  for (const auto& [name, value] :
       {std::pair{"start_shift", settings.start_shift}, std::pair{"start_scale", settings.start_scale},
        std::pair{"start_turn", settings.start_turn}})
    if (!(value >= 0) || value > 1) throw Error(fmt::format("{} is {}; give 0 to 1", name, value));
}

TrainSettings train_settings(const RefineSettings& settings) {
  TrainSettings result;
  result.mirrored = settings.mirrored;
  result.displacements = settings.displacements;
  result.start_shift = settings.start_shift;
  result.start_scale = settings.start_scale;
  result.start_turn = settings.start_turn;
  result.seed = settings.seed;
  result.threads = settings.threads;
  return result;
}

// In the order in which every fourth example belongs to one fold: of a film, its folds are stretches.
std::vector<Example> in_order(std::span<const Example> examples, bool film) {
  if (!film) return {examples.begin(), examples.end()};
  std::vector<Example> result;
  const std::size_t most = (examples.size() + refine_folds - 1) / refine_folds;
  for (std::size_t i = 0; i < most; ++i)
    for (std::size_t fold = 0; fold < refine_folds; ++fold) {
      // the first folds have one more where the number cannot be divided
      const std::size_t larger = examples.size() % refine_folds, size = examples.size() / refine_folds;
      const std::size_t first = fold * size + std::min(fold, larger);
      if (i < size + (fold < larger ? 1 : 0)) result.push_back(examples[first + i]);
    }
  return result;
}

// Shape and texture modes of a model, extended by the faces of a few examples.

Matrix stacked(const RowMatrix& above, const RowMatrix& below) {
  RowMatrix both(above.rows() + below.rows(), above.cols());
  both << above, below;
  return matrix_of(both);
}

std::vector<float> followed_by(std::span<const float> values, std::span<const float> more) {
  std::vector<float> result(values.begin(), values.end());
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

// Adds modes for what the examples show beyond those of the model, with regressions that do not move them yet, and adapts
// the variances. The mean shape, on which all else is built, stays: where the examples differ from it, the modes do.
void extend_shape(Model& model, const TrainingSet& set, const Threads& threads) {
  const auto size = static_cast<Eigen::Index>(model.shape.mean.size());
  const auto examples = static_cast<Eigen::Index>(set.size());
  const Eigen::Map<const Eigen::RowVectorXf> mean(model.shape.mean.data(), size);
  RowMatrix rest(examples, size);
  for (Eigen::Index i = 0; i < examples; ++i) {
    const std::span<const float> landmarks = set.landmarks(static_cast<std::size_t>(i));
    const Similarity pose = similarity_between<float, float>(model.shape.mean, landmarks);
    const std::vector<float> unit = transformed<float>(inverse(pose), landmarks);
    rest.row(i) = Eigen::Map<const Eigen::RowVectorXf>(unit.data(), size) - mean;
  }
  const auto modes = rows_of(model.shape.modes), four = rows_of(model.pose_modes);
  const RowMatrix along = rest * modes.transpose();
  rest -= along * modes;
  rest -= (rest * four.transpose()) * four;

  std::vector<float> variances(model.shape.variances.begin(), model.shape.variances.end());
  const auto count = static_cast<double>(set.size());
  for (std::size_t k = 0; k < variances.size(); ++k) {
    const double squares = along.col(static_cast<Eigen::Index>(k)).cast<double>().squaredNorm();
    variances[k] = static_cast<float>((refine_start_faces * variances[k] + squares) / (refine_start_faces + count));
  }
  const Components added =
      principal_components(rest, refine_shape_share, 0, static_cast<std::size_t>(refine_shape_modes), threads);
  model.shape.modes = stacked(modes, added.modes);
  model.shape.variances = followed_by(variances, std::vector<float>(added.variances.begin(), added.variances.end()));
  for (CascadeStage& stage : model.cascade.stages) {
    const auto columns = static_cast<Eigen::Index>(stage.gradient.columns);
    stage.gradient = stacked(rows_of(stage.gradient), RowMatrix::Zero(added.modes.rows(), columns));
    stage.constant = followed_by(stage.constant, std::vector<float>(added.variances.size(), 0.0f));
  }
  Array<float>& weights = model.quality.shape_weights;
  if (!weights.empty()) weights = followed_by(weights, std::vector<float>(added.variances.size(), 0.0f));
}

// The same for the texture of a level, with modes that turn.
void extend_textures(Level& level, const TrainingSet& set, const Model& model, const Threads& threads) {
  const LevelData data = sample_examples(level, set, model, threads);
  const auto known = rows_of(level.texture_modes);
  const Eigen::Index examples = data.textures.rows(), all = known.rows() + examples;
  const Eigen::Map<const Eigen::RowVectorXf> mean(level.mean.data(), data.textures.cols());
  const double faces = refine_start_faces + static_cast<double>(examples);
  const auto unit = static_cast<float>(std::sqrt(static_cast<double>(all - 1) / faces));
  RowMatrix rows(all, data.textures.cols());
  for (Eigen::Index k = 0; k < known.rows(); ++k) {
    const double variance = level.texture_variances[static_cast<std::size_t>(k)];
    rows.row(k) = unit * static_cast<float>(std::sqrt(refine_start_faces * variance)) * known.row(k);
  }
  threads.for_each(static_cast<std::size_t>(examples), [&](std::size_t i) {
    const auto from = static_cast<Eigen::Index>(i);
    auto row = rows.row(known.rows() + from);
    row = data.textures.row(from);
    if (level.photometric) normalise_texture({row.data(), level.mean.size()}, level.mean);
    row = unit * (row - mean);
  });
  const double squares = rows.bottomRows(examples).cast<double>().squaredNorm();
  const Components components = principal_components(
      rows, 1, static_cast<std::size_t>(known.rows()) + static_cast<std::size_t>(refine_texture_modes), 0, threads);
  level.texture_modes = matrix_of(components.modes);
  std::vector<float> variances(components.variances.begin(), components.variances.end());
  const Eigen::MatrixXd along = rows_by_rows(rows.bottomRows(examples), components.modes, threads);
  const double left = std::max(0.0, squares - along.squaredNorm()) / (static_cast<double>(all - 1) / faces);
  level.residual_variance = static_cast<float>(
      (refine_start_faces * level.residual_variance + left / static_cast<double>(level.mean.size())) / faces);
  level.texture_variances = std::move(variances);
}

Model refined(const Model& start, std::span<const Example> examples, const TrainSettings& settings,
              const Threads& threads, const std::function<void(double)>& progress) {
  const TrainingSet set(examples, start.layout, settings.mirrored);
  Model model = start;
  extend_shape(model, set, threads);
  model.cascade = refine_cascade(set, model, settings, threads, progress);
  std::vector<bool> used(model.levels.size(), false);
  for (const Stage& stage : model.sequence)
    if (stage.method != Method::cascade) used[stage.level] = true;
  for (std::size_t l = 0; l < model.levels.size(); ++l) {
    if (used[l]) extend_textures(model.levels[l], set, model, threads);
    if (model.levels[l].project_out.rows > 0) train_project_out(model.levels[l], model, threads);
  }
  return model;
}

// The probabilities of a model that was refined, brought in line with how often fits of held-out faces fail.

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

// Shifts probability of failure and confidences; what orders fits stays as it was learned, from more faces. Does nothing
// to a model without them.
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

// The mean error of fits, as often as they count.
double mean_error(const std::vector<HeldOutFit>& fits, const TrainingSet& set, const Layout& layout) {
  double sum = 0, count = 0;
  for (const HeldOutFit& one : fits) {
    const std::span<const float> truth = set.landmarks(one.example);
    // how far a lost face is off tells nothing
    const double error = mean_distance(one.fit.landmarks, truth) / error_unit(layout, truth);
    sum += one.count * std::min(most_error, error);
    count += one.count;
  }
  return sum / count;
}

// How far fits of one face from a usual and from a poor start lie apart, in the mean.
double mean_disagreement(const std::vector<HeldOutFit>& fits, const TrainingSet& set, const Layout& layout) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i + 1 < fits.size(); ++i) {
    const HeldOutFit &one = fits[i], &next = fits[i + 1];
    if (one.example != next.example || one.count != held_out_weights[0]) continue;
    const double apart = mean_distance(one.fit.landmarks, next.fit.landmarks);
    sum += std::min(most_error, apart / error_unit(layout, set.landmarks(one.example)));
    count += 1;
  }
  return sum / count;
}

// Labels of a film are fits of the model itself, so that it always fits them best: of a better model, fits of one face
// agree, and lie near them still.
void judge_film(const HeldOut& before, const HeldOut& after, const TrainingSet& set, const Layout& layout,
                Refinement& result) {
  const double drift = mean_error(after.fits, set, layout) - mean_error(before.fits, set, layout);
  result.before = mean_disagreement(before.fits, set, layout);
  result.after = mean_disagreement(after.fits, set, layout);
  result.better =
      result.before > film_least_disagreement && result.after < result.before / 2 && drift < film_most_drift;
}

}  // namespace

Refinement refine(const Model& start, std::span<const Example> examples, const RefineSettings& settings) {
  check_call(start, examples, settings);
  const std::vector<Example> ordered = in_order(examples, settings.film);
  const TrainSettings training = train_settings(settings);
  const TrainingSet set(ordered, start.layout, training.mirrored);
  const Threads threads(settings.threads);
  const auto part = [&](std::string_view stage, std::size_t number) {
    return [&settings, stage, number](double done) {
      if (settings.progress)
        settings.progress(stage, (static_cast<double>(number) + done) / static_cast<double>(refine_folds + 2));
    };
  };
  Refinement result;
  result.model = refined(start, ordered, training, threads, part("cascade", 0));
  std::vector<Model> without;
  for (std::size_t fold = 0; fold < refine_folds; ++fold) {
    std::vector<Example> others;
    for (std::size_t i = 0; i < ordered.size(); ++i)
      if (i % refine_folds != fold) others.push_back(ordered[i]);
    without.push_back(refined(start, others, training, threads, part("held-out models", 1 + fold)));
  }
  part("held-out fits", 1 + refine_folds)(0);
  const HeldOut before = held_out_fits(set, std::vector<Model>(refine_folds, start), training);
  const HeldOut after = held_out_fits(set, std::move(without), training);
  if (settings.film) {
    judge_film(before, after, set, start.layout, result);
  } else {
    result.before = mean_error(before.fits, set, start.layout);
    result.after = mean_error(after.fits, set, start.layout);
    result.better = result.after < result.before;
    // a film says nothing about errors
    if (ordered.size() >= calibration_examples) calibrate_quality(result.model, set, after, threads);
  }
  if (!result.better) result.model = start;
  check(result.model);
  return result;
}

}  // namespace kinema::face
