#include "face/training/held_out.h"

#include "core/random.h"
#include "face/chain/fit_state.h"
#include "face/constants.h"
#include "face/fitter/fitter_backends.h"
#include "face/model/shape.h"
#include "face/model/similarity.h"
#include "face/training/appearance.h"

#include <cmath>
#include <iterator>
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

// Fits of the examples of a fold by a model that has not seen them.
class FoldFits {
public:
  FoldFits(int fold, std::shared_ptr<const Model> model, const TrainingSet& set, const TrainSettings& settings)
      : fold_(fold), model_(std::move(model)), set_(set), settings_(settings) {}

  // By the whole sequence, from every kind of start.
  std::vector<HeldOutFit> from_displaced_poses(std::span<const std::uint32_t> examples) const {
    std::vector<Face> faces;
    std::vector<HeldOutFit> fits;
    for (const std::uint32_t i : examples) {
      const Similarity truth = similarity_between<float, float>(model_->shape.mean, set_.landmarks(i));
      for (std::uint32_t w = 0; w < std::size(held_out_widths); ++w) {
        const double width = held_out_widths[w] * (settings_.penalty > 0 ? held_out_transfer_width : 1.0);
        // random numbers other than those of the cascade's training
        faces.push_back({set_.image(i), {}, false});
        faces.back().start.similarity =
            displaced_pose(truth, set_.landmarks(i), displacement(width), settings_.seed, i, 1'000'000 + w);
        fits.push_back({i, fold_, held_out_weights[w], {}});
      }
    }
    run({}, faces, fits);
    return fits;
  }

  // By the last stage alone, from shapes and poses displaced about where good fits have ended.
  std::vector<HeldOutFit> from_displaced_shapes(std::span<const HeldOutFit> ended) const {
    std::vector<Face> faces;
    std::vector<HeldOutFit> fits;
    for (const HeldOutFit& one : ended) {
      if (one.count < 1) continue;  // from a poor start
      for (std::uint32_t w = 0; w < std::size(held_out_shape_widths); ++w) {
        const double width = held_out_shape_widths[w];
        const Random random{settings_.seed, 2'000'000 + w, one.example};
        std::vector<double> b(one.fit.shape.begin(), one.fit.shape.end());
        for (std::size_t k = 0; k < b.size(); ++k)
          b[k] += width * std::sqrt(double{model_->shape.variances[k]}) * random.normal(static_cast<std::uint32_t>(k));
        const Similarity pose =
            displaced_pose(one.fit.pose, one.fit.landmarks, displacement(held_out_shape_pose * width), settings_.seed,
                           one.example, 3'000'000 + w);
        Face face{set_.image(one.example), {}, false};
        face.start.landmarks = placed(pose, shape_of(model_->shape, b));
        face.start.keep_shape = true;
        faces.push_back(std::move(face));
        fits.push_back({one.example, fold_, held_out_shape_weight, {}});
      }
    }
    run({model_->sequence.back()}, faces, fits);
    return fits;
  }

private:
  Displacement displacement(double width) const {
    return {width * settings_.start_shift, width * settings_.start_scale, width * settings_.start_turn};
  }

  void run(std::vector<Stage> stages, std::span<const Face> faces, std::span<HeldOutFit> fits) const {
    FitSettings settings;
    settings.stages = std::move(stages);
    settings.score = false;
    std::vector<Fit> done(faces.size());
    make_cpu_fitter(model_, settings, settings_.threads)->fit(faces, done);
    for (std::size_t k = 0; k < done.size(); ++k) fits[k].fit = std::move(done[k]);
  }

  int fold_;
  std::shared_ptr<const Model> model_;
  const TrainingSet& set_;
  const TrainSettings& settings_;
};

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
  const std::size_t folds = result.models.size();
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<std::uint32_t> examples;
    for (std::uint32_t i = 0; i < set.size(); ++i)
      if (fold_of(set, i, folds) == static_cast<int>(fold)) examples.push_back(i);
    const FoldFits fits(static_cast<int>(fold), std::make_shared<const Model>(result.models[fold]), set, settings);
    const std::vector<HeldOutFit> displaced = fits.from_displaced_poses(examples);
    result.fits.insert(result.fits.end(), displaced.begin(), displaced.end());
    if (settings.penalty > 0 && result.models[fold].sequence.back().method == Method::simultaneous) {
      std::vector<HeldOutFit> half_right = fits.from_displaced_shapes(displaced);
      std::move(half_right.begin(), half_right.end(), std::back_inserter(result.fits));
    }
  }
  return result;
}

}  // namespace kinema::face
