// Colours bound to positions on a surface: value noise in space, independent of the viewpoint.
#pragma once

#include "core/geometry.h"

#include <cstdint>

namespace kinema::synth {

struct Colour {
  float blue = 0, green = 0, red = 0;  // 0 to 1
};

inline Colour operator*(float s, const Colour& c) { return {s * c.blue, s * c.green, s * c.red}; }

/// Smooth noise from 0 to 1 over a lattice of cells of length 1.
float value_noise(Vec3 place, std::uint32_t seed);

/// A cloth: noise of coarse and of fine cells (metres), from 1 - depth to 1 + depth.
float weave(Vec3 place, double coarse, double fine, float depth, std::uint32_t seed);

}  // namespace kinema::synth
