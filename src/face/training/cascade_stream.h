// The training of a cascade on a stream of examples: each regression learns from examples that those before it have not
// seen, so that it meets the errors that they leave on new faces.
#pragma once

#include "face/training/cascade.h"
#include "face/training/training_set.h"

#include <functional>

namespace kinema::face {

/// `first`: the number of the first example to take; `faces` of them are taken for each stage.
Cascade train_cascade(const ExampleStream& stream, std::uint32_t first, std::uint32_t faces, const Model& model,
                      const TrainSettings& settings, const Threads& threads,
                      const std::function<void(double)>& progress);

}  // namespace kinema::face
