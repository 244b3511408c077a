// A few examples of a stream, in memory together with their mirror images.
#pragma once

#include "core/threads.h"
#include "face/training/training_set.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kinema::face {

/// Examples that view these, named by their number from `first`.
std::vector<Example> views_of(std::span<const OwnedExample> owned, std::uint32_t first = 0);

struct ExampleBatch {
  /// Examples first, first + 1, ...
  ExampleBatch(const ExampleStream& stream, std::uint32_t first, std::uint32_t count, const Layout& layout,
               bool mirrored, const Threads& threads);

  std::vector<OwnedExample> owned;
  std::vector<Example> examples;  ///< views of them
  TrainingSet set;
};

}  // namespace kinema::face
