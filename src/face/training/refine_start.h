// What a model needs to be refined.
#pragma once

#include "kinema/error.h"
#include "kinema/face_model.h"

namespace kinema::face {

/// Throws Error if the model cannot be refined.
inline void check_refinable(const Model& model) {
  if (model.cascade.stages.empty() || model.sequence.empty() || model.sequence.front().method != Method::cascade)
    throw Error("a model without a cascade cannot be refined; train one with a cascade");
}

}  // namespace kinema::face
