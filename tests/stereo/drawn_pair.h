// A rectified stereo pair of known depth: cloth on a near square before a wall, with noise, another exposure and rows
// that may disagree.
#pragma once

#include "kinema/stereo.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace kinema::stereo {

struct DrawnPair {
  int width = 320, height = 240;
  double wall = 7.5, square = 20.25;  ///< disparities in pixels
  double wall_contrast = 18;          ///< of its waves, grey levels; 0: plain
  double noise = 0;                   ///< deviation, grey levels
  double gain = 1, offset = 0;        ///< of the right picture
  RowShift rows = {};                 ///< how far down the right picture lies
  std::uint32_t seed = 1;

  bool on_square(double x, double y) const {
    return x >= 0.375 * width && x < 0.625 * width && y >= 0.3 * height && y < 0.7 * height;
  }
  double disparity(int x, int y) const { return on_square(x, y) ? square : wall; }

  Camera camera() const { return {width, height, 300, 300, 0.5 * width, 0.5 * height}; }
  static constexpr double baseline = 0.1;  // depth times disparity is 30 m px

  std::vector<std::uint8_t> left() const { return picture(false); }
  std::vector<std::uint8_t> right() const { return picture(true); }
  ImageView<const std::uint8_t> view(const std::vector<std::uint8_t>& picture) const {
    const auto columns = static_cast<std::size_t>(width);
    return {picture.data(), columns, static_cast<std::size_t>(height), columns};
  }

  // Cloth without an end, of two kinds: waves of 5 to 21 pixels that do not repeat.
  static double cloth(int kind, double contrast, double x, double y) {
    double grey = 120 + 12 * kind;
    for (int wave = 0; wave < 6; ++wave) {
      const double turn = 0.9 * wave + 1.7 * kind, length = 5.3 + 3.1 * wave;
      grey +=
          contrast * std::sin(6.2832 / length * (std::cos(turn) * x + std::sin(turn) * y) + wave * wave + kind) / 1.4;
    }
    return grey;
  }

private:
  std::vector<std::uint8_t> picture(bool other) const {
    std::mt19937 random(seed + (other ? 1000 : 0));
    std::normal_distribution<double> grain(0, 1);
    std::vector<std::uint8_t> result;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const double below =
            other ? rows.a + rows.b * (2.0 * x / (width - 1) - 1) + rows.c * (2.0 * y / (height - 1) - 1) : 0;
        const double v = y - below, near = other ? x + square : x, far = other ? x + wall : x;
        double grey = on_square(near, v) ? cloth(0, 18, near, v) : cloth(1, wall_contrast, far, v);
        if (other) grey = gain * grey + offset;
        grey += noise * grain(random);
        result.push_back(static_cast<std::uint8_t>(std::lround(std::clamp(grey, 0.0, 255.0))));
      }
    }
    return result;
  }
};

inline Disparities matched(const DrawnPair& pair, const Compute& compute,
                           Settings settings = {.nearest = 0.8, .farthest = 6}) {
  const std::vector<std::uint8_t> left = pair.left(), right = pair.right();
  const auto matcher = make_matcher(pair.camera(), DrawnPair::baseline, settings, compute);
  Disparities out;
  matcher->match(pair.view(left), pair.view(right), {}, matcher->whole(), out);
  return out;
}

}  // namespace kinema::stereo
