// Fits of training examples by models that have not seen them: what a fit does with new faces, and when it fails.
#pragma once

#include "core/threads.h"
#include "face/cascade.h"
#include "kinema/face.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kinema::face {

struct HeldOutFit {
  std::uint32_t example = 0;
  int fold = 0;
  double count = 1;  ///< how much it counts where probabilities are learnt
  Fit fit;           ///< without a score
};

struct HeldOut {
  std::vector<Model> models;     ///< one a fold, which it has not seen
  std::vector<HeldOutFit> fits;  ///< by fold
};

/// Every example and its mirror image, from starts that are good and from such that are hopeless, with what
/// Model::sequence does. The model is complete but for its quality; `without` has its cascades without a fold.
HeldOut held_out_fits(std::span<const Example> examples, const TrainingSet& set, const Model& model,
                      std::span<const Cascade> without, const TrainSettings& settings, const Threads& threads);

}  // namespace kinema::face
