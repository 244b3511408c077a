#include "face/model/texture_sampling.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kinema::face {
namespace {

// A block's positions in the image, then the pixels around each: plain loops over arrays, which the compiler
// vectorises.
struct Places {
  alignas(64) float x[block_values + tile_values], y[block_values + tile_values];
  alignas(64) std::int32_t at[block_values];
};

// Bilinear positions of all pixels of a block: w1 a + w2 b + w3 c of the triangle's corners.
void place(const TextureLayout& layout, std::span<const std::array<std::uint16_t, 3>> triangles, std::size_t block,
           std::span<const float> shape, Places& places) {
  const std::size_t start = block * layout.block_pixels();
  for (std::size_t r = layout.block_runs[block]; r < layout.block_runs[block + 1]; ++r) {
    const PixelRun& run = layout.runs[r];
    const auto& corner = triangles[run.triangle];
    const float* a = shape.data() + 2 * std::size_t{corner[0]};
    const float* b = shape.data() + 2 * std::size_t{corner[1]};
    const float* c = shape.data() + 2 * std::size_t{corner[2]};
    const float ax = a[0], ay = a[1], bx = b[0], by = b[1], cx = c[0], cy = c[1];
    const float* u = layout.barycentric[0].data() + run.first;
    const float* v = layout.barycentric[1].data() + run.first;
    const float* w = layout.barycentric[2].data() + run.first;
    float* x = places.x + (run.first - start);
    float* y = places.y + (run.first - start);
    // whole vectors: values written past the run are overwritten by the next one
    for (std::size_t i = 0; i < run.count; i += 4)
      for (std::size_t k = i; k < i + 4; ++k) {
        x[k] = u[k] * ax + v[k] * bx + w[k] * cx;
        y[k] = u[k] * ay + v[k] * by + w[k] * cy;
      }
  }
}

// Clamps positions at the border, and splits them into the pixel at the upper left and the fraction.
void split(const TextureImage& image, std::size_t count, Places& places) {
  const auto first_u = static_cast<std::int32_t>(-image.origin_x), first_v = static_cast<std::int32_t>(-image.origin_y);
  const std::int32_t last_u = first_u + static_cast<std::int32_t>(image.width) - 1;
  const std::int32_t last_v = first_v + static_cast<std::int32_t>(image.height) - 1;
  const auto left = static_cast<float>(first_u), right = static_cast<float>(last_u);
  const auto top = static_cast<float>(first_v), bottom = static_cast<float>(last_v);
  const auto stride = static_cast<std::int32_t>(image.stride), step = static_cast<std::int32_t>(image.channels);
  for (std::size_t i = 0; i < count; ++i) {
    float x = places.x[i], y = places.y[i];
    // a NaN position goes to the corner
    x = x > left ? x : left, y = y > top ? y : top;
    x = x < right ? x : right, y = y < bottom ? y : bottom;
    std::int32_t u = static_cast<std::int32_t>(x), v = static_cast<std::int32_t>(y);
    // rounded towards 0; floor is required
    u -= static_cast<float>(u) > x ? 1 : 0, v -= static_cast<float>(v) > y ? 1 : 0;
    u = u < last_u ? u : last_u - 1, v = v < last_v ? v : last_v - 1;
    places.x[i] = x - static_cast<float>(u);
    places.y[i] = y - static_cast<float>(v);
    places.at[i] = (v - first_v) * stride + (u - first_u) * step;
  }
}

void sample_bytes(const TextureImage& image, std::size_t count, const Places& places, float* texture) {
  std::uint16_t top[block_values], low[block_values];
  const std::uint8_t* bytes = image.bytes;
  const std::size_t stride = image.stride;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* p = bytes + places.at[i];
    std::memcpy(top + i, p, 2);
    std::memcpy(low + i, p + stride, 2);
  }
  const float centre = image.centre;
  for (std::size_t i = 0; i < count; ++i) {
    const float fx = places.x[i], fy = places.y[i];
    const auto a = static_cast<float>(top[i] & 255), b = static_cast<float>(top[i] >> 8);
    const auto c = static_cast<float>(low[i] & 255), d = static_cast<float>(low[i] >> 8);
    const float above = a + fx * (b - a), below = c + fx * (d - c);
    texture[i] = (above - centre) + fy * (below - above);
  }
}

