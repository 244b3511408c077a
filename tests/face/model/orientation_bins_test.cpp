#include "face/model/orientation_bins.h"

#include "core/random.h"
#include "core/thread_block.h"
#include "face/model/frame_pixels.h"

#include <gtest/gtest.h>

#include <tuple>

namespace kinema::face {
namespace {

Channels random_frame(std::size_t width, std::size_t height) {
  Channels grey{width, height, 1, {}};
  const Random random{5, static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)};
  for (std::uint32_t i = 0; i < width * height; ++i) grey.values.push_back(static_cast<float>(255 * random.uniform(i)));
  return grey;
}

// Pixel by pixel, one step after the other, with the arithmetic of frame_pixels.h.
std::vector<float> plain_bins(const Channels& grey, std::size_t bins) {
  const auto w = static_cast<int>(grey.width), h = static_cast<int>(grey.height);
  const auto [cosines, sines] = bin_directions(bins);
  std::vector<float> values;
  for (int v = 0; v < h; ++v)
    for (int u = 0; u < w; ++u) {
      const PixelGradient g = gradient_at(grey.values.data(), w, h, u, v);
      const float share = g.magnitude > 0 ? 1 / g.magnitude : 0;
      for (std::size_t k = 0; k < bins; ++k)
        values.push_back(orientation_bin(g.x * share, g.y * share, g.magnitude, cosines[k], sines[k]));
    }
  const auto at = [&](const std::vector<float>& from, int u, int v, std::size_t k) {
    return from[static_cast<std::size_t>(within(v, 0, h - 1) * w + within(u, 0, w - 1)) * bins + k];
  };
  for (int pass = 0; pass < 4; ++pass) {
    const std::vector<float> from = values;
    const int du = pass % 2 == 0 ? 1 : 0, dv = 1 - du;
    for (int v = 0; v < h; ++v)
      for (int u = 0; u < w; ++u)
        for (std::size_t k = 0; k < bins; ++k)
          values[static_cast<std::size_t>(v * w + u) * bins + k] =
              smoothed(at(from, u - du, v - dv, k), at(from, u, v, k), at(from, u + du, v + dv, k));
  }
  std::vector<float> energies;
  std::vector<double> tiles(static_cast<std::size_t>(frame_tiles(w) * frame_tiles(h)), 0.0);
  for (int v = 0; v < h; ++v) {
    for (int u = 0; u < w; ++u) {
      float sum = 0;
      for (std::size_t k = 0; k < bins; ++k) sum += at(values, u, v, k) * at(values, u, v, k);
      energies.push_back(sum);
    }
    for (int tile = 0; tile < frame_tiles(w); ++tile)
      tiles[static_cast<std::size_t>(v / frame_tile) * static_cast<std::size_t>(frame_tiles(w)) +
            static_cast<std::size_t>(tile)] +=
          tile_row_sum(energies.data() + v * w + tile * frame_tile, std::min(frame_tile, w - tile * frame_tile));
  }
  double strands[sum_strands];
  SerialBlock block(0, 0, 1, nullptr);
  add_tiles(block, tiles.data(), static_cast<int>(tiles.size()), strands);
  const float floor = bins_floor(sum_of_tiles(strands), w * h);
  for (int v = 0; v < h; ++v)
    for (int u = 0; u < w; ++u) {
      float rows[2 * bins_window + 1];
      for (int j = 0; j <= 2 * bins_window; ++j) rows[j] = bins_row(energies.data(), w, h, u, v + j - bins_window);
      const float share = bins_share(rows, floor);
      for (std::size_t k = 0; k < bins; ++k) values[static_cast<std::size_t>(v * w + u) * bins + k] *= share;
    }
  return values;
}

class OrientationBinsOf : public testing::TestWithParam<std::tuple<int, int, int>> {};

TEST_P(OrientationBinsOf, AreThoseOfThePlainLoopsToTheBitForAnyNumberOfThreads) {
  const auto [width, height, count] = GetParam();
  const Channels grey = random_frame(static_cast<std::size_t>(width), static_cast<std::size_t>(height));
  const auto bins = static_cast<std::size_t>(count);
  const std::vector<float> expected = plain_bins(grey, bins);
  const Frame frame{10, 4, 5, static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)};
  const std::vector<float> shape = {0, 0, 1.5f, -2, 0.33f, 0.71f, 90, 90}, offsets = {0, 0, 3.25f, -1};
  std::vector<float> first;
  for (const int number : {1, 2, 3, 7}) {
    const Threads threads(number);
    OrientationBins got;
    orientation_bins(grey, bins, got, &threads);
    for (std::size_t pixel = 0; pixel < grey.values.size(); ++pixel)
      for (std::size_t k = 0; k < bins; ++k)
        ASSERT_EQ(got.at(pixel, k), expected[pixel * bins + k]) << pixel << ' ' << k;
    std::vector<float> texture(shape.size() / 2 * offsets.size() / 2 * bins);
    landmark_texture(got, frame, offsets, shape, texture, &threads);
    if (first.empty()) first = texture;
    EXPECT_EQ(texture, first);
  }
  // a landmark far outside sees the last pixel
  for (std::size_t k = 0; k < bins; ++k) EXPECT_NEAR(first[6 * bins + k], expected[expected.size() - bins + k], 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Sizes, OrientationBinsOf,
                         testing::Values(std::tuple(1, 1, 8), std::tuple(1, 40, 8), std::tuple(33, 1, 8),
                                         std::tuple(2, 3, 8), std::tuple(16, 16, 8), std::tuple(17, 33, 8),
                                         std::tuple(95, 64, 8), std::tuple(31, 47, 6), std::tuple(20, 34, 1)));

}  // namespace
}  // namespace kinema::face
