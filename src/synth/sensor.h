// The errors of real sensors, added to a clean rendering. Every random number is a function of seed, frame and pixel.
#pragma once

#include "synth/render.h"

namespace kinema::synth {

struct SensorSettings {
  double noise = 1;  ///< 1: as in real sensors; 0: none, nor holes or outliers
  std::uint64_t seed = 1;
};

/// A depth camera that measures disparity over a baseline of 0.075 m: noise that grows with the square of the distance,
/// disparities in eighths of a pixel, holes beside depth edges, at grazing rays and in the shadow of the projector's
/// light, 0.6 % outliers.
/// Millimetres; 0: nothing measured.
std::vector<std::uint16_t> measure_depth(const Rendering& rendering, const Camera& camera,
                                         const SensorSettings& settings, std::uint32_t frame);

/// A picture of the left (0) or right (1) camera of a pair: noise of 2 grey levels, and its own gain and offset.
io::Picture photograph(const Rendering& rendering, int eye, const SensorSettings& settings, std::uint32_t frame);

/// A third of the visible points of the person, a few of its surroundings, and 0.6 % outliers: x y z each.
std::vector<float> scan_points(const Rendering& rendering, const Camera& camera, const SensorSettings& settings,
                               std::uint32_t frame);

}  // namespace kinema::synth
