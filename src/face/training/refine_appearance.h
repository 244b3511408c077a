// Shape and texture modes of a model, extended by the faces of a few examples.
#pragma once

#include "core/threads.h"
#include "face/training/training_set.h"
#include "kinema/face.h"

namespace kinema::face {

/// Adds modes for what the examples show beyond those of the model, with regressions that do not move them yet, and adapts
/// the variances. The mean shape, on which all else is built, stays: where the examples differ from it, the modes do.
void extend_shape(Model& model, const TrainingSet& set, const Threads& threads);

/// The same for the texture of a level, with modes that turn.
void extend_textures(Level& level, const TrainingSet& set, const Model& model, const Threads& threads);

}  // namespace kinema::face
