// The integers of video's colours are BT.601, and the fixed-point plane keeps the promise of its error.
#include "head/moments/colour_conversion.h"
#include "head/moments/fixed_plane.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

namespace kinema::head {
namespace {

TEST(ColourConversion, IsBt601InVideoRange) {
  const auto level = [](double x) { return static_cast<int>(std::lround(std::clamp(x, 0.0, 255.0))); };
  int worst = 0, wrong = 0, all = 0;
  for (int y = 0; y < 256; y += 3)
    for (int cb = 0; cb < 256; cb += 5)
      for (int cr = 0; cr < 256; cr += 5) {
        const double luma = (y - 16) * 255.0 / 219, blue = (cb - 128) * 255.0 / 224, red = (cr - 128) * 255.0 / 224;
        const Rgb rgb =
            rgb_of(static_cast<std::uint8_t>(y), static_cast<std::uint8_t>(cb), static_cast<std::uint8_t>(cr));
        const int off = std::max({std::abs(rgb.r - level(luma + 1.402 * red)),
                                  std::abs(rgb.g - level(luma - 0.344136 * blue - 0.714136 * red)),
                                  std::abs(rgb.b - level(luma + 1.772 * blue))});
        worst = std::max(worst, off);
        wrong += off > 0;
        ++all;
      }
  EXPECT_LE(worst, 1);           // where the exact value lies next to a half,
  EXPECT_LT(wrong, 0.06 * all);  // within the 1/64 to which each of up to three products is rounded
}

TEST(ColourConversion, KnowsBlackWhiteAndTheEnds) {
  const auto expect = [](int y, int cb, int cr, int r, int g, int b) {
    const Rgb rgb = rgb_of(static_cast<std::uint8_t>(y), static_cast<std::uint8_t>(cb), static_cast<std::uint8_t>(cr));
    EXPECT_EQ(rgb.r, r);
    EXPECT_EQ(rgb.g, g);
    EXPECT_EQ(rgb.b, b);
  };
  expect(16, 128, 128, 0, 0, 0);
  expect(235, 128, 128, 255, 255, 255);
  expect(0, 128, 128, 0, 0, 0);
  expect(255, 255, 255, 255, 125, 255);
  expect(0, 0, 0, 0, 136, 0);
}

TEST(FixedPlane, IsNeverAboveEquation2AndNeverFurtherBelowThanItSays) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 200; ++i) {
    const double steepness = std::pow(10.0, -4 + 0.02 * i);
    const SkinPlane plane{steepness * unit(random), steepness * unit(random), steepness * unit(random),
                          100 * steepness * unit(random)};
    const auto fixed = fix_plane(plane);
    if (!fixed) {
      EXPECT_GT(steepness, 0.3);
      continue;
    }
    EXPECT_LE(fixed->error, 1e-5);
    EXPECT_LE(fixed->one, 1 << 25);
    for (int n = 0; n < 2000; ++n) {
      const int r = static_cast<int>(random() % 256), g = static_cast<int>(random() % 256),
                b = static_cast<int>(random() % 256);
      const double exact = std::clamp(r * plane.r + g * plane.g + b * plane.b + plane.d, 0.0, 1.0);
      const double got = static_cast<double>(fixed->weight(r, g, b)) / fixed->one;
      ASSERT_LE(got, exact + 1e-12);
      ASSERT_GE(got, exact - fixed->error - 1e-12);
    }
  }
}

TEST(FixedPlane, OfAUsualFilterIsExactToAMillionth) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 50; ++i) {
    const SkinPlane plane{0.03 * unit(random), 0.03 * unit(random), 0.03 * unit(random), 2 * unit(random)};
    const auto fixed = fix_plane(plane);
    ASSERT_TRUE(fixed);
    EXPECT_LT(fixed->error, 1e-6);
  }
}

}  // namespace
}  // namespace kinema::head
