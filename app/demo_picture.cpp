#include "app/demo_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace kinema::app {
namespace {

struct Circle {
  double x = 0, y = 0, r = 0;
};

// A sphere seen from outside. Its outline is an ellipse that is hardly longer than wide near the axis of the camera; a
// circle of its smaller radius is enough for a picture.
Circle project(const Camera& camera, const float* centre, double radius) {
  const double z = std::max<double>(centre[2], 1e-3);
  return {camera.fx * centre[0] / z + camera.cx, camera.fy * centre[1] / z + camera.cy, camera.fx * radius / z};
}

struct Box {
  double left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
  void include(const Circle& c) {
    left = std::min(left, c.x - c.r);
    top = std::min(top, c.y - c.r);
    right = std::max(right, c.x + c.r);
    bottom = std::max(bottom, c.y + c.r);
  }
  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

// The outline of a capsule: the hull of the circles of its two ends.
std::string outline_path(Circle a, Circle b) {
  if (a.r < b.r) std::swap(a, b);
  const double dx = b.x - a.x, dy = b.y - a.y, distance = std::hypot(dx, dy);
  if (distance <= a.r - b.r + 1e-9) {
    return fmt::format("M{:.1f} {:.1f}a{:.1f} {:.1f} 0 1 0 {:.1f} 0a{:.1f} {:.1f} 0 1 0 {:.1f} 0", a.x - a.r, a.y, a.r,
                       a.r, 2 * a.r, a.r, a.r, -2 * a.r);
  }
  // both tangents touch the circles at the same angle to the axis
  const double axis = std::atan2(dy, dx), off = std::acos((a.r - b.r) / distance);
  const auto at = [](const Circle& c, double angle) {
    return fmt::format("{:.1f} {:.1f}", c.x + c.r * std::cos(angle), c.y + c.r * std::sin(angle));
  };
  return fmt::format("M{}L{}A{:.1f} {:.1f} 0 0 1 {}L{}A{:.1f} {:.1f} 0 1 1 {}Z", at(a, axis - off), at(b, axis - off),
                     b.r, b.r, at(b, axis + off), at(a, axis + off), a.r, a.r, at(a, axis - off));
}

// Points of one colour are one path of dots: some ten times shorter than a circle each.
std::string dots_svg(const Picture& picture, const Box& box) {
  std::vector<std::string> paths(picture.ramp.size());
  for (const ColouredPoint& point : picture.points) {
    const float centre[3] = {point.x, point.y, point.z};
    const Circle at = project(picture.camera, centre, 0);
    if (at.x < box.left || at.x > box.right || at.y < box.top || at.y > box.bottom) continue;
    const auto last = static_cast<double>(paths.size() - 1);
    const auto colour = static_cast<std::size_t>(std::lround(std::clamp(point.value, 0.0, 1.0) * last));
    paths[colour] += fmt::format("M{:.1f} {:.1f}h0", at.x, at.y);
  }
  std::string svg;
  for (std::size_t c = 0; c < paths.size(); ++c) {
    if (!paths[c].empty()) svg += fmt::format("<path stroke=\"{}\" d=\"{}\"/>\n", picture.ramp[c], paths[c]);
  }
  return svg;
}

}  // namespace

std::string picture_svg(const Picture& picture) {
  Box box;
  for (std::size_t k = 0; k < picture.count; ++k) {
    const float* c = picture.frame + k * 7;
    box.include(project(picture.camera, c, c[3]));
    box.include(project(picture.camera, c + 4, c[3]));
  }
  const double margin = 0.05 * std::max(box.width(), box.height());
  box = {box.left - margin, box.top - margin, box.right + margin, box.bottom + margin};

  std::string outlines;
  for (std::size_t k = 0; k < picture.count; ++k) {
    const float* c = picture.capsules + k * 7;
    outlines += outline_path(project(picture.camera, c, c[3]), project(picture.camera, c + 4, c[3]));
  }
  // the dots leave no gaps at any size of the frame
  const double dot =
      0.95 * std::sqrt(0.35 * box.width() * box.height() / (static_cast<double>(picture.points.size()) + 1));
  return fmt::format(
      "<svg class=\"picture\" viewBox=\"{:.1f} {:.1f} {:.1f} {:.1f}\" role=\"img\" aria-label=\"{}\">\n"
      "<g class=\"dots\" stroke-width=\"{:.2f}\">\n{}</g>\n<path class=\"{}\" stroke-width=\"{:.2f}\" "
      "d=\"{}\"/>\n</svg>\n",
      box.left, box.top, box.width(), box.height(), picture.title, dot, dots_svg(picture, box), picture.outline,
      box.height() / 480, outlines);
}

std::string likelihood_chart_svg(std::span<const double> log_likelihood, std::size_t other) {
  constexpr double width = 860, height = 150, left = 36, right = 20, base = 108;
  const auto [lowest, highest] = std::minmax_element(log_likelihood.begin(), log_likelihood.end());

  // round steps of 1, 2 or 5 times a power of ten, about six of them
  const double span = std::max(*highest - *lowest, 1e-9);
  const double power = std::pow(10.0, std::floor(std::log10(span / 6)));
  double step = power;
  for (double factor : {2.0, 5.0, 10.0}) {
    if (span / step > 7) step = factor * power;
  }
  const double from = std::floor(*lowest / step) * step, to = std::ceil(*highest / step + 1e-9) * step;
  const auto x = [&](double value) { return left + (width - left - right) * (value - from) / (to - from); };

  std::string svg = fmt::format(
      "<svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"log-likelihood of every sample\">\n", width,
      height);
  for (double tick = from; tick <= to + step / 2; tick += step) {
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"34\" y2=\"{1}\"/>"
        "<text x=\"{0:.1f}\" y=\"{2}\" text-anchor=\"middle\">{3:.6g}</text>\n",
        x(tick), base, base + 18, tick);
  }
  svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">log-likelihood, more likely to the right</text>\n",
                     width - right, base + 36);

  // a fixed scatter in height, by the golden ratio, keeps neighbours apart
  std::string dots;
  const auto y = [&](std::size_t j) { return 44 + 56 * std::fmod(static_cast<double>(j) * 0.6180339887, 1.0); };
  for (std::size_t j = 1; j < log_likelihood.size(); ++j) {
    if (j != other) dots += fmt::format("M{:.1f} {:.1f}h0", x(log_likelihood[j]), y(j));
  }
  svg += fmt::format("<path class=\"samples\" d=\"{}\"/>\n", dots);
  struct Mark {
    std::size_t sample;
    const char* style;
    std::string label;
  };
  std::vector<Mark> marks = {{0, "truth", "true pose"}};
  if (other != 0) marks.push_back({other, "other", fmt::format("sample {}", other)});
  for (const Mark& mark : marks) {
    const double at = x(log_likelihood[mark.sample]);
    svg += fmt::format(
        "<line class=\"{0}\" x1=\"{1:.1f}\" x2=\"{1:.1f}\" y1=\"30\" y2=\"{2}\"/>"
        "<circle class=\"{0}\" cx=\"{1:.1f}\" cy=\"{3:.1f}\" r=\"5\"/>"
        "<text class=\"{0}\" x=\"{1:.1f}\" y=\"{4}\" text-anchor=\"{5}\">{6}</text>\n",
        mark.style, at, base, mark.sample == 0 ? 72.0 : y(mark.sample), mark.sample == 0 ? 24 : 10,
        at > width - 50 ? "end"
        : at < 50       ? "start"
                        : "middle",
        mark.label);
  }
  return svg + "</svg>\n";
}

}  // namespace kinema::app
