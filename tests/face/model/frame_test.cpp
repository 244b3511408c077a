#include "face/model/frame.h"

#include "core/random.h"
#include "face/model/orientation_bins.h"
#include "face/model/reference_image.h"
#include "face/model/similarity.h"
#include "planted.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kinema::face {
namespace {

std::vector<std::uint8_t> random_image(std::size_t width, std::size_t height) {
  std::vector<std::uint8_t> pixels;
  const Random random{21, 0, 0};
  for (std::uint32_t i = 0; i < width * height; ++i)
    pixels.push_back(static_cast<std::uint8_t>(255 * random.uniform(i)));
  return pixels;
}

// The bins of each pixel, one after the other.
std::vector<float> all(const OrientationBins& bins) {
  std::vector<float> values;
  for (std::size_t pixel = 0; pixel < bins.width * bins.height; ++pixel)
    for (std::size_t k = 0; k < bins.count; ++k) values.push_back(bins.at(pixel, k));
  return values;
}

Frame small_frame() { return {10, 12, 14, 27, 31}; }

TEST(Frame, ShowsTheImageItselfWhereItIsOneToOne) {
  const std::vector<std::uint8_t> pixels = random_image(40, 36);
  const GreyView image{pixels.data(), 40, 36, 40};
  const Frame frame = small_frame();
  // the unit point (u - x)/scale goes to pixel u + 3, v + 2
  const Similarity pose{10, 0, 12 + 3, 14 + 2};
  Channels grey;
  resample(image, pose, frame, grey);
  for (std::size_t v = 0; v < frame.height; ++v)
    for (std::size_t u = 0; u < frame.width; ++u)
      EXPECT_NEAR(grey.values[v * frame.width + u], pixels[(v + 2) * 40 + u + 3], 2e-3);
}

TEST(Frame, AveragesWhereItIsSmaller) {
  // stripes of one pixel that single samples would turn into a pattern
  std::vector<std::uint8_t> pixels(120 * 120);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = i % 2 == 0 ? 0 : 200;
  const GreyView image{pixels.data(), 120, 120, 120};
  Channels grey;
  resample(image, {40, 0, 59.3, 58.2}, small_frame(), grey);
  for (const float value : grey.values) EXPECT_NEAR(value, 100, 30);
}

TEST(Frame, AgreesWithTheReferenceInsideAndOutsideTheImage) {
  const Planted planted;
  const PlantedFace face = planted.draw({});
  const Frame frame = small_frame();
  for (const Similarity& pose : {Similarity{8, 2, 80, 80}, Similarity{33, -20, 150, 10}, Similarity{60, 0, -20, 90}}) {
    Channels grey;
    resample(face.view(), pose, frame, grey);
    const reference::Picture expected = reference::frame_of(reference::picture_of(face.view()), pose, frame);
    ASSERT_EQ(grey.values.size(), expected.values.size());
    // positions of some hundred pixels in single precision, times slopes of up to a hundred grey values a pixel
    for (std::size_t i = 0; i < grey.values.size(); ++i) EXPECT_NEAR(grey.values[i], expected.values[i], 5e-3);
    for (const Features features : {Features::intensity, Features::orientation, Features::edges}) {
      Channels out;
      texture_features(features, grey, out);
      const reference::Picture wanted = reference::features_of(features, expected);
      ASSERT_EQ(out.values.size(), wanted.values.size());
      // a direction is ill-defined where the gradient is nothing but rounding: then the features are small
      const double tolerance = features == Features::intensity ? 5e-3 : 2e-2;
      for (std::size_t i = 0; i < out.values.size(); ++i) EXPECT_NEAR(out.values[i], wanted.values[i], tolerance);
    }
    for (const std::size_t count : {8u, 6u, 1u}) {
      OrientationBins bins;
      orientation_bins(grey, count, bins);
      const reference::Picture wanted = reference::bins_of(expected, count);
      const std::vector<float> got = all(bins);
      ASSERT_EQ(got.size(), wanted.values.size());
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted.values[i], 5e-3);
    }
  }
}

TEST(Features, DoNotChangeWithBrightnessAndContrast) {
  const Planted planted;
  PlantedParameters dim;
  Channels grey, brighter, a, b;
  resample(planted.draw(dim).view(), {12, 1, 80, 80}, small_frame(), grey);
  brighter = grey;
  for (float& value : brighter.values) value = 3 * value + 40;
  for (const Features features : {Features::orientation, Features::edges}) {
    texture_features(features, grey, a);
    texture_features(features, brighter, b);
    for (std::size_t i = 0; i < a.values.size(); ++i) EXPECT_NEAR(a.values[i], b.values[i], 1e-3);
  }
  OrientationBins dark, light;
  orientation_bins(grey, 8, dark);
  orientation_bins(brighter, 8, light);
  for (std::size_t i = 0; i < all(dark).size(); ++i) EXPECT_NEAR(all(dark)[i], all(light)[i], 1e-3);
}

TEST(Features, OfAFlatImageAreNothing) {
  const std::vector<std::uint8_t> pixels(50 * 50, 77);
  Channels grey, out;
  resample({pixels.data(), 50, 50, 50}, {10, 0, 25, 25}, small_frame(), grey);
  for (const Features features : {Features::orientation, Features::edges}) {
    texture_features(features, grey, out);
    for (const float value : out.values) EXPECT_EQ(value, 0);
  }
  OrientationBins bins;
  orientation_bins(grey, 8, bins);
  for (const float value : all(bins)) EXPECT_EQ(value, 0);
}

TEST(Frame, TakesAnImageOfOnePixel) {
  const std::uint8_t pixel = 90;
  Channels grey;
  resample({&pixel, 1, 1, 1}, {10, 3, 5, -20}, small_frame(), grey);
  for (const float value : grey.values) EXPECT_NEAR(value, 90, 1e-4);
}

}  // namespace
}  // namespace kinema::face
