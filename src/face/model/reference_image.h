// Sampling, frames and features of the reference, in double precision, as frame.h and face_model.h describe them.
// Literal, and shared with nothing fast.
#pragma once

#include "kinema/face.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

namespace kinema::face::reference {

/// Channels of an image, interleaved by pixel.
struct Picture {
  std::ptrdiff_t width = 0, height = 0, channels = 1;
  std::vector<double> values;

  double at(std::ptrdiff_t u, std::ptrdiff_t v, std::ptrdiff_t c) const {
    u = std::clamp<std::ptrdiff_t>(u, 0, width - 1), v = std::clamp<std::ptrdiff_t>(v, 0, height - 1);
    return values[static_cast<std::size_t>((v * width + u) * channels + c)];
  }

  /// Bilinear, coordinates clamped at the border.
  double sample(double x, double y, std::ptrdiff_t c) const {
    x = std::clamp(x, 0.0, static_cast<double>(width - 1)), y = std::clamp(y, 0.0, static_cast<double>(height - 1));
    const auto u = static_cast<std::ptrdiff_t>(x), v = static_cast<std::ptrdiff_t>(y);
    const double fx = x - static_cast<double>(u), fy = y - static_cast<double>(v);
    return (1 - fy) * ((1 - fx) * at(u, v, c) + fx * at(u + 1, v, c)) +
           fy * ((1 - fx) * at(u, v + 1, c) + fx * at(u + 1, v + 1, c));
  }
};

inline Picture picture_of(const GreyView& image) {
  Picture out{static_cast<std::ptrdiff_t>(image.width), static_cast<std::ptrdiff_t>(image.height), 1, {}};
  for (std::size_t v = 0; v < image.height; ++v)
    for (std::size_t u = 0; u < image.width; ++u) out.values.push_back(image.at(u, v));
  return out;
}

inline Picture like(const Picture& other, std::ptrdiff_t channels) {
  Picture out{other.width, other.height, channels, {}};
  out.values.assign(static_cast<std::size_t>(out.width * out.height * channels), 0.0);
  return out;
}

/// The image under a pose, at the frame's size.
inline Picture frame_of(const Picture& image, const Similarity& pose, const Frame& frame) {
  Picture out{frame.width, frame.height, 1, {}};
  const double ratio = std::hypot(pose.a, pose.b) / frame.scale;
  const int n = static_cast<int>(std::clamp(std::ceil(ratio), 1.0, 32.0));
  for (std::ptrdiff_t v = 0; v < out.height; ++v)
    for (std::ptrdiff_t u = 0; u < out.width; ++u) {
      double sum = 0;
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
          const double x = (static_cast<double>(u) + (i + 0.5) / n - 0.5 - frame.x) / frame.scale;
          const double y = (static_cast<double>(v) + (j + 0.5) / n - 0.5 - frame.y) / frame.scale;
          sum += image.sample(pose.a * x - pose.b * y + pose.tx, pose.b * x + pose.a * y + pose.ty, 0);
        }
      out.values.push_back(sum / (n * n));
    }
  return out;
}

inline double gradient_x(const Picture& grey, std::ptrdiff_t u, std::ptrdiff_t v) {
  return (grey.at(u + 1, v, 0) - grey.at(u - 1, v, 0)) / 2;
}
inline double gradient_y(const Picture& grey, std::ptrdiff_t u, std::ptrdiff_t v) {
  return (grey.at(u, v + 1, 0) - grey.at(u, v - 1, 0)) / 2;
}

inline Picture features_of(Features features, const Picture& grey) {
  if (features == Features::intensity) return grey;
  double mean = 0;
  for (std::ptrdiff_t v = 0; v < grey.height; ++v)
    for (std::ptrdiff_t u = 0; u < grey.width; ++u) mean += std::hypot(gradient_x(grey, u, v), gradient_y(grey, u, v));
  mean /= static_cast<double>(grey.width * grey.height);
  Picture out = like(grey, 2);
  std::size_t i = 0;
  for (std::ptrdiff_t v = 0; v < grey.height; ++v)
    for (std::ptrdiff_t u = 0; u < grey.width; ++u, i += 2) {
      const double x = gradient_x(grey, u, v), y = gradient_y(grey, u, v), m = std::hypot(x, y);
      double factor = 0;
      if (mean > 0 && features == Features::edges) factor = 1 / (m + mean);
      if (mean > 0 && features == Features::orientation) factor = m / (m * m + (mean / 4) * (mean / 4));
      out.values[i] = x * factor, out.values[i + 1] = y * factor;
    }
  return out;
}

/// Orientation bins, see orientation_bins() in orientation_bins.h.
inline Picture bins_of(const Picture& grey, std::ptrdiff_t bins) {
  Picture histogram = like(grey, bins);
  for (std::ptrdiff_t v = 0; v < grey.height; ++v)
    for (std::ptrdiff_t u = 0; u < grey.width; ++u) {
      const double x = gradient_x(grey, u, v), y = gradient_y(grey, u, v), m = std::hypot(x, y);
      for (std::ptrdiff_t k = 0; m > 0 && k < bins; ++k) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(bins);
        const double along = std::max(0.0, (x * std::cos(angle) + y * std::sin(angle)) / m);
        histogram.values[static_cast<std::size_t>((v * grey.width + u) * bins + k)] = m * std::pow(along, 4);
      }
    }
  for (int time = 0; time < 2; ++time)
    for (const bool along_x : {true, false}) {
      Picture smooth = like(histogram, bins);
      std::size_t i = 0;
      for (std::ptrdiff_t v = 0; v < grey.height; ++v)
        for (std::ptrdiff_t u = 0; u < grey.width; ++u)
          for (std::ptrdiff_t k = 0; k < bins; ++k, ++i) {
            const double before = along_x ? histogram.at(u - 1, v, k) : histogram.at(u, v - 1, k);
            const double after = along_x ? histogram.at(u + 1, v, k) : histogram.at(u, v + 1, k);
            smooth.values[i] = (before + 2 * histogram.at(u, v, k) + after) / 4;
          }
      histogram = std::move(smooth);
    }
  Picture energy = like(grey, 1);
  double all = 0;
  for (std::size_t i = 0; i < energy.values.size(); ++i) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(bins); ++k) {
      const double h = histogram.values[i * static_cast<std::size_t>(bins) + k];
      energy.values[i] += h * h;
    }
    all += energy.values[i];
  }
  const double floor = 0.2 * std::sqrt(all / static_cast<double>(energy.values.size()));
  Picture out = like(histogram, bins);
  std::size_t i = 0;
  for (std::ptrdiff_t v = 0; v < grey.height; ++v)
    for (std::ptrdiff_t u = 0; u < grey.width; ++u) {
      double mean = 0;
      for (std::ptrdiff_t dv = -4; dv <= 4; ++dv)
        for (std::ptrdiff_t du = -4; du <= 4; ++du) mean += energy.at(u + du, v + dv, 0) / 81;
      const double size = std::sqrt(mean) + floor;
      for (std::ptrdiff_t k = 0; k < bins; ++k, ++i) out.values[i] = size > 0 ? histogram.values[i] / size : 0;
    }
  return out;
}

}  // namespace kinema::face::reference
