// Learning the reliability of fits.
#pragma once

#include "face/training/held_out.h"

namespace kinema::face {

/// Learns the quality model from fits by models that have not seen the example.
QualityModel train_quality(const TrainingSet& set, const Model& model, const HeldOut& held_out, bool transferred,
                           const Threads& threads);

}  // namespace kinema::face
