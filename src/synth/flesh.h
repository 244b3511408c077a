// The body of a figure: tapered limbs, an elliptical trunk, a head with a face.
#pragma once

#include "synth/figure.h"
#include "synth/part.h"

#include <vector>

namespace kinema::synth {

/// In the same frame as the figure.
std::vector<Part> flesh_of(const Figure& figure);

/// The lowest point of the feet along `up`, as a distance from the origin.
double sole_of(const Figure& figure, Vec3 up);

}  // namespace kinema::synth
