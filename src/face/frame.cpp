#include "face/frame.h"

#include "core/thread_block.h"
#include "face/frame_pixels.h"
#include "face/similarity.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <utility>

namespace kinema::face {
namespace {

// In the order of frame_pixels.h.
double sum_of_frame(const float* values, std::size_t width, std::size_t height) {
  const auto w = static_cast<int>(width), h = static_cast<int>(height), across = frame_tiles(w);
  std::vector<double> tiles(static_cast<std::size_t>(across * frame_tiles(h)), 0.0);
  for (int v = 0; v < h; ++v)
    for (int tile = 0; tile < across; ++tile) {
      const int first = tile * frame_tile, count = std::min(frame_tile, w - first);
      const int at = v / frame_tile * across + tile;
      tiles[static_cast<std::size_t>(at)] += tile_row_sum(values + static_cast<std::size_t>(v) * width + first, count);
    }
  double strands[sum_strands];
  SerialBlock block(0, 0, nullptr);
  return sum_of_tiles(block, tiles.data(), static_cast<int>(tiles.size()), strands);
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
      for (std::size_t c = 0; c < n; ++c) row[u * n + c] = smoothed(before[c], here[c], after[c]);
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
      line[i] = smoothed(above[i], here, below[i]);
      above[i] = here;
    }
  }
}

// Mean over the window of bins_window, the border repeating: each sum in one order, that of bins_share().
void box_mean(std::vector<float>& values, std::size_t w, std::size_t h) {
  constexpr std::size_t radius = bins_window, count = 2 * radius + 1;
  constexpr float share = 1 / static_cast<float>(count);
  std::vector<float> padded(w + 2 * radius), rows(values.size());
  for (std::size_t v = 0; v < h; ++v) {
    const float* line = values.data() + v * w;
    std::fill_n(padded.begin(), radius, line[0]);
    std::copy_n(line, w, padded.begin() + radius);
    std::fill_n(padded.begin() + static_cast<std::ptrdiff_t>(radius + w), radius, line[w - 1]);
    const float* from = padded.data();
    float* to = rows.data() + v * w;
    for (std::size_t i = 0; i < w; ++i) {
      float sum = 0;
      for (std::size_t k = 0; k < count; ++k) sum += from[i + k];
      to[i] = sum * share;
    }
  }
  for (std::size_t v = 0; v < h; ++v) {
    const float* from[count];
    for (std::size_t k = 0; k < count; ++k)
      from[k] = rows.data() + std::min(h - 1, v + k < radius ? 0 : v + k - radius) * w;
    float* to = values.data() + v * w;
    for (std::size_t i = 0; i < w; ++i) {
      float sum = 0;
      for (std::size_t k = 0; k < count; ++k) sum += from[k][i];
      to[i] = sum * share;
    }
  }
}

// Work on rows, divided among threads if there are any.
template <class Work>
void for_rows(const Threads* threads, std::size_t rows, const Work& work) {
  constexpr std::size_t together = 16;
  const std::size_t parts = (rows + together - 1) / together;
  const auto part = [&](std::size_t p) {
    for (std::size_t v = p * together; v < std::min(rows, (p + 1) * together); ++v) work(v);
  };
  if (threads != nullptr && threads->count() > 1 && parts > 1)
    threads->for_each(parts, part);
  else
    for (std::size_t p = 0; p < parts; ++p) part(p);
}

// A row of a frame that lies inside the image with all its samples: resampled_pixel() without clamping, in loops that the
// compiler vectorises.
constexpr std::size_t row_part = 64;
void add_inner_samples(const GreyView& image, const float* x, const float* y, SampleOffset offset, std::size_t count,
                       float* sums) {
  float fx[row_part], fy[row_part];
  std::int32_t at[row_part];
  std::uint16_t top[row_part], low[row_part];
  const auto stride = static_cast<std::int32_t>(image.stride);
  for (std::size_t i = 0; i < count; ++i) {
    const float px = x[i] + offset.x, py = y[i] + offset.y;
    const auto u = static_cast<std::int32_t>(px), v = static_cast<std::int32_t>(py);
    fx[i] = px - static_cast<float>(u), fy[i] = py - static_cast<float>(v);
    at[i] = v * stride + u;
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(top + i, image.data + at[i], 2);
    std::memcpy(low + i, image.data + at[i] + stride, 2);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto a = static_cast<float>(top[i] & 255), b = static_cast<float>(top[i] >> 8);
    const auto c = static_cast<float>(low[i] & 255), d = static_cast<float>(low[i] >> 8);
    const float upper = a + fx[i] * (b - a), lower = c + fx[i] * (d - c);
    sums[i] += upper + fy[i] * (lower - upper);
  }
}

