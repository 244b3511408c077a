// A rectified stereo pair of known depth: random texture on a wall and on a nearer square before it.
#pragma once

#include "io/pictures/image_file.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace kinema::io {

struct TexturedPair {
  static constexpr int width = 320, height = 240;
  double wall, square;  // disparities in pixels, fractions allowed

  /// Whether the left picture shows the square there.
  static bool on_square(int x, int y) { return x >= 120 && x < 200 && y >= 70 && y < 170; }

  /// Texture of one surface between its random values, so that a disparity may be a fraction.
  static double texture(int surface, double x, int y) {
    const auto value = [&](long at) {
      auto h = static_cast<std::uint64_t>(at) * 1000003 + static_cast<std::uint64_t>(y / 2 * 2 + surface);
      // mixed twice: a texture that repeats itself has several right matches
      for (int round = 0; round < 2; ++round) {
        h = (h ^ (h >> 31)) * 0x9e3779b97f4a7c15ull;
        h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9ull;
      }
      return static_cast<double>((h >> 40) % 200 + 28);
    };
    const double cell = x / 2;
    const double low = std::floor(cell), part = cell - low;
    return value(static_cast<long>(low)) * (1 - part) + value(static_cast<long>(low) + 1) * part;
  }

  Picture picture(bool right) const {
    Picture result{width, height, {}};
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        // a point of a surface at x in the left picture is at x - disparity in the right one
        const double on_near = right ? x + square : x, on_wall = right ? x + wall : x;
        const bool near = on_square(static_cast<int>(std::lround(on_near)), y);
        const double grey = near ? texture(1, on_near, y) : texture(2, on_wall, y);
        for (int channel = 0; channel < 3; ++channel)
          result.bgr.push_back(static_cast<std::uint8_t>(std::lround(grey)));
      }
    }
    return result;
  }
};

}  // namespace kinema::io
