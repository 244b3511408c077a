#include "io/cameras/disparity_steps.h"

#include <opencv2/core/hal/intrin.hpp>

namespace kinema::io {
namespace {

using Floats = cv::v_float32x4;
constexpr std::size_t abreast = 4;

constexpr float same_surface = 1;    // pixels of disparity
constexpr float fewest = 8;          // pixels of a square that must count
constexpr float least_texture = 50;  // sum of the squared derivatives around their mean: grey levels per pixel
constexpr float least_gain = 0.3f;   // below it, the matched squares differ
constexpr float longest_step = 0.5f;

Floats all(float value) { return cv::v_setall_f32(value); }

// c - a b
Floats less(Floats c, Floats a, Floats b) { return c - a * b; }

// With v the right image at a pixel's own disparity, g its derivative and d the disparity of the whole square, the left
// one is a (v + g (own - d)) + b: linear in a, a d and b. Greys and disparities are relative to those of the centre,
// for precision.
Floats steps(const ShiftedView& view, std::size_t here) {
  const Floats zero = all(0), one = all(1), surface = all(same_surface);
  const Floats middle = cv::v_load(view.disparity + here), grey = cv::v_load(view.left + here);
  Floats n = zero, sg = zero, sv = zero, sl = zero, gg = zero, gv = zero, vv = zero, gl = zero, vl = zero;
  for (int dy = -square_reach; dy <= square_reach; ++dy) {
    const std::size_t row = here + static_cast<std::size_t>(dy) * view.stride;  // wraps where dy is below 0
    for (int dx = -square_reach; dx <= square_reach; ++dx) {
      const std::size_t at = row + static_cast<std::size_t>(dx);
      const Floats away = cv::v_load(view.disparity + at) - middle;
      const Floats counts = cv::v_abs(away) <= surface;  // a mask
      const Floats g = counts & cv::v_load(view.slope + at);
      const Floats l = counts & (cv::v_load(view.left + at) - grey);
      const Floats v = counts & cv::v_fma(g, away, cv::v_load(view.right + at) - grey);
      n = n + (counts & one);
      sg = sg + g, sv = sv + v, sl = sl + l;
      gg = cv::v_fma(g, g, gg), gv = cv::v_fma(g, v, gv), vv = cv::v_fma(v, v, vv);
      gl = cv::v_fma(g, l, gl), vl = cv::v_fma(v, l, vl);
    }
  }
  // without the offset
  const Floats share = one / cv::v_max(n, one), mean_slope = share * sg, mean_grey = share * sv;
  const Floats slopes = less(gg, mean_slope, sg), both = less(gv, mean_slope, sv), greys = less(vv, mean_grey, sv);
  const Floats by_slope = less(gl, mean_slope, sl), by_grey = less(vl, mean_grey, sl);
  const Floats square = slopes * greys, determinant = less(square, both, both);
  const Floats gain = less(slopes * by_grey, both, by_slope);  // times the determinant
  const Floats shift = less(both * by_grey, greys, by_slope);  // times the determinant and the gain
  const Floats enough = (n >= all(fewest)) & (slopes >= all(least_texture)) & (middle > zero);
  const Floats told = enough & (determinant > all(1e-6f) * square) & (gain >= all(least_gain) * determinant);
  return told & cv::v_max(cv::v_min(shift / gain, all(longest_step)), all(-longest_step));
}

}  // namespace

void refinement_steps(const ShiftedView& view, std::size_t first, std::size_t count, float* step) {
  for (std::size_t x = 0; x < count; x += abreast) cv::v_store(step + x, steps(view, first + x));
}

}  // namespace kinema::io
