// Noise of several scales over the pictures of training examples: what no model of drawn faces explains, as the skin, hair
// and light of photographs.
#pragma once

#include "core/threads.h"
#include "kinema/face.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kinema::face {

/// Copies of the examples with noise, the same for one seed and number.
std::vector<OwnedExample> with_noise(std::span<const Example> examples, const Layout& layout, std::uint64_t seed,
                                     const Threads& threads);

}  // namespace kinema::face
