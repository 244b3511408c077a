// Inaccurate starts, as a careless user would give them: the true place of a face, randomly moved, scaled and turned.
#pragma once

#include "kinema/face.h"

#include <cstdint>
#include <span>

namespace kinema::synth {

/// Standard deviations: of the shift relative to width and height of the landmarks' box, of the scale, and of the
/// rotation in radians.
struct StartNoise {
  double shift = 0.05, scale = 0.05, turn = 0.0872665;  // 5 %, 5 %, 5 degrees
};

/// The similarity from the model to these landmarks, displaced: deterministic in seed and number.
face::Similarity displaced_start(const face::Model& model, std::span<const float> landmarks, const StartNoise& noise,
                                 std::uint64_t seed, std::uint32_t number);

}  // namespace kinema::synth
