// The probabilities of a model that was refined, brought in line with how often fits of held-out faces fail.
#pragma once

#include "core/threads.h"
#include "face/training/held_out.h"
#include "kinema/face.h"

namespace kinema::face {

/// Shifts probability of failure and confidences; what orders fits stays as it was learned, from more faces. Does nothing
/// to a model without them.
void calibrate_quality(Model& model, const TrainingSet& set, const HeldOut& held_out, const Threads& threads);

}  // namespace kinema::face
