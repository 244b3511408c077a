#include "serve/messages/face_appearance.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kinema::serve {
namespace {

constexpr std::uint32_t width = 24, height = 20;

// A full rectangle of pixels.
face::Level rectangle(face::Features features) {
  face::Level level;
  level.features = features;
  level.width = width;
  level.height = height;
  std::vector<std::uint32_t> places, neighbours;
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      const std::uint32_t own = y * width + x;
      places.push_back(own);
      neighbours.insert(neighbours.end(), {x > 0 ? own - 1 : own, x + 1 < width ? own + 1 : own,
                                           y > 0 ? own - width : own, y + 1 < height ? own + width : own});
    }
  }
  level.places = places;
  level.neighbours = neighbours;
  return level;
}

TEST(FaceAppearance, AnIntensityIsItsOwnPicture) {
  const face::Level level = rectangle(face::Features::intensity);
  const std::vector<float> texture(width * height, 0.25f);
  EXPECT_EQ(grey_of_texture(level, texture), texture);
}

TEST(FaceAppearance, APictureComesBackFromItsGradients) {
  const face::Level level = rectangle(face::Features::edges);
  const auto picture = [](double x, double y) { return std::sin(0.3 * x) + 0.02 * x * y; };
  std::vector<float> gradient;
  double mean = 0;
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      gradient.push_back(static_cast<float>(0.3 * std::cos(0.3 * x) + 0.02 * y));
      gradient.push_back(static_cast<float>(0.02 * x));
      mean += picture(x, y) / (width * height);
    }
  }
  const std::vector<float> grey = grey_of_texture(level, gradient);
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      // the mean of two derivatives stands for a difference: off by the third derivative over 12, 0.002 a pixel
      EXPECT_NEAR(grey[y * width + x], picture(x, y) - mean, 0.03) << x << ' ' << y;
    }
  }
}

TEST(FaceAppearance, ParametersAreStandardDeviations) {
  face::Level level = rectangle(face::Features::intensity);
  const std::size_t pixels = width * height;
  std::vector<float> mode(pixels, 0);
  mode[3] = 1;
  level.mean = std::vector<float>(pixels, 0.5f);
  level.texture_modes = {1, pixels, mode};
  level.texture_variances = std::vector<float>{4};
  std::vector<float> texture(pixels, 0.5f);
  texture[3] += 3;
  EXPECT_EQ(texture_parameters(level, texture, 10), (std::vector<float>{1.5f}));
}

}  // namespace
}  // namespace kinema::serve
