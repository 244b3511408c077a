// The cascade of regressions: textures of gradient orientation around the landmarks, and the training of each stage on
// the residuals of the previous ones (supervised descent in the space of the shape model). Single precision.
#pragma once

#include "core/threads.h"
#include "face/model/frame.h"
#include "face/model/linear.h"
#include "face/training/training_set.h"
#include "kinema/face.h"

#include <cstdint>
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

/// Throws Error if the model cannot be refined.
void check_refinable(const Model& model);

/// The cascade of the model, each regression corrected by what it leaves on the set. The penalty on the correction is the
/// one that serves held-out examples best. Of `settings`, the displacements of starts count.
Cascade refine_cascade(const TrainingSet& set, const Model& model, const TrainSettings& settings,
                       const Threads& threads, const std::function<void(double)>& progress);

/// A displaced start of an example on its way through the cascade while that is trained.
struct CascadeSample {
  std::uint32_t example = 0;
  int fold = 0;
  Similarity pose;           // the frame's
  std::vector<float> shape;  // under that pose, in the model's unit
};

/// Start `number` of an example of the set; `named`: the example's number for random numbers. Some starts lie far off, to be
/// robust against any detector.
CascadeSample cascade_start(const TrainingSet& set, const Model& model, const TrainSettings& settings,
                            std::uint32_t example, std::uint32_t named, std::uint32_t number);

/// The frames of a cascade, and the frame used by stage k of n: spread over all of them.
std::vector<Frame> cascade_frames(const ShapeModel& shape);
std::uint32_t frame_of_stage(std::uint32_t k, std::uint32_t n);

/// The pose of a frame becomes that of the current shape.
void enter_frame(const Model& model, CascadeSample& sample);

/// The displacement that a stage should predict: [pose_modes; modes] (truth - shape).
void displacement_to(const Model& model, std::span<const float> landmarks, const CascadeSample& sample, float* out);

/// Displaces the shape by a prediction.
void displace(const Model& model, const float* dq, std::vector<float>& shape);

/// The training on a stream of examples: each regression learns from examples that those before it have not seen, so that it
/// meets the errors that they leave on new faces. `first`: the number of the first example to take; `faces` of them are taken
/// for each stage.
Cascade train_cascade(const ExampleStream& stream, std::uint32_t first, std::uint32_t faces, const Model& model,
                      const TrainSettings& settings, const Threads& threads,
                      const std::function<void(double)>& progress);

}  // namespace kinema::face
