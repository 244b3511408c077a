#include "serve/messages/face_appearance.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kinema::serve {
namespace {

// A level of more pixels than this is finer than what a page shows of it.
constexpr std::size_t most_pixels = 8192;

// The standard deviation of the mean face's grey values as they are shown.
constexpr double contrast = 46;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Least squares over all neighbouring pairs of I(right) - I(left) = gx and I(below) - I(above) = gy, by conjugate
// gradients. The overall brightness is open; it stays 0 in the mean.
class Integration {
public:
  explicit Integration(const face::Level& level) : level_(level), pixels_(level.pixels()) {}

  std::vector<float> integrate(std::span<const float> gradient) const {
    std::vector<double> residual(pixels_), value(pixels_), image(pixels_);
    for_each_pair([&](std::size_t from, std::size_t to, std::size_t axis) {
      const double step = 0.5 * (gradient[2 * from + axis] + gradient[2 * to + axis]);
      residual[to] += step;
      residual[from] -= step;
    });
    std::vector<double> direction = residual;
    double square = dot(residual, residual);
    const double enough = 1e-6 * square;
    for (int step = 0; step < iterations && square > enough; ++step) {
      laplacian(direction, value);
      const double along = dot(direction, value);
      if (!(along > 0)) break;
      const double length = square / along;
      for (std::size_t i = 0; i < pixels_; ++i) {
        image[i] += length * direction[i];
        residual[i] -= length * value[i];
      }
      const double next = dot(residual, residual);
      for (std::size_t i = 0; i < pixels_; ++i) direction[i] = residual[i] + next / square * direction[i];
      square = next;
    }
    return {image.begin(), image.end()};
  }

private:
  static constexpr int iterations = 120;

  // Every pixel with its right and its lower neighbour.
  template <class Visit>
  void for_each_pair(Visit visit) const {
    for (std::size_t i = 0; i < pixels_; ++i) {
      for (std::size_t axis : {0, 1}) {
        const std::size_t other = level_.neighbours[4 * i + 1 + 2 * axis];
        if (other != i) visit(i, other, axis);
      }
    }
  }

  void laplacian(std::span<const double> image, std::span<double> out) const {
    std::fill(out.begin(), out.end(), 0.0);
    for_each_pair([&](std::size_t from, std::size_t to, std::size_t) {
      const double step = image[to] - image[from];
      out[to] += step;
      out[from] -= step;
    });
  }

  const face::Level& level_;
  std::size_t pixels_;
};

void append_scaled(std::vector<float>& out, std::span<const float> values, double factor) {
  for (float value : values) out.push_back(static_cast<float>(factor * static_cast<double>(value)));
}

double deviation(float variance) { return std::sqrt(std::max(0.0, static_cast<double>(variance))); }

// Where the landmarks of the mean shape lie in the picture of its raster.
std::vector<float> landmark_places(const face::Model& model, const face::Level& level) {
  constexpr float inset = 0.5f;  // of the first pixel's centre
  const auto& mean = model.shape.mean;
  std::array<float, 2> least = {mean[0], mean[1]};
  for (std::size_t i = 0; i < mean.size(); ++i) least[i % 2] = std::min(least[i % 2], mean[i]);
  const std::array<float, 2> extent = {static_cast<float>(level.width), static_cast<float>(level.height)};
  std::vector<float> places;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const float pixel = (mean[i] - least[i % 2]) * level.scale - inset;
    places.push_back((pixel + 0.5f) / extent[i % 2]);
  }
  return places;
}

}  // namespace

std::size_t shown_level(const face::Model& model) {
  for (std::size_t i = 0; i < model.levels.size(); ++i) {
    if (model.levels[i].pixels() <= most_pixels) return i;
  }
  return model.levels.size() - 1;
}

std::vector<float> grey_of_texture(const face::Level& level, std::span<const float> texture) {
  if (level.channel_count() == 1) return {texture.begin(), texture.end()};
  return Integration(level).integrate(texture);
}

FaceAppearance face_appearance(const face::Model& model, std::size_t most) {
  FaceAppearance appearance;
  appearance.level = shown_level(model);
  const face::Level& level = model.levels[appearance.level];
  appearance.landmark_places = landmark_places(model, level);

  appearance.mean = grey_of_texture(level, level.mean);
  double sum = 0, squares = 0;
  for (float value : appearance.mean) sum += value, squares += static_cast<double>(value) * value;
  const auto count = static_cast<double>(appearance.mean.size());
  const double middle = sum / count, spread = std::sqrt(std::max(1e-12, squares / count - middle * middle));
  const double gain = contrast / spread;
  for (float& value : appearance.mean) value = static_cast<float>(128 + gain * (value - middle));

  appearance.shape_modes = std::min(most, model.shape.modes.rows);
  for (std::size_t m = 0; m < appearance.shape_modes; ++m) {
    append_scaled(appearance.shape, model.shape.modes.row(m), deviation(model.shape.variances[m]));
  }
  appearance.texture_modes = std::min(most, level.texture_modes.rows);
  for (std::size_t m = 0; m < appearance.texture_modes; ++m) {
    append_scaled(appearance.texture, grey_of_texture(level, level.texture_modes.row(m)),
                  gain * deviation(level.texture_variances[m]));
  }
  appearance.combined_modes = std::min(most, level.texture_combined.rows);
  for (std::size_t m = 0; m < appearance.combined_modes; ++m) {
    const double one = deviation(level.combined_variances[m]);
    append_scaled(appearance.combined_shape, level.shape_combined.row(m), one);
    append_scaled(appearance.combined_texture, grey_of_texture(level, level.texture_combined.row(m)), gain * one);
  }
  return appearance;
}

std::vector<float> texture_parameters(const face::Level& level, std::span<const float> texture, std::size_t modes) {
  std::vector<float> parameters;
  for (std::size_t m = 0; m < std::min(modes, level.texture_modes.rows); ++m) {
    const std::span<const float> row = level.texture_modes.row(m);
    double share = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      share += static_cast<double>(row[i]) * static_cast<double>(texture[i] - level.mean[i]);
    }
    parameters.push_back(static_cast<float>(share / std::max(1e-12, deviation(level.texture_variances[m]))));
  }
  return parameters;
}

}  // namespace kinema::serve
