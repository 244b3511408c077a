// Training of one level: mean texture and its modes (eq. 3), the combined model (eq. 4), the matrix R (eq. 6), and the
// steepest-descent images of the independent model.
#pragma once

#include "core/threads.h"
#include "face/model/linear.h"
#include "face/model/texture.h"
#include "face/training/training_set.h"
#include "kinema/face.h"

#include <functional>
#include <vector>

namespace kinema::face {

/// The training examples at a level.
struct LevelData {
  std::vector<TextureSource> sources;      ///< one per example, made for its own pose
  std::vector<std::vector<float>> shapes;  ///< one per example, in the model's unit
  RowMatrix textures;                      ///< examples x values: normalised, minus g0
};

/// Samples every example at a level, whose raster must be set; textures are neither normalised nor centred.
LevelData sample_examples(const Level& level, const TrainingSet& set, const Model& model, const Threads& threads);

/// Samples every example and sets mean, texture modes and variances of the level, whose raster must be set. Throws
/// Error if every image is flat.
LevelData train_textures(Level& level, const TrainingSet& set, const Model& model, const TrainSettings& settings,
                         const Threads& threads);

/// Sets the combined model: shape_weight, shape_combined, texture_combined, combined_variances.
void train_combined(Level& level, const LevelData& data, const Model& model, const TrainSettings& settings,
                    const Threads& threads);

/// Sets the matrix R by the averaged derivative of displaced examples (Cootes 2001).
void train_gradient_by_derivative(Level& level, const LevelData& data, const Model& model, const Threads& threads);

/// Sets the matrix R by regression of random displacements on their residuals (Cootes 1998).
void train_gradient_by_regression(Level& level, const LevelData& data, const Model& model,
                                  const TrainSettings& settings, const Threads& threads);

/// (4 + shape modes) x values: the first-order change of a texture with the parameters of [pose_modes; modes].
RowMatrix steepest_descent(const Level& level, const Model& model, std::span<const float> texture,
                           const Threads& threads);

/// Sets project_out.
void train_project_out(Level& level, const Model& model, const Threads& threads);

}  // namespace kinema::face
