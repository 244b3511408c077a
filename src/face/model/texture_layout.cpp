#include "face/model/texture_layout.h"

#include <algorithm>
#include <numeric>

namespace kinema::face {

TextureLayout::TextureLayout(const Level& level)
    : channels(level.channel_count()), pixels(level.pixels()), values(pixels * channels), order(pixels) {
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return level.pixel_triangles[a] < level.pixel_triangles[b];
  });
  for (std::size_t k = 0; k < 3; ++k) {
    barycentric[k].assign(pixels + tile_values, 0.0f);
    for (std::size_t i = 0; i < pixels; ++i) barycentric[k][i] = level.barycentric[3 * order[i] + k];
  }
  block_runs = {0};
  for (std::size_t first = 0; first < pixels; first += block_pixels()) {
    const std::size_t last = std::min(pixels, first + block_pixels());
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t triangle = level.pixel_triangles[order[i]];
      if (i == first || runs.back().triangle != triangle) runs.push_back({triangle, static_cast<std::uint32_t>(i), 0});
      ++runs.back().count;
    }
    block_runs.push_back(runs.size());
  }
}

std::size_t TextureLayout::tiles(std::size_t block) const {
  const std::size_t count = std::min(block_values, values - block * block_values);
  return (count + tile_values - 1) / tile_values;
}

std::vector<float> TextureLayout::ordered(std::span<const float> texture) const {
  std::vector<float> result;
  for (const std::uint32_t pixel : order)
    for (std::size_t c = 0; c < channels; ++c) result.push_back(texture[pixel * channels + c]);
  return result;
}

PixelSlopes::PixelSlopes(const Level& level, const TextureLayout& layout) {
  std::vector<std::uint32_t> here(layout.pixels);
  for (std::uint32_t i = 0; i < layout.pixels; ++i) here[layout.order[i]] = i;
  for (const std::uint32_t pixel : layout.order) {
    const std::uint32_t* next = level.neighbours.data() + 4 * std::size_t{pixel};
    for (std::size_t k = 0; k < 4; ++k) neighbours.push_back(here[next[k]]);
    const int across = (next[0] != pixel) + (next[1] != pixel), down = (next[2] != pixel) + (next[3] != pixel);
    steps.push_back(across > 0 ? level.scale / static_cast<float>(across) : 0);
    steps.push_back(down > 0 ? level.scale / static_cast<float>(down) : 0);
  }
}

RowStack::RowStack(const TextureLayout& layout, std::span<const std::span<const float>> rows) : rows_(rows.size()) {
  std::size_t total = 0;
  for (std::size_t b = 0; b < layout.blocks(); ++b) {
    starts_.push_back(total);
    total += groups() * layout.tiles(b) * group_rows * tile_values;
  }
  values_.assign(total, 0.0f);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t b = 0; b < layout.blocks(); ++b) {
      const std::size_t tiles = layout.tiles(b), first = b * block_values;
      float* group = values_.data() + starts_[b] + r / group_rows * tiles * group_rows * tile_values +
                     r % group_rows * tile_values;
      for (std::size_t i = 0; i < std::min(block_values, layout.values - first); ++i) {
        const std::size_t pixel = layout.order[(first + i) / layout.channels];
        group[i / tile_values * group_rows * tile_values + i % tile_values] =
            rows[r][pixel * layout.channels + (first + i) % layout.channels];
      }
    }
}

}  // namespace kinema::face