// Whether all samples around the places from first to last lie inside; places between them lie on a line.
bool inside(const GreyView& image, float x0, float y0, float x1, float y1, float reach) {
  const auto within_length = [&](float a, float b, std::size_t length) {
    return std::min(a, b) - reach >= 0 && std::max(a, b) + reach < static_cast<float>(length) - 1;
  };
  return within_length(x0, x1, image.width) && within_length(y0, y1, image.height) &&
         image.stride * image.height < std::size_t{1} << 31;
}

void resample_row(const GreyView& image, const Similarity& to_image, const std::vector<SampleOffset>& offsets,
                  std::size_t v, std::size_t width, float* out) {
  // a sample lies within half a pixel of the frame, and one of the image for what is rounded
  const float reach = static_cast<float>(0.5 * (std::abs(to_image.a) + std::abs(to_image.b))) + 1;
  const float share = 1 / static_cast<float>(offsets.size());
  float x[row_part], y[row_part], sums[row_part];
  for (std::size_t first = 0; first < width; first += row_part) {
    const std::size_t count = std::min(row_part, width - first);
    for (std::size_t i = 0; i < count; ++i) {
      const FramePlace place = frame_place(to_image, static_cast<int>(first + i), static_cast<int>(v));
      x[i] = place.x, y[i] = place.y, sums[i] = 0;
    }
    if (inside(image, x[0], y[0], x[count - 1], y[count - 1], reach)) {
      for (const SampleOffset& offset : offsets) add_inner_samples(image, x, y, offset, count, sums);
      for (std::size_t i = 0; i < count; ++i) out[first + i] = sums[i] * share;
    } else {
      for (std::size_t i = 0; i < count; ++i)
        out[first + i] = resampled_pixel(image, to_image, offsets.data(), static_cast<int>(offsets.size()),
                                         static_cast<int>(first + i), static_cast<int>(v));
    }
  }
}

PixelGradient gradient_of(const Channels& grey, std::size_t u, std::size_t v) {
  return gradient_at(grey.values.data(), static_cast<int>(grey.width), static_cast<int>(grey.height),
                     static_cast<int>(u), static_cast<int>(v));
}

// Bins of a row; `constant`: their number where the compiler is to know it, else 0.
constexpr std::size_t usual_bins = 8;
template <std::size_t constant>
void bins_of_row(const Channels& grey, std::size_t v, std::size_t number, const float* cosines, const float* sines,
                 float* out) {
  const std::size_t bins = constant > 0 ? constant : number, width = grey.width;
  PixelGradient g[row_part];
  for (std::size_t first = 0; first < width; first += row_part) {
    const std::size_t count = std::min(row_part, width - first);
    for (std::size_t i = 0; i < count; ++i) g[i] = gradient_of(grey, first + i, v);
    for (std::size_t i = 0; i < count; ++i) {
      const float share = g[i].magnitude > 0 ? 1 / g[i].magnitude : 0;
      const float x = g[i].x * share, y = g[i].y * share, magnitude = g[i].magnitude;
      float* pixel = out + (v * width + first + i) * bins;
      for (std::size_t k = 0; k < bins; ++k) pixel[k] = orientation_bin(x, y, magnitude, cosines[k], sines[k]);
    }
  }
}

// The sum of squares of each pixel's bins, added from the first to the last.
template <std::size_t constant>
void bin_energies(const std::vector<float>& values, std::size_t number, std::vector<float>& energy) {
  const std::size_t bins = constant > 0 ? constant : number;
  for (std::size_t i = 0; i < energy.size(); ++i) {
    const float* pixel = values.data() + i * bins;
    float sum = 0;
    for (std::size_t k = 0; k < bins; ++k) sum += pixel[k] * pixel[k];
    energy[i] = sum;
  }
}

