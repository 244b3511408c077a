#include "planted.h"

#include "core/random.h"
#include "face/model/raster.h"
#include "face/model/shape.h"
#include "face/model/similarity.h"

#include <algorithm>
#include <cmath>

namespace kinema::face {
namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void take_away(std::vector<double>& from, const std::vector<double>& unit) {
  const double along = dot(from, unit);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] -= along * unit[i];
}

}  // namespace

Planted::Planted() {
  // a grid of 5 x 5 places, a little out of line so that no four lie on a circle; mirror images of each other
  double square = 0;
  for (int row = 0; row < 5; ++row)
    for (int column = 0; column < 5; ++column) {
      mean_.push_back((column - 2) * (0.55 + 0.02 * row));
      mean_.push_back((row - 2) * 0.6 + 0.03 * (column - 2) * (column - 2));
    }
  double y = 0;
  for (std::size_t i = 1; i < mean_.size(); i += 2) y += mean_[i] / 25;
  for (std::size_t i = 1; i < mean_.size(); i += 2) mean_[i] -= y;
  for (const double value : mean_) square += value * value;
  for (double& value : mean_) value /= std::sqrt(square / 25);

  const Matrix pose = pose_modes(mean_);
  for (std::size_t k = 0; k < 2; ++k) {
    std::vector<double>& mode = modes_[k];
    for (std::size_t i = 0; i < mean_.size(); i += 2) {
      const double u = mean_[i], v = mean_[i + 1];
      mode.push_back(k == 0 ? u * v : 0);
      mode.push_back(k == 0 ? 0 : u * u * v);
    }
    for (std::size_t p = 0; p < 4; ++p) {
      const auto row = pose.row(p);
      take_away(mode, std::vector<double>(row.begin(), row.end()));
    }
    if (k == 1) take_away(mode, modes_[0]);
    const double size = std::sqrt(dot(mode, mode));
    for (double& value : mode) value /= size;
  }
  triangles_ = delaunay(mean_);
}

Layout Planted::layout() const {
  Layout layout;
  for (int i = 0; i < 25; ++i) layout.mirror.push_back(i / 5 * 5 + 4 - i % 5);
  layout.outer_eyes = {5, 9};
  return layout;
}

double Planted::texture(double x, double y, const std::array<double, 2>& parameters) const {
  const auto blob = [&](double cx, double cy, double size) {
    return std::exp(-((x - cx) * (x - cx) + (y - cy) * (y - cy)) / (2 * size * size));
  };
  const double eyes = blob(-0.55, -0.45, 0.2) + blob(0.55, -0.45, 0.2);
  return 120 + 40 * x * 0.4 - 60 * eyes - 50 * blob(0, 0.75, 0.25) + 35 * blob(0, 0.1, 0.3) +
         parameters[0] * 7 * std::cos(2.2 * x) * std::cos(1.7 * y) + parameters[1] * 5 * std::sin(2.6 * y + 0.4);
}

PlantedFace Planted::draw(const PlantedParameters& parameters, std::size_t width, std::size_t height) const {
  PlantedFace face{width, height, std::vector<std::uint8_t>(width * height), {}};
  std::vector<double> shape = mean_;
  for (std::size_t k = 0; k < 2; ++k)
    for (std::size_t i = 0; i < shape.size(); ++i) shape[i] += parameters.shape[k] * deviations_[k] * modes_[k][i];
  const std::vector<double> placed = transformed<double>(parameters.pose, shape);
  face.landmarks.assign(placed.begin(), placed.end());
  for (std::size_t v = 0; v < height; ++v)
    for (std::size_t u = 0; u < width; ++u) {
      // the background: a pattern that is not the face's
      const double px = static_cast<double>(u), py = static_cast<double>(v);
      double grey = 150 + 25 * std::sin(0.21 * px + 0.11 * py) + 20 * std::sin(0.07 * px - 0.17 * py);
      for (const auto& t : triangles_) {
        const double ax = placed[2 * t[0]], ay = placed[2 * t[0] + 1], bx = placed[2 * t[1]], by = placed[2 * t[1] + 1];
        const double cx = placed[2 * t[2]], cy = placed[2 * t[2] + 1];
        const double area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
        const double wa = ((bx - px) * (cy - py) - (by - py) * (cx - px)) / area;
        const double wb = ((cx - px) * (ay - py) - (cy - py) * (ax - px)) / area;
        const double wc = 1 - wa - wb;
        if (wa < 0 || wb < 0 || wc < 0) continue;
        const double x = wa * mean_[2 * t[0]] + wb * mean_[2 * t[1]] + wc * mean_[2 * t[2]];
        const double y = wa * mean_[2 * t[0] + 1] + wb * mean_[2 * t[1] + 1] + wc * mean_[2 * t[2] + 1];
        grey = parameters.brightness + parameters.contrast * texture(x, y, parameters.texture);
        break;
      }
      face.pixels[v * width + u] = static_cast<std::uint8_t>(std::clamp(std::lround(grey), 0L, 255L));
    }
  return face;
}

std::vector<PlantedFace> Planted::population(std::size_t count, std::uint64_t seed) const {
  std::vector<PlantedFace> faces;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Random random{seed, 0, i};
    PlantedParameters p;
    p.shape = {random.normal(0), random.normal(1)};
    p.texture = {random.normal(2), random.normal(3)};
    const double size = 38 * std::exp(0.1 * random.normal(4)), turn = 0.15 * random.normal(5);
    p.pose = {size * std::cos(turn), size * std::sin(turn), 80 + 4 * random.normal(6), 80 + 4 * random.normal(7)};
    p.contrast = std::exp(0.15 * random.normal(8));
    p.brightness = 10 * random.normal(9);
    faces.push_back(draw(p));
  }
  return faces;
}

std::vector<Example> examples_of(const std::vector<PlantedFace>& faces) {
  std::vector<Example> examples;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    examples.push_back(faces[i].example());
    examples.back().name = "face " + std::to_string(i);
  }
  return examples;
}

}  // namespace kinema::face