void sample_floats(const TextureImage& image, std::size_t count, const Places& places, float* texture) {
  for (std::size_t i = 0; i < count; ++i) {
    const float* p = image.floats + places.at[i];
    const float* q = p + image.stride;
    const float fx = places.x[i], fy = places.y[i];
    const float above = p[0] + fx * (p[1] - p[0]), below = q[0] + fx * (q[1] - q[0]);
    texture[i] = (above - image.centre) + fy * (below - above);
  }
}

void sample_pairs(const TextureImage& image, std::size_t count, const Places& places, float* texture) {
  for (std::size_t i = 0; i < count; ++i) {
    const float* p = image.floats + places.at[i];
    const float* q = p + image.stride;
    const float fx = places.x[i], fy = places.y[i];
    float along[4];
    for (std::size_t k = 0; k < 4; ++k) along[k] = (p[k] - image.centre) + fy * (q[k] - p[k]);
    texture[2 * i] = along[0] + fx * (along[2] - along[0]);
    texture[2 * i + 1] = along[1] + fx * (along[3] - along[1]);
  }
}

}  // namespace

TextureImage::TextureImage(const GreyView& image)
    : width(image.width), height(image.height), stride(image.stride), bytes(image.data) {
  if (width >= 2 && height >= 2) return;
  const std::size_t wide = std::max<std::size_t>(2, width), high = std::max<std::size_t>(2, height);
  for (std::size_t v = 0; v < high; ++v)
    for (std::size_t u = 0; u < wide; ++u)
      padded_.push_back(image.at(std::min(u, image.width - 1), std::min(v, image.height - 1)));
  width = stride = wide, height = high, bytes = padded_.data();
}

TextureImage::TextureImage(Channels from)
    : width(from.width), height(from.height), stride(from.width * from.count), channels(from.count) {
  owned_ = std::move(from.values);
  if (width < 2 || height < 2) {
    const std::size_t wide = std::max<std::size_t>(2, width), high = std::max<std::size_t>(2, height);
    std::vector<float> all;
    for (std::size_t v = 0; v < high; ++v)
      for (std::size_t u = 0; u < wide; ++u)
        for (std::size_t c = 0; c < channels; ++c)
          all.push_back(owned_[(std::min(v, height - 1) * width + std::min(u, width - 1)) * channels + c]);
    owned_ = std::move(all);
    width = wide, height = high, stride = wide * channels;
  }
  floats = owned_.data();
}

void TextureImage::centre_at(std::span<const float> places) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < places.size(); i += 2) {
    const float x = std::clamp(places[i] + static_cast<float>(origin_x), 0.0f, static_cast<float>(width - 1));
    const float y = std::clamp(places[i + 1] + static_cast<float>(origin_y), 0.0f, static_cast<float>(height - 1));
    const std::size_t at = static_cast<std::size_t>(y) * stride + static_cast<std::size_t>(x) * channels;
    sum += bytes != nullptr ? static_cast<double>(bytes[at]) : static_cast<double>(floats[at]);
  }
  centre = static_cast<float>(sum / static_cast<double>(std::max<std::size_t>(1, places.size() / 2)));
}

void sample_block(const TextureLayout& layout, std::span<const std::array<std::uint16_t, 3>> triangles,
                  std::size_t block, const TextureImage& image, std::span<const float> shape, float* texture) {
  const std::size_t count = std::min(layout.block_pixels(), layout.pixels - block * layout.block_pixels());
  Places places;
  place(layout, triangles, block, shape, places);
  split(image, count, places);
  if (image.bytes != nullptr)
    sample_bytes(image, count, places, texture);
  else if (image.channels == 1)
    sample_floats(image, count, places, texture);
  else
    sample_pairs(image, count, places, texture);
  std::fill(texture + count * layout.channels, texture + layout.tiles(block) * tile_values, 0.0f);
}

}  // namespace kinema::face
