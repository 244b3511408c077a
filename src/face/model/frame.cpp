#include "face/model/frame.h"

#include "core/thread_block.h"
#include "face/model/frame_pixels.h"
#include "face/model/similarity.h"

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
  SerialBlock block(0, 0, 1, nullptr);
  add_tiles(block, tiles.data(), static_cast<int>(tiles.size()), strands);
  return sum_of_tiles(strands);
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

}  // namespace kinema::face
