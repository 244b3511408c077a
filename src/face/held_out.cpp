#include "face/held_out.h"

#include "face/appearance.h"
#include "face/constants.h"
#include "face/fitter_backends.h"
#include "face/similarity.h"

#include <memory>
#include <utility>

namespace kinema::face {
namespace {

// The model trained without the examples of a fold, as far as its sequence needs it.
Model model_without(std::size_t fold, std::size_t folds, std::span<const Example> examples, const Model& model,
                    const Cascade& cascade, const TrainSettings& settings, const Threads& threads) {
  Model result = model;
  result.cascade = cascade;
  result.quality = {};
  std::vector<bool> used(model.levels.size(), false);
  for (const Stage& stage : model.sequence)
    if (stage.method != Method::cascade) used[stage.level] = true;
  std::vector<Example> others;
  for (std::size_t i = 0; i < examples.size(); ++i)
    if (i % folds != fold) others.push_back(examples[i]);
  const TrainingSet set(others, model.layout, settings.mirrored);
  for (std::size_t l = 0; l < model.levels.size(); ++l)
    if (used[l]) train_textures(result.levels[l], set, model, settings, threads);
  return result;
}

// Fits of the examples of a fold by a model that has not seen them, from every kind of start.
void fit_fold(int fold, int folds, std::shared_ptr<const Model> model, const TrainingSet& set,
              const TrainSettings& settings, HeldOut& result) {
  FitSettings fit_settings;
  fit_settings.score = false;
  fit_settings.threads = settings.threads;
  std::vector<Face> faces;
  std::vector<HeldOutFit> fits;
  for (std::uint32_t i = 0; i < set.size(); ++i) {
    if (fold_of(set, i, static_cast<std::size_t>(folds)) != fold) continue;
    const Similarity truth = similarity_between<float, float>(model->shape.mean, set.landmarks(i));
    for (std::uint32_t w = 0; w < std::size(held_out_widths); ++w) {
      const double width = held_out_widths[w] * (settings.penalty > 0 ? held_out_transfer_width : 1.0);
      const Displacement by{width * settings.start_shift, width * settings.start_scale, width * settings.start_turn};
      Face face{set.image(i), {}, false};
      // random numbers other than those of the cascade's training
      face.start.similarity = displaced_pose(truth, set.landmarks(i), by, settings.seed, i, 1'000'000 + w);
      faces.push_back(std::move(face));
      fits.push_back({i, fold, held_out_weights[w], {}});
    }
  }
  std::vector<Fit> done(faces.size());
  make_cpu_fitter(std::move(model), fit_settings)->fit(faces, done);
  for (std::size_t k = 0; k < done.size(); ++k) fits[k].fit = std::move(done[k]);
  std::move(fits.begin(), fits.end(), std::back_inserter(result.fits));
}

}  // namespace

std::vector<Model> models_without(std::span<const Example> examples, const Model& model,
                                  std::span<const Cascade> without, const TrainSettings& settings,
                                  const Threads& threads) {
  std::vector<Model> result;
  for (std::size_t fold = 0; fold < without.size(); ++fold)
    result.push_back(model_without(fold, without.size(), examples, model, without[fold], settings, threads));
  return result;
}

HeldOut held_out_fits(const TrainingSet& set, std::vector<Model> models, const TrainSettings& settings) {
  HeldOut result;
  result.models = std::move(models);
  const auto folds = static_cast<int>(result.models.size());
  for (int fold = 0; fold < folds; ++fold)
    fit_fold(fold, folds, std::make_shared<const Model>(result.models[static_cast<std::size_t>(fold)]), set, settings,
             result);
  return result;
}

}  // namespace kinema::face
