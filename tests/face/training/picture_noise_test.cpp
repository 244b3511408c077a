// Noise over pictures that the score learns from.
#include "face/training/training_set.h"

#include "face/constants.h"
#include "planted.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kinema::face {
namespace {

std::vector<OwnedExample> noisy(const std::vector<PlantedFace>& faces, std::uint64_t seed, int threads) {
  return with_noise(examples_of(faces), Planted().layout(), seed, Threads(threads));
}

double root_mean_square(const PlantedFace& face, const OwnedExample& other) {
  double sum = 0;
  for (std::size_t i = 0; i < face.pixels.size(); ++i) {
    const double by = double(other.pixels[i]) - double(face.pixels[i]);
    sum += by * by;
  }
  return std::sqrt(sum / static_cast<double>(face.pixels.size()));
}

TEST(PictureNoise, ChangesPixelsByAsMuchAsItsScalesAllowAndNoLandmark) {
  const std::vector<PlantedFace> faces = Planted().population(8, 5);
  const std::vector<OwnedExample> other = noisy(faces, 1, 1);
  ASSERT_EQ(other.size(), faces.size());
  for (std::size_t i = 0; i < faces.size(); ++i) {
    EXPECT_EQ(other[i].landmarks, faces[i].landmarks);
    EXPECT_EQ(other[i].width, faces[i].width);
    ASSERT_EQ(other[i].pixels.size(), faces[i].pixels.size());
    const double by = root_mean_square(faces[i], other[i]);
    EXPECT_GT(by, 0);
    EXPECT_LT(by, noise_amplitude * std::size(noise_radii)) << "all scales at their strongest, in step";
  }
  EXPECT_NE(root_mean_square(faces[0], other[0]), root_mean_square(faces[1], other[1]));
}

TEST(PictureNoise, DependsOnTheSeedAndNotOnTheThreads) {
  const std::vector<PlantedFace> faces = Planted().population(3, 5);
  const std::vector<OwnedExample> one = noisy(faces, 1, 1), three = noisy(faces, 1, 3), other = noisy(faces, 2, 1);
  for (std::size_t i = 0; i < faces.size(); ++i) {
    EXPECT_EQ(one[i].pixels, three[i].pixels);
    EXPECT_NE(one[i].pixels, other[i].pixels);
  }
}

TEST(PictureNoise, ReadsRowsWithGaps) {
  const std::vector<PlantedFace> faces = Planted().population(1, 5);
  std::vector<std::uint8_t> wide;
  for (std::size_t y = 0; y < faces[0].height; ++y) {
    const auto row = faces[0].pixels.begin() + static_cast<std::ptrdiff_t>(y * faces[0].width);
    wide.insert(wide.end(), row, row + static_cast<std::ptrdiff_t>(faces[0].width));
    wide.insert(wide.end(), 7, 255);
  }
  Example example = faces[0].example();
  example.image = {wide.data(), faces[0].width, faces[0].height, faces[0].width + 7};
  const Threads threads(1);
  EXPECT_EQ(with_noise({&example, 1}, Planted().layout(), 1, threads)[0].pixels, noisy(faces, 1, 1)[0].pixels);
}

}  // namespace
}  // namespace kinema::face
