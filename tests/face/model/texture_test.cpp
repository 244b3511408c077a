#include "face/model/texture.h"

#include "face/model/raster.h"
#include "planted.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kinema::face {
namespace {

TEST(Texture, IsSampledWhereTheWarpTakesEachPixel) {
  // an image whose two channels are its coordinates: the texture is then the warp itself
  const Planted planted;
  const std::vector<float> mean(planted.mean().begin(), planted.mean().end());
  const auto triangles = delaunay(planted.mean());
  Level level;
  rasterise(level, mean, triangles, 3000);
  Channels coordinates{200, 200, 2, {}};
  for (std::size_t v = 0; v < 200; ++v)
    for (std::size_t u = 0; u < 200; ++u)
      coordinates.values.insert(coordinates.values.end(), {static_cast<float>(u), static_cast<float>(v)});
  const PlantedFace face = planted.draw({{1.5, -1}, {}, {40, 5, 95, 100}});
  std::vector<float> texture(2 * level.pixels());
  sample_texture(level, triangles, coordinates, face.landmarks, texture);

  // and the inverse: barycentric coordinates of the sampled place in the shape are those of the pixel
  for (std::size_t i = 0; i < level.pixels(); ++i) {
    const auto& t = triangles[level.pixel_triangles[i]];
    const double ax = face.landmarks[2 * t[0]], ay = face.landmarks[2 * t[0] + 1];
    const double bx = face.landmarks[2 * t[1]] - ax, by = face.landmarks[2 * t[1] + 1] - ay;
    const double cx = face.landmarks[2 * t[2]] - ax, cy = face.landmarks[2 * t[2] + 1] - ay;
    const double px = texture[2 * i] - ax, py = texture[2 * i + 1] - ay, all = bx * cy - by * cx;
    // 1e-4 of a pixel over triangles of some ten pixels
    EXPECT_NEAR((px * cy - py * cx) / all, level.barycentric[3 * i + 1], 1e-4);
    EXPECT_NEAR((bx * py - by * px) / all, level.barycentric[3 * i + 2], 1e-4);
  }
}

TEST(Texture, NormalisedDoesNotChangeWithBrightnessAndContrast) {
  std::vector<float> mean, texture, other;
  for (int i = 0; i < 500; ++i) {
    mean.push_back(static_cast<float>(std::sin(0.3 * i)));
    texture.push_back(static_cast<float>(100 + 40 * std::sin(0.3 * i + 0.2) + 10 * std::cos(0.11 * i)));
    other.push_back(2.5f * texture.back() - 30);
  }
  standardise_texture(mean);
  normalise_texture(texture, mean);
  normalise_texture(other, mean);
  double sum = 0, along = 0;
  for (std::size_t i = 0; i < texture.size(); ++i) {
    EXPECT_NEAR(texture[i], other[i], 1e-4);
    sum += texture[i], along += texture[i] * mean[i];
  }
  EXPECT_NEAR(sum, 0, 1e-3);
  EXPECT_NEAR(along / 500, 1, 1e-5);  // g.g0 = n, as g0.g0 is
}

TEST(Texture, ThatIsFlatOrTheMeansOppositeStaysFinite) {
  std::vector<float> mean;
  mean.reserve(100);
  for (int i = 0; i < 100; ++i) mean.push_back(i % 2 == 0 ? 1.0f : -1.0f);
  std::vector<float> flat(100, 55), opposite;
  for (const float value : mean) opposite.push_back(-value * 30);
  normalise_texture(flat, mean);
  for (const float value : flat) EXPECT_EQ(value, 0);
  normalise_texture(opposite, mean);
  for (const float value : opposite) EXPECT_NEAR(std::abs(value), 10, 1e-4);
}

TEST(Texture, OutsideTheImageRepeatsItsBorder) {
  const Channels image{2, 2, 1, {1, 2, 3, 4}};
  float value = 0;
  sample(image, -5, -9, &value);
  EXPECT_EQ(value, 1);
  sample(image, 30, 0, &value);
  EXPECT_EQ(value, 2);
  sample(image, 30, 0.5f, &value);
  EXPECT_EQ(value, 3);
  sample(image, 1, 77, &value);
  EXPECT_EQ(value, 4);
}

}  // namespace
}  // namespace kinema::face
