// Whether a picture has colours at all: in one of greys, brightness takes their place, and it seldom separates a head from a shirt.
#pragma once

#include "kinema/head_calibration.h"

#include <algorithm>

namespace kinema::person {

/// Mean difference of the strongest and the weakest channel, in levels; the oval is one that head::calibrate() takes.
inline double colourfulness(const ColourView& frame, const head::Oval& oval) {
  double sum = 0, pixels = 0;
  for (const head::ColourCount& cell : head::count_colours({&frame, 1}, {&oval, 1})) {
    const auto [least, most] = std::minmax({cell.r, cell.g, cell.b});
    sum += (cell.skin + cell.other) * static_cast<double>(most - least);
    pixels += cell.skin + cell.other;
  }
  return pixels > 0 ? sum / pixels : 0;
}

}  // namespace kinema::person
