#include "face/frame.h"

#include "face/similarity.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kinema::face {
namespace {

// Bilinear grey of an 8-bit image, coordinates clamped at the border.
float grey_at(const GreyView& image, float x, float y) {
  const float right = static_cast<float>(image.width - 1), bottom = static_cast<float>(image.height - 1);
  x = x < 0 ? 0 : x > right ? right : x;
  y = y < 0 ? 0 : y > bottom ? bottom : y;
  auto u = static_cast<std::size_t>(x), v = static_cast<std::size_t>(y);
  if (u + 1 >= image.width) u = image.width > 1 ? image.width - 2 : 0;
  if (v + 1 >= image.height) v = image.height > 1 ? image.height - 2 : 0;
  const float fx = x - static_cast<float>(u), fy = y - static_cast<float>(v);
  const std::size_t dx = image.width > 1 ? 1 : 0, dy = image.height > 1 ? image.stride : 0;
  const std::uint8_t* p = image.data + v * image.stride + u;
  const float top = static_cast<float>(p[0]) + fx * static_cast<float>(p[dx] - p[0]);
  const float low = static_cast<float>(p[dy]) + fx * static_cast<float>(p[dx + dy] - p[dy]);
  return top + fy * (low - top);
}

// [1 2 1]/4 along x, then along y; the border repeats.
void smooth(Channels& image, std::vector<float>& row) {
  const std::size_t n = image.count, w = image.width, h = image.height;
  row.resize(w * n);
  for (std::size_t v = 0; v < h; ++v) {
    float* line = image.values.data() + v * w * n;
    for (std::size_t u = 0; u < w; ++u) {
      const float* before = line + (u > 0 ? u - 1 : 0) * n;
      const float* here = line + u * n;
      const float* after = line + (u + 1 < w ? u + 1 : u) * n;
      for (std::size_t c = 0; c < n; ++c) row[u * n + c] = 0.25f * (before[c] + 2 * here[c] + after[c]);
    }
    std::copy(row.begin(), row.end(), line);
  }
  // the row above, before it was overwritten
  std::vector<float> above(image.values.begin(), image.values.begin() + static_cast<std::ptrdiff_t>(w * n));
  for (std::size_t v = 0; v < h; ++v) {
    float* line = image.values.data() + v * w * n;
    const float* below = v + 1 < h ? line + w * n : line;
    for (std::size_t i = 0; i < w * n; ++i) {
      const float here = line[i];
      line[i] = 0.25f * (above[i] + 2 * here + below[i]);
      above[i] = here;
    }
  }
}

// Mean over a window of 2 radius + 1 pixels each way, the border repeating.
void box_mean(std::vector<float>& values, std::size_t w, std::size_t h, int radius) {
  std::vector<float> line(std::max(w, h));
  const auto pass = [&](float* first, std::size_t count, std::size_t step) {
    for (std::size_t i = 0; i < count; ++i) line[i] = first[i * step];
    const auto last = static_cast<std::ptrdiff_t>(count) - 1;
    const float share = 1 / static_cast<float>(2 * radius + 1);
    for (std::ptrdiff_t i = 0; i <= last; ++i) {
      float sum = 0;
      for (std::ptrdiff_t k = i - radius; k <= i + radius; ++k)
        sum += line[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(k, 0, last))];
      first[static_cast<std::size_t>(i) * step] = sum * share;
    }
  };
  for (std::size_t v = 0; v < h; ++v) pass(values.data() + v * w, w, 1);
  for (std::size_t u = 0; u < w; ++u) pass(values.data() + u, h, w);
}

struct Gradient {
  float x, y, magnitude;
};

Gradient gradient_at(const Channels& grey, std::size_t u, std::size_t v) {
  const std::size_t w = grey.width, h = grey.height;
  const float* line = grey.values.data() + v * w;
  const float x = 0.5f * (line[u + 1 < w ? u + 1 : u] - line[u > 0 ? u - 1 : 0]);
  const float y = 0.5f * (grey.values[(v + 1 < h ? v + 1 : v) * w + u] - grey.values[(v > 0 ? v - 1 : 0) * w + u]);
  return {x, y, std::sqrt(x * x + y * y)};
}

}  // namespace

Frame frame_about(std::span<const float> mean_shape, double scale, double margin) {
  double left = HUGE_VAL, top = HUGE_VAL, right = -HUGE_VAL, bottom = -HUGE_VAL;
  for (std::size_t i = 0; i + 1 < mean_shape.size(); i += 2) {
    left = std::min<double>(left, mean_shape[i]), right = std::max<double>(right, mean_shape[i]);
    top = std::min<double>(top, mean_shape[i + 1]), bottom = std::max<double>(bottom, mean_shape[i + 1]);
  }
  Frame frame;
  frame.scale = static_cast<float>(scale);
  frame.x = static_cast<float>((margin - left) * scale);
  frame.y = static_cast<float>((margin - top) * scale);
  frame.width = static_cast<std::uint32_t>(std::ceil((right - left + 2 * margin) * scale)) + 1;
  frame.height = static_cast<std::uint32_t>(std::ceil((bottom - top + 2 * margin) * scale)) + 1;
  return frame;
}

