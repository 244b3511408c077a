#include "head/soft_window.h"

#include "head/constants.h"

#include <algorithm>
#include <cmath>

namespace kinema::head {
namespace {

Sums measure(const Scene& scene, const Window& window) {
  Weighing weighing = scene.weighing;
  weighing.window = window;
  return scene.moments.measure(scene.frame, weighing);
}

// The sum of k^2 for k = 0...n.
double squares(double n) { return n * (n + 1) * (2 * n + 1) / 6; }

}  // namespace

double window_mass(const Window& window, std::size_t width, std::size_t height, std::size_t bottom) {
  const auto rows = static_cast<double>(std::min(height, bottom)), columns = static_cast<double>(width);
  double mass = 0;
  for (double y = std::max(0.0, std::ceil(window.cy - window.ry)); y < rows && y <= window.cy + window.ry; ++y) {
    const double v = (y - window.cy) / window.ry, left = 1 - v * v;
    if (left <= 0) continue;
    const double half = window.rx * std::sqrt(left);
    const double from = std::max(0.0, std::ceil(window.cx - half)),
                 to = std::min(columns - 1, std::floor(window.cx + half));
    if (to < from) continue;
    // the sum over x of left - ((x - cx) / rx)^2, with sums of whole numbers in closed form
    const double count = to - from + 1, sum = count * (from + to) / 2;
    const double sum_squares = squares(to) - (from > 0 ? squares(from - 1) : 0);
    const double moment = sum_squares - 2 * window.cx * sum + count * window.cx * window.cx;
    mass += count * left - moment / (window.rx * window.rx);
  }
  return mass;
}

Window scaled(const Window& window, double factor) {
  return {window.cx, window.cy, window.rx * factor, window.ry * factor};
}

Window climb(const Scene& scene, Window window, int steps) {
  for (int i = 0; i < steps; ++i) {
    const Sums sums = measure(scene, window);
    if (!(sums.w > 0)) return window;
    const double x = sums.wx / sums.w - window.cx, y = sums.wy / sums.w - window.cy;
    window.cx += x;
    window.cy += y;
    if (std::hypot(x, y) < climb_tolerance) break;
  }
  return window;
}

Contrast contrast(const Scene& scene, const Window& window) {
  const Window wide = scaled(window, surround_factor);
  const auto mass = [&](const Window& of) {
    return window_mass(of, scene.frame.width, scene.frame.height, scene.weighing.bottom);
  };
  const double inside_mass = mass(window), wide_mass = mass(wide);
  if (!(inside_mass > 0)) return {};
  const double inside = measure(scene, window).w, whole = measure(scene, wide).w;
  const double between = wide_mass - inside_mass;
  return {inside / inside_mass, between > 0 ? std::max(0.0, whole - inside) / between : 0};
}

double better_size(const Scene& scene, const Window& window, double reach) {
  const double smaller = contrast(scene, scaled(window, 1 / reach)).difference();
  const double same = contrast(scene, window).difference();
  const double larger = contrast(scene, scaled(window, reach)).difference();
  // over the logarithm of the size, in units of the reach
  const double bend = smaller - 2 * same + larger;
  double step = larger > smaller ? 1 : -1;
  if (bend < 0) step = std::clamp(0.5 * (smaller - larger) / bend, -1.0, 1.0);
  return std::pow(reach, step);
}

Anchor anchor_of(const Scene& scene, const Oval& head) {
  const Window first = window_around(head, {});
  Window window = climb(scene, first, climb_steps);
  for (int round = 0; round < 8; ++round) {
    const double factor = better_size(scene, window, size_step);
    window = scaled(window, std::clamp(factor * window.rx / first.rx, smallest_anchor_size, largest_anchor_size) *
                                first.rx / window.rx);
    window = climb(scene, window, climb_steps);
  }
  Anchor anchor;
  anchor.size = window.rx / first.rx;
  const double x = (head.cx - window.cx) / head.rx, y = (head.cy - window.cy) / head.ry, length = std::hypot(x, y);
  if (length < least_anchor_shift) return anchor;
  const double shorter = std::min(1.0, largest_anchor_shift / length);
  anchor.shift_x = shorter * x;
  anchor.shift_y = shorter * y;
  return anchor;
}

Oval head_in(const Window& window, const Anchor& anchor, const Oval& outline) {
  const double rx = window.rx / (window_factor * anchor.size), ry = rx * outline.ry / outline.rx;
  return {window.cx + anchor.shift_x * rx, window.cy + anchor.shift_y * ry, rx, ry};
}

Window window_around(const Oval& head, const Anchor& anchor) {
  const double factor = window_factor * anchor.size;
  return {head.cx - anchor.shift_x * head.rx, head.cy - anchor.shift_y * head.ry, factor * head.rx, factor * head.ry};
}

}  // namespace kinema::head
