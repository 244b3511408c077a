// Fits of training examples by models that have not seen them: they show how fits of new faces behave, and when they
// fail.
#pragma once

#include "core/threads.h"
#include "face/training/cascade.h"
#include "kinema/face.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kinema::face {

struct HeldOutFit {
  std::uint32_t example = 0;
  int fold = 0;
  double count = 1;  ///< its weight when probabilities are learned
  Fit fit;           ///< without a score
};

struct HeldOut {
  std::vector<Model> models;     ///< one per fold, which it has not seen
  std::vector<HeldOutFit> fits;  ///< by fold
};

/// The models trained without one fold each, as far as the sequence needs them. `model` is complete except for its quality;
/// `without` has its cascades trained without one fold.
std::vector<Model> models_without(std::span<const Example> examples, const Model& model,
                                  std::span<const Cascade> without, const TrainSettings& settings,
                                  const Threads& threads);

/// Every example and its mirror image, from good starts and from hopeless ones, fitted by Model::sequence of the model
/// for its fold; where TrainSettings::penalty is given, for faces that differ from the examples, also by its last stage
/// from shapes that are half right. Of a set of which no model has seen anything, the folds only divide what is learned
/// from the fits.
HeldOut held_out_fits(const TrainingSet& set, std::vector<Model> models, const TrainSettings& settings);

/// Learns the quality model from fits by models that have not seen the example.
QualityModel train_quality(const TrainingSet& set, const Model& model, const HeldOut& held_out, bool transferred,
                           const Threads& threads);

}  // namespace kinema::face
