#include "face/model/raster.h"

#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kinema::face {
namespace {

struct Pixel {
  std::uint32_t row, column;
  std::uint16_t triangle;
  double weight[3];
  double depth;  // distance from the edge of its triangle if that is an edge of the hull, in pixels
};

class Rasteriser {
public:
  Rasteriser(std::span<const float> shape, std::span<const std::array<std::uint16_t, 3>> triangles)
      : shape_(shape), triangles_(triangles) {
    left_ = top_ = HUGE_VAL, right_ = bottom_ = -HUGE_VAL;
    for (std::size_t i = 0; i + 1 < shape.size(); i += 2) {
      left_ = std::min<double>(left_, shape[i]), right_ = std::max<double>(right_, shape[i]);
      top_ = std::min<double>(top_, shape[i + 1]), bottom_ = std::max<double>(bottom_, shape[i + 1]);
    }
    // an edge of one triangle only is on the boundary
    for (std::size_t t = 0; t < triangles.size(); ++t)
      for (std::size_t i = 0; i < 3; ++i) {
        bool shared = false;
        for (std::size_t u = 0; u < triangles.size(); ++u)
          for (std::size_t j = 0; j < 3; ++j)
            shared |= u != t && std::minmax(triangles[u][j], triangles[u][(j + 1) % 3]) ==
                                    std::minmax(triangles[t][i], triangles[t][(i + 1) % 3]);
        rim_.push_back(!shared);
      }
  }

  double area() const {
    double sum = 0;
    for (const auto& t : triangles_) sum += std::abs(doubled_area(t)) / 2;
    return sum;
  }
  std::uint32_t width(double scale) const {
    return static_cast<std::uint32_t>(std::ceil((right_ - left_) * scale)) + 1;
  }
  std::uint32_t height(double scale) const {
    return static_cast<std::uint32_t>(std::ceil((bottom_ - top_) * scale)) + 1;
  }

  /// Every pixel whose centre lies in a triangle, once, by rows. The first pixel's centre is the box's corner, slightly
  /// inside: otherwise a whole row on the boundary would appear or vanish at once.
  std::vector<Pixel> pixels(double scale) const {
    const std::uint32_t w = width(scale), h = height(scale);
    std::vector<Pixel> at(static_cast<std::size_t>(w) * h);
    std::vector<char> taken(at.size(), 0);
    for (std::size_t t = 0; t < triangles_.size(); ++t) mark(t, scale, w, h, at, taken);
    std::vector<Pixel> result;
    for (std::size_t i = 0; i < at.size(); ++i)
      if (taken[i]) result.push_back(at[i]);
    return result;
  }

private:
  double x(std::uint16_t i) const { return shape_[2 * std::size_t{i}]; }
  double y(std::uint16_t i) const { return shape_[2 * std::size_t{i} + 1]; }
  double doubled_area(const std::array<std::uint16_t, 3>& t) const {
    return (x(t[1]) - x(t[0])) * (y(t[2]) - y(t[0])) - (y(t[1]) - y(t[0])) * (x(t[2]) - x(t[0]));
  }

  void mark(std::size_t t, double scale, std::uint32_t w, std::uint32_t h, std::vector<Pixel>& at,
            std::vector<char>& taken) const {
    const auto& corner = triangles_[t];
    const double all = doubled_area(corner);
    if (all == 0) return;
    const auto lowest = [&](auto f) { return std::min({f(corner[0]), f(corner[1]), f(corner[2])}); };
    const auto highest = [&](auto f) { return std::max({f(corner[0]), f(corner[1]), f(corner[2])}); };
    const auto cx = [&](std::uint16_t i) { return (x(i) - left_) * scale - inset; };
    const auto cy = [&](std::uint16_t i) { return (y(i) - top_) * scale - inset; };
    const auto first_row = static_cast<std::uint32_t>(std::max(0.0, std::ceil(lowest(cy))));
    const auto first_column = static_cast<std::uint32_t>(std::max(0.0, std::ceil(lowest(cx))));
    const double last_row = highest(cy), last_column = highest(cx);
    for (std::uint32_t v = first_row; v < h && v <= last_row; ++v)
      for (std::uint32_t u = first_column; u < w && u <= last_column; ++u) {
        const double px = left_ + (u + inset) / scale, py = top_ + (v + inset) / scale;
        Pixel pixel{v, u, static_cast<std::uint16_t>(t), {}, HUGE_VAL};
        bool inside = true;
        for (std::size_t i = 0; i < 3; ++i) {
          const std::uint16_t b = corner[(i + 1) % 3], c = corner[(i + 2) % 3];
          pixel.weight[i] = ((x(b) - px) * (y(c) - py) - (y(b) - py) * (x(c) - px)) / all;
          inside &= pixel.weight[i] >= 0;
          const double height = std::abs(all) / std::max(1e-12, std::hypot(x(c) - x(b), y(c) - y(b)));
          if (rim_[3 * t + (i + 1) % 3]) pixel.depth = std::min(pixel.depth, pixel.weight[i] * height * scale);
        }
        const std::size_t place = static_cast<std::size_t>(v) * w + u;
        if (!inside || taken[place]) continue;
        at[place] = pixel;
        taken[place] = 1;
      }
  }

