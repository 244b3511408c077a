#include "face/model/raster.h"

#include "kinema/error.h"
#include "planted.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kinema::face {
namespace {

struct MeanShape {
  std::vector<float> shape;
  std::vector<std::array<std::uint16_t, 3>> triangles;
};

MeanShape mean_shape() {
  const Planted planted;
  return {{planted.mean().begin(), planted.mean().end()}, delaunay(planted.mean())};
}

TEST(Raster, HasExactlyTheAskedNumberOfPixels) {
  const MeanShape mean = mean_shape();
  for (const std::size_t pixels : {64, 65, 100, 999, 1000, 1001, 4096, 8192, 12288, 16384, 32768, 65536}) {
    Level level;
    rasterise(level, mean.shape, mean.triangles, pixels);
    EXPECT_EQ(level.places.size(), pixels);
    EXPECT_EQ(level.pixel_triangles.size(), pixels);
    EXPECT_EQ(level.barycentric.size(), 3 * pixels);
    EXPECT_EQ(level.neighbours.size(), 4 * pixels);
  }
}

TEST(Raster, PutsNeighbouringPixelsOneStepApart) {
  const MeanShape mean = mean_shape();
  Level level;
  rasterise(level, mean.shape, mean.triangles, 5000);
  const auto place = [&](std::size_t i) {
    const auto& corner = mean.triangles[level.pixel_triangles[i]];
    std::array<double, 2> at = {0, 0};
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t c = 0; c < 2; ++c)
        at[c] += level.barycentric[3 * i + k] * mean.shape[2 * std::size_t{corner[k]} + c] * level.scale;
    return at;
  };
  std::size_t inner = 0;
  for (std::size_t i = 0; i < level.pixels(); ++i) {
    const auto here = place(i);
    double weights = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_GE(level.barycentric[3 * i + k], 0);
      weights += level.barycentric[3 * i + k];
    }
    EXPECT_NEAR(weights, 1, 1e-6);
    const double steps[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    for (std::size_t n = 0; n < 4; ++n) {
      const std::uint32_t next = level.neighbours[4 * i + n];
      if (next == i) continue;
      ++inner;
      // a raster of a hundred pixels in single precision
      EXPECT_NEAR(place(next)[0] - here[0], steps[n][0], 1e-4);
      EXPECT_NEAR(place(next)[1] - here[1], steps[n][1], 1e-4);
    }
  }
  EXPECT_GT(inner, 4 * 4500u);  // all but the rim have four
}

TEST(Raster, OfTrianglesWithoutAreaIsRefused) {
  Level level;
  const std::vector<float> line = {0, 0, 1, 1, 2, 2};
  const std::vector<std::array<std::uint16_t, 3>> triangles = {{0, 1, 2}};
  EXPECT_THROW(rasterise(level, line, triangles, 100), Error);
}

}  // namespace
}  // namespace kinema::face
