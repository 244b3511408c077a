#include "face/model/orientation_bins.h"

#include "core/thread_block.h"
#include "face/model/frame_pixels.h"
#include "face/model/orientation_rows_cpu.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kinema::face {
namespace {

constexpr std::size_t abreast = OrientationBins::abreast;

// The bins at a place, all of them.
void sample(const OrientationBins& bins, float x, float y, float* out) {
  const std::size_t width = bins.width, height = bins.height, pixels = width * height;
  const float right = static_cast<float>(width - 1), bottom = static_cast<float>(height - 1);
  x = x < 0 ? 0 : x > right ? right : x;
  y = y < 0 ? 0 : y > bottom ? bottom : y;
  auto u = static_cast<std::size_t>(x), v = static_cast<std::size_t>(y);
  if (u + 1 >= width) u = width > 1 ? width - 2 : 0;
  if (v + 1 >= height) v = height > 1 ? height - 2 : 0;
  const float fx = x - static_cast<float>(u), fy = y - static_cast<float>(v);
  const std::size_t at = v * width + u, dx = width > 1 ? 1 : 0, dy = height > 1 ? width : 0;
  const float* factor = bins.factors.data() + at;
  const float f00 = factor[0], f10 = factor[dx], f01 = factor[dy], f11 = factor[dx + dy];
  for (std::size_t k = 0; k < bins.count; k += abreast) {
    const float* p = bins.values.data() + (k / abreast * pixels + at) * abreast;
    float values[abreast];
    for (std::size_t c = 0; c < abreast; ++c) {
      const float a = p[c] * f00, b = p[dy * abreast + c] * f01;
      const float top = a + fx * (p[dx * abreast + c] * f10 - a);
      const float low = b + fx * (p[(dx + dy) * abreast + c] * f11 - b);
      values[c] = top + fy * (low - top);
    }
    std::copy_n(values, std::min(abreast, bins.count - k), out + k);
  }
}

}  // namespace

std::pair<std::vector<float>, std::vector<float>> bin_directions(std::size_t bins) {
  std::vector<float> cosines(bins), sines(bins);
  for (std::size_t k = 0; k < bins; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(bins);
    cosines[k] = static_cast<float>(std::cos(angle)), sines[k] = static_cast<float>(std::sin(angle));
  }
  return {std::move(cosines), std::move(sines)};
}

void orientation_bins(const Channels& grey, std::size_t bins, OrientationBins& out, const Threads* threads) {
  const std::size_t pixels = grey.values.size(), padded = (bins + abreast - 1) / abreast * abreast;
  out.width = grey.width, out.height = grey.height, out.count = bins;
  out.values.resize(pixels * padded);
  out.factors.resize(pixels);
  auto [cosines, sines] = bin_directions(bins);
  cosines.resize(padded, 0.0f), sines.resize(padded, 0.0f);
  const std::size_t tile_rows = (grey.height + frame_tile - 1) / frame_tile;
  std::vector<double> tiles(tile_rows * static_cast<std::size_t>(frame_tiles(static_cast<int>(grey.width))), 0.0);
  std::vector<float> energies(pixels);
  const BinRows rows{grey.values.data(), grey.width,        grey.height,     bins,        cosines.data(),
                     sines.data(),       out.values.data(), energies.data(), tiles.data()};
  in_parts(threads, tile_rows, [&](std::size_t first, std::size_t last) {
    bin_rows(rows, first * frame_tile, std::min(grey.height, last * frame_tile));
  });
  double strands[sum_strands];
  SerialBlock block(0, 0, 1, nullptr);
  add_tiles(block, tiles.data(), static_cast<int>(tiles.size()), strands);
  const double energy = sum_of_tiles(strands);
  const float floor = bins_floor(energy, static_cast<int>(pixels));
  in_parts(threads, grey.height,
           [&](std::size_t first, std::size_t last) { bin_factors(rows, floor, first, last, out.factors.data()); });
}

void landmark_texture(const OrientationBins& bins, const Frame& frame, std::span<const float> offsets,
                      std::span<const float> shape, std::span<float> texture, const Threads* threads) {
  const std::size_t places = offsets.size() / 2;
  in_parts(threads, shape.size() / 2, [&](std::size_t first, std::size_t last) {
    float* out = texture.data() + first * places * bins.count;
    for (std::size_t i = first; i < last; ++i) {
      const float x = frame.scale * shape[2 * i] + frame.x, y = frame.scale * shape[2 * i + 1] + frame.y;
      for (std::size_t k = 0; k < places; ++k, out += bins.count)
        sample(bins, x + offsets[2 * k], y + offsets[2 * k + 1], out);
    }
  });
}

}  // namespace kinema::face
