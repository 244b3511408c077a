// Shared by the backends of stereo::Matcher: their factories, and what is derived from the settings.
#pragma once

#include "core/host_device.h"
#include "kinema/stereo.h"
#include "stereo/constants.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace kinema::stereo {

/// Bits of the census: pairs of pixels that lie opposite each other in a square of seven by seven.
inline constexpr int census_reach = 3, census_bits = 24;

/// Pixels from the centre of a refined square to its sides; of the square of support; of the search for an outline.
inline constexpr int square_reach = 3, support_reach = 4, outline_reach = 4;

/// Disparities are counted in multiples of this.
inline constexpr int disparity_step = 32;

/// A match beyond the right picture's left side costs as much as the worst.
inline constexpr int outside_cost = census_bits;

/// Disparities are refined and judged on every other pixel, as on the white fields of a chessboard: their squares take half of the
/// pixels in any case, and neighbours' disparities hardly differ. Black ones follow their neighbours.
KINEMA_HD inline bool on_white(int x, int y) { return (x + y) % 2 == 0; }

struct Plan {
  int width = 0, height = 0, disparities = 0;
  float nearest = 0, farthest = 0;  ///< disparities of the range of depths, the larger first
  int threads = 0;

  /// Penalty of a large step of disparity, by the difference of two neighbours' brightness in grey levels.
  std::array<std::uint8_t, 256> large_step = {};
};

/// Disparities of a window as they are matched: in whole steps, from its first on.
inline int rounded_disparities(const Plan& plan, const Window& window) {
  return std::min(plan.disparities - window.first,
                  (window.disparities + disparity_step - 1) / disparity_step * disparity_step);
}

std::unique_ptr<Matcher> make_reference_matcher(const Plan& plan, const Window& whole, double focal_baseline);
std::unique_ptr<Matcher> make_cpu_matcher(const Plan& plan, const Window& whole, double focal_baseline);
std::unique_ptr<Matcher> make_cuda_matcher(const Plan& plan, const Window& whole, double focal_baseline);

/// The say of a pixel in the squares that it lies in, by the picture's slope across it.
KINEMA_HD inline float say_of(float across) {
  const auto over = static_cast<float>(1 / (constants::steep * constants::steep));
  return 1 / (1 + over * across * across);
}

/// What is left of it where the two pictures differ there, in grey levels, although they agree around it: such a pixel belongs to
/// another surface, or is hidden from one of the cameras.
KINEMA_HD inline float trust_of(float residual, float across, float down) {
  const float scale = static_cast<float>(constants::unlike) +
                      static_cast<float>(constants::unlike_on_edge) * (std::abs(across) + std::abs(down));
  return 1 / (1 + residual * residual / (scale * scale));
}

/// The deviation of a disparity, in pixels, where the pictures determine it with variance `seen` and those around it as well as
/// they do.
KINEMA_HD inline float combined_deviation(float seen) {
  const auto least = static_cast<float>(constants::least_deviation * constants::least_deviation),
             around = static_cast<float>(constants::smooth_deviation * constants::smooth_deviation);
  return std::sqrt(least + seen * around / (seen + around));
}

/// The same where the pictures say nothing.
KINEMA_HD inline float confirmed_deviation() {
  return std::sqrt(static_cast<float>(constants::least_deviation * constants::least_deviation +
                                      constants::smooth_deviation * constants::smooth_deviation));
}

/// Throws Error if a picture has another size than the plan, or the window does not lie in it.
void check_pair(const Plan& plan, ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
                const Window& window);

/// Gives it the size of the plan's pictures, without a disparity, if it has another one.
inline void resize(const Plan& plan, Disparities& out) {
  if (out.width == plan.width && out.height == plan.height) return;
  const std::size_t pixels = static_cast<std::size_t>(plan.width) * static_cast<std::size_t>(plan.height);
  out.width = plan.width;
  out.height = plan.height;
  out.disparity.assign(pixels, 0.0f);
  out.deviation.assign(pixels, 0.0f);
}

/// Rows that the right picture lies below the left one at a pixel.
KINEMA_HD inline float rows_below(const RowShift& shift, int x, int y, int width, int height) {
  return static_cast<float>(shift.a + shift.b * (2.0 * x / (width - 1) - 1) + shift.c * (2.0 * y / (height - 1) - 1));
}

}  // namespace kinema::stereo