  static constexpr double inset = 0.37;
  std::span<const float> shape_;
  std::span<const std::array<std::uint16_t, 3>> triangles_;
  std::vector<bool> rim_;
  double left_, right_, top_, bottom_;
};

}  // namespace

void rasterise(Level& level, std::span<const float> mean_shape, std::span<const std::array<std::uint16_t, 3>> triangles,
               std::size_t pixels) {
  const Rasteriser rasteriser(mean_shape, triangles);
  const double area = rasteriser.area();
  if (!(area > 0)) throw Error("the mean shape has no area; label points that do not lie on one line");

  // nearly the smallest scale with enough pixels; surplus pixels are removed from the boundary
  double scale = std::sqrt(static_cast<double>(pixels) / area);
  double low = scale * 0.5;
  while (rasteriser.pixels(scale).size() < pixels) low = scale, scale *= 1.1;
  for (int step = 0; step < 30 && scale - low > 1e-7 * scale; ++step) {
    const double middle = (low + scale) / 2;
    (rasteriser.pixels(middle).size() < pixels ? low : scale) = middle;
  }
  std::vector<Pixel> kept = rasteriser.pixels(scale);
  if (kept.size() > pixels) {
    std::vector<std::size_t> order(kept.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t i, std::size_t j) { return kept[i].depth < kept[j].depth; });
    std::vector<char> dropped(kept.size(), 0);
    for (std::size_t i = 0; i < kept.size() - pixels; ++i) dropped[order[i]] = 1;
    std::vector<Pixel> rest;
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (!dropped[i]) rest.push_back(kept[i]);
    kept = std::move(rest);
  }

  level.scale = static_cast<float>(scale);
  level.width = rasteriser.width(scale);
  level.height = rasteriser.height(scale);
  std::vector<std::uint32_t> places, neighbours;
  std::vector<std::uint16_t> of;
  std::vector<float> weights;
  std::vector<std::uint32_t> index(static_cast<std::size_t>(level.width) * level.height, UINT32_MAX);
  for (std::uint32_t i = 0; i < kept.size(); ++i) {
    places.push_back(kept[i].row * level.width + kept[i].column);
    index[places.back()] = i;
    of.push_back(kept[i].triangle);
    for (const double weight : kept[i].weight) weights.push_back(static_cast<float>(weight));
  }
  for (std::uint32_t i = 0; i < kept.size(); ++i) {
    const std::uint32_t u = kept[i].column, v = kept[i].row;
    const auto at = [&](bool there, std::uint32_t row, std::uint32_t column) {
      const std::uint32_t found = there ? index[row * level.width + column] : UINT32_MAX;
      neighbours.push_back(found == UINT32_MAX ? i : found);
    };
    at(u > 0, v, u - 1);
    at(u + 1 < level.width, v, u + 1);
    at(v > 0, v - 1, u);
    at(v + 1 < level.height, v + 1, u);
  }
  level.places = std::move(places);
  level.pixel_triangles = std::move(of);
  level.barycentric = std::move(weights);
  level.neighbours = std::move(neighbours);
}

}  // namespace kinema::face
