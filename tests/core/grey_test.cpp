// Luma is to the bit that of OpenCV's COLOR_BGR2GRAY, whatever the format, and video is spread from 16...235 to 0...255.
#include "kinema/grey.h"

#include "kinema/error.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kinema {
namespace {

std::uint8_t grey_of_one(std::uint8_t r, std::uint8_t g, std::uint8_t b) {
  const std::uint8_t bgr[] = {b, g, r};
  return grey_of({bgr, 1, 1, 3, PixelFormat::bgr})[0];
}

TEST(Grey, WeighsChannelsByBt601) {
  for (int r = 0; r < 256; r += 5)
    for (int g = 0; g < 256; g += 5)
      for (int b = 0; b < 256; b += 5) {
        const double exact = 0.299 * r + 0.587 * g + 0.114 * b;
        const int grey =
            grey_of_one(static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(g), static_cast<std::uint8_t>(b));
        // weights in units of 2^-15 are off by at most half a unit each: 255 * 1.5 / 32768 < 0.02
        ASSERT_NEAR(grey, exact, 0.52) << r << " " << g << " " << b;
      }
  EXPECT_EQ(grey_of_one(255, 255, 255), 255);
  // as OpenCV 4 computes them: (9798 R + 19235 G + 3735 B + 2^14) >> 15
  EXPECT_EQ(grey_of_one(255, 0, 0), 76);
  EXPECT_EQ(grey_of_one(0, 255, 0), 150);
  EXPECT_EQ(grey_of_one(0, 0, 255), 29);
}

TEST(Grey, IsTheSameInEveryOrderOfChannels) {
  const std::uint8_t bgr[] = {10, 20, 30, 200, 100, 50}, rgb[] = {30, 20, 10, 50, 100, 200};
  const std::uint8_t bgra[] = {10, 20, 30, 7, 200, 100, 50, 9}, rgba[] = {30, 20, 10, 7, 50, 100, 200, 9};
  const std::vector<std::uint8_t> grey = grey_of({bgr, 2, 1, 6, PixelFormat::bgr});
  EXPECT_EQ(grey_of({rgb, 2, 1, 6, PixelFormat::rgb}), grey);
  EXPECT_EQ(grey_of({bgra, 2, 1, 8, PixelFormat::bgra}), grey);
  EXPECT_EQ(grey_of({rgba, 2, 1, 8, PixelFormat::rgba}), grey);
}

TEST(Grey, SpreadsTheLumaOfVideoAndSkipsGapsBetweenRows) {
  const std::uint8_t luma[] = {16, 235, 99, 0, 255, 99}, chroma[] = {128, 128};
  ColourView nv12{luma, 2, 2, 3, PixelFormat::nv12};
  nv12.chroma = chroma;
  nv12.chroma_stride = 2;
  EXPECT_EQ(grey_of(nv12), (std::vector<std::uint8_t>{0, 255, 0, 255}));
  const std::uint8_t yuyv[] = {16, 128, 126, 128};
  EXPECT_EQ(grey_of({yuyv, 2, 1, 4, PixelFormat::yuyv}), (std::vector<std::uint8_t>{0, 128}));
}

TEST(Grey, RefusesFramesThatAreNone) {
  const std::uint8_t bytes[12] = {};
  EXPECT_THROW(grey_of({}), Error);
  EXPECT_THROW(grey_of({bytes, 4, 1, 11, PixelFormat::bgr}), Error);
  ColourView device{bytes, 4, 1, 12, PixelFormat::bgr};
  device.on_device = true;
  EXPECT_THROW(grey_of(device), Error);
}

}  // namespace
}  // namespace kinema