template <std::size_t constant>
void scale_bins(const std::vector<float>& energy, float floor, std::size_t number, std::vector<float>& values) {
  const std::size_t bins = constant > 0 ? constant : number;
  for (std::size_t i = 0; i < energy.size(); ++i) {
    const float size = std::sqrt(energy[i]) + floor;
    const float share = size > 0 ? 1 / size : 0;
    for (std::size_t k = 0; k < bins; ++k) values[i * bins + k] *= share;
  }
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

void resample(const GreyView& image, const Similarity& pose, const Frame& frame, Channels& grey,
              const Threads* threads) {
  grey.width = frame.width, grey.height = frame.height, grey.count = 1;
  grey.values.resize(grey.width * grey.height);
  const Similarity to_image = compose(pose, inverse(frame_pose(frame)));
  const int n = frame_samples(to_image);
  std::vector<SampleOffset> offsets;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) offsets.push_back(sample_offset(to_image, n, i, j));
  for_rows(threads, grey.height, [&](std::size_t v) {
    resample_row(image, to_image, offsets, v, grey.width, grey.values.data() + v * grey.width);
  });
}

void texture_features(Features features, const Channels& grey, Channels& out) {
  if (features == Features::intensity) {
    out = grey;
    return;
  }
  out.width = grey.width, out.height = grey.height, out.count = 2;
  out.values.resize(2 * grey.values.size());
  std::vector<float> magnitudes(grey.values.size());
  for (std::size_t v = 0; v < grey.height; ++v)
    for (std::size_t u = 0; u < grey.width; ++u) {
      const PixelGradient g = gradient_of(grey, u, v);
      magnitudes[v * grey.width + u] = g.magnitude;
      float* pixel = out.values.data() + 2 * (v * grey.width + u);
      pixel[0] = g.x, pixel[1] = g.y;
    }
  const auto mean = static_cast<float>(sum_of_frame(magnitudes.data(), grey.width, grey.height) /
                                       static_cast<double>(grey.values.size()));
  for (std::size_t i = 0; i < grey.values.size(); ++i) {
    float* pixel = out.values.data() + 2 * i;
    const float factor = feature_factor(features, pixel[0], pixel[1], mean);
    pixel[0] *= factor, pixel[1] *= factor;
  }
}

std::pair<std::vector<float>, std::vector<float>> bin_directions(std::size_t bins) {
  std::vector<float> cosines(bins), sines(bins);
  for (std::size_t k = 0; k < bins; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(bins);
    cosines[k] = static_cast<float>(std::cos(angle)), sines[k] = static_cast<float>(std::sin(angle));
  }
  return {std::move(cosines), std::move(sines)};
}

void orientation_bins(const Channels& grey, std::size_t bins, Channels& out, const Threads* threads) {
  const std::size_t count = grey.values.size();
  out.width = grey.width, out.height = grey.height, out.count = bins;
  out.values.resize(count * bins);
  const auto directions = bin_directions(bins);
  const std::vector<float>&cosines = directions.first, &sines = directions.second;
  for_rows(threads, grey.height, [&](std::size_t v) {
    if (bins == usual_bins)
      bins_of_row<usual_bins>(grey, v, usual_bins, cosines.data(), sines.data(), out.values.data());
    else
      bins_of_row<0>(grey, v, bins, cosines.data(), sines.data(), out.values.data());
  });
  std::vector<float> row;
  smooth(out, row);
  smooth(out, row);

  std::vector<float> energy(count);
  if (bins == usual_bins)
    bin_energies<usual_bins>(out.values, bins, energy);
  else
    bin_energies<0>(out.values, bins, energy);
  const float floor = bins_floor(sum_of_frame(energy.data(), grey.width, grey.height), static_cast<int>(count));
  box_mean(energy, grey.width, grey.height);
  if (bins == usual_bins)
    scale_bins<usual_bins>(energy, floor, bins, out.values);
  else
    scale_bins<0>(energy, floor, bins, out.values);
}

}  // namespace kinema::face
