// The training of one level: mean texture and its modes (eq. 3), the combined model (eq. 4), the matrix R (eq. 6), and
// the steepest-descent images of the independent model.
#pragma once

#include "core/threads.h"
#include "face/linear.h"
#include "face/texture.h"
#include "face/training_set.h"
#include "kinema/face.h"

#include <functional>
#include <vector>

namespace kinema::face {

/// What the examples of a training look like at a level.
struct LevelData {
  std::vector<TextureSource> sources;      ///< one an example, made for its own pose
  std::vector<std::vector<float>> shapes;  ///< one an example, in the model's unit
  RowMatrix textures;                      ///< examples x values: normalised, then less g0
};

/// Samples every example and sets mean, texture modes and variances of the level, which has its raster already.
/// Throws Error where every image is flat.
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

/// (4 + shape modes) x values: how a texture changes, to first order, with the parameters of [pose_modes; modes].
RowMatrix steepest_descent(const Level& level, const Model& model, std::span<const float> texture,
                           const Threads& threads);

/// Sets project_out.
void train_project_out(Level& level, const Model& model, const Threads& threads);

}  // namespace kinema::face
