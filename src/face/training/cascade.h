// The cascade of regressions: textures of gradient orientation around the landmarks, and the training of each stage on
// the residuals of the previous ones (supervised descent in the space of the shape model). Single precision.
#pragma once

#include "core/threads.h"
#include "face/model/frame.h"
#include "face/model/linear.h"
#include "face/training/training_set.h"
#include "kinema/face.h"

#include <functional>
#include <span>
#include <vector>

namespace kinema::face {

/// Offsets on rings around a landmark: one at the centre, then `count` on each radius, every second ring rotated by
/// half a step.
std::vector<float> ring_offsets(std::span<const float> radii, std::span<const int> counts);

struct CascadeTraining {
  Cascade cascade;
  /// Cascades trained without the examples of one fold, one per fold; none if there are too few examples for folds.
  std::vector<Cascade> without;
};

/// The fold of an example, shared with its mirror image; `folds` as used by train_cascade().
inline int fold_of(const TrainingSet& set, std::size_t example, std::size_t folds) {
  return static_cast<int>(set.original(example) % folds);
}

CascadeTraining train_cascade(const TrainingSet& set, const Model& model, const TrainSettings& settings,
                              const Threads& threads, const std::function<void(double)>& progress);

/// The cascade of the model, each regression corrected by what it leaves on the set. The penalty on the correction is the
/// one that serves held-out examples best. Of `settings`, the displacements of starts count.
Cascade refine_cascade(const TrainingSet& set, const Model& model, const TrainSettings& settings,
                       const Threads& threads, const std::function<void(double)>& progress);

}  // namespace kinema::face
