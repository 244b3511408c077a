// Refining: the modes of shape, then the cascade, then the textures; held-out examples tell whether it helps.
#include "kinema/face_refine.h"

#include "core/threads.h"
#include "face/constants.h"
#include "face/model/shape.h"
#include "face/training/appearance.h"
#include "face/training/cascade.h"
#include "face/training/held_out.h"
#include "face/training/refine_appearance.h"
#include "face/training/refine_quality.h"
#include "face/training/refine_start.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
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