void resample(const GreyView& image, const Similarity& pose, const Frame& frame, Channels& grey) {
  grey.width = frame.width, grey.height = frame.height, grey.count = 1;
  grey.values.resize(grey.width * grey.height);
  const Similarity to_image = compose(pose, inverse(frame_pose(frame)));
  const int n = static_cast<int>(std::clamp(std::ceil(magnification(to_image)), 1.0, 32.0));
  std::vector<std::pair<float, float>> places;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const double x = (i + 0.5) / n - 0.5, y = (j + 0.5) / n - 0.5;
      places.emplace_back(to_image.a * x - to_image.b * y, to_image.b * x + to_image.a * y);
    }
  const float share = 1 / static_cast<float>(places.size());
  for (std::size_t v = 0; v < grey.height; ++v)
    for (std::size_t u = 0; u < grey.width; ++u) {
      const double du = static_cast<double>(u), dv = static_cast<double>(v);
      const auto x = static_cast<float>(to_image.a * du - to_image.b * dv + to_image.tx);
      const auto y = static_cast<float>(to_image.b * du + to_image.a * dv + to_image.ty);
      float sum = 0;
      for (const auto& [dx, dy] : places) sum += grey_at(image, x + dx, y + dy);
      grey.values[v * grey.width + u] = sum * share;
    }
}

void texture_features(Features features, const Channels& grey, Channels& out) {
  if (features == Features::intensity) {
    out = grey;
    return;
  }
  out.width = grey.width, out.height = grey.height, out.count = 2;
  out.values.resize(2 * grey.values.size());
  double sum = 0;
  for (std::size_t v = 0; v < grey.height; ++v)
    for (std::size_t u = 0; u < grey.width; ++u) {
      const Gradient g = gradient_at(grey, u, v);
      sum += g.magnitude;
      float* pixel = out.values.data() + 2 * (v * grey.width + u);
      pixel[0] = g.x, pixel[1] = g.y;
    }
  const auto mean = static_cast<float>(sum / static_cast<double>(grey.values.size()));
  for (std::size_t i = 0; i < grey.values.size(); ++i) {
    float* pixel = out.values.data() + 2 * i;
    const float square = pixel[0] * pixel[0] + pixel[1] * pixel[1], magnitude = std::sqrt(square);
    float factor = 0;
    if (mean > 0 && features == Features::edges) factor = 1 / (magnitude + mean);
    if (mean > 0 && features == Features::orientation) factor = magnitude / (square + mean * mean / 16);
    pixel[0] *= factor, pixel[1] *= factor;
  }
}

void orientation_bins(const Channels& grey, std::size_t bins, Channels& out) {
  constexpr int window = 4;
  const std::size_t count = grey.values.size();
  out.width = grey.width, out.height = grey.height, out.count = bins;
  out.values.resize(count * bins);
  std::vector<float> cosines(bins), sines(bins);
  for (std::size_t k = 0; k < bins; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(bins);
    cosines[k] = static_cast<float>(std::cos(angle)), sines[k] = static_cast<float>(std::sin(angle));
  }
  for (std::size_t v = 0; v < grey.height; ++v)
    for (std::size_t u = 0; u < grey.width; ++u) {
      const Gradient g = gradient_at(grey, u, v);
      float* pixel = out.values.data() + (v * grey.width + u) * bins;
      const float share = g.magnitude > 0 ? 1 / g.magnitude : 0;
      const float x = g.x * share, y = g.y * share;
      for (std::size_t k = 0; k < bins; ++k) {
        const float along = std::max(0.0f, x * cosines[k] + y * sines[k]);
        pixel[k] = g.magnitude * (along * along) * (along * along);
      }
    }
  std::vector<float> row;
  smooth(out, row);
  smooth(out, row);

  std::vector<float> energy(count);
  double all = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float* pixel = out.values.data() + i * bins;
    float sum = 0;
    for (std::size_t k = 0; k < bins; ++k) sum += pixel[k] * pixel[k];
    energy[i] = sum;
    all += sum;
  }
  box_mean(energy, grey.width, grey.height, window);
  const auto floor = static_cast<float>(0.2 * std::sqrt(all / static_cast<double>(count)));
  for (std::size_t i = 0; i < count; ++i) {
    const float size = std::sqrt(energy[i]) + floor;
    const float share = size > 0 ? 1 / size : 0;
    for (std::size_t k = 0; k < bins; ++k) out.values[i * bins + k] *= share;
  }
}

}  // namespace kinema::face
