// Starts as a careless person would give them: the true place of a face, moved, scaled and turned by chance.
#pragma once

#include "kinema/face.h"

#include <cstdint>
#include <span>

namespace kinema::synth {

/// Standard deviations: of the shift over width and height of the landmarks' box, of the scale, and of the turn in
/// radians.
struct StartNoise {
  double shift = 0.05, scale = 0.05, turn = 0.0872665;  // 5 %, 5 %, 5 degrees
};

/// The similarity that takes the model to these landmarks, displaced: the same for the same seed and number.
face::Similarity displaced_start(const face::Model& model, std::span<const float> landmarks, const StartNoise& noise,
                                 std::uint64_t seed, std::uint32_t number);

}  // namespace kinema::synth
