// The plane in numbers of 16 bits: how far it is from eq. 2, and strips of it against one pixel after the other.
#include "head/fixed_plane.h"
#include "frames.h"
#include "head/moments_cpu_plain.h"
#include "head/plane_strip.h"

#include <algorithm>

namespace kinema::head {
namespace {

TEST(ShortPlane, IsNeverAboveEq2AndBelowByNoMoreThanItSays) {
  std::mt19937_64 random(1);
  int made = 0;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const Plane plane = random_plane(seed);
    const auto fixed = fix_plane_in_short(plane);
    if (!fixed) continue;
    ++made;
    EXPECT_TRUE(fits_short(in_order(*fixed, false)));
    for (int i = 0; i < 2000; ++i) {
      const int r = static_cast<int>(random() % 256), g = static_cast<int>(random() % 256),
                b = static_cast<int>(random() % 256);
      const double exact = std::clamp(r * plane.r + g * plane.g + b * plane.b + plane.d, 0.0, 1.0);
      const double weight = static_cast<double>(fixed->weight(r, g, b)) / fixed->one;
      // 1e-12: of the doubles on either side
      ASSERT_LE(weight, exact + 1e-12) << "seed " << seed;
      ASSERT_GE(weight, exact - fixed->error - 1e-12) << "seed " << seed;
    }
  }
  EXPECT_GT(made, 20);
}

TEST(ShortPlane, TakesPlanesAsCalibrationFindsThem) {
  for (const Plane& plane : {Plane{0.0383, 0.0097, -0.0484, -0.75}, Plane{0.0040, -0.0270, -0.0152, 4.125},
                             Plane{0.0441, -0.0431, -0.0100, 0}, Plane{0.0278, -0.0548, 0.0116, 2.25}}) {
    const auto fixed = fix_plane_in_short(plane);
    ASSERT_TRUE(fixed);
    EXPECT_TRUE(fits_short(in_order(*fixed, true)));
    EXPECT_LE(fixed->error, 8e-6);
  }
}

TEST(ShortPlane, StripsAddWhatSinglePixelsDo) {
  if (!plane_strips_work()) GTEST_SKIP() << "no instruction for it here";
  std::mt19937_64 random(2);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto fixed = fix_plane_in_short(random_plane(seed));
    if (!fixed) continue;
    const PlaneOfBytes plane = in_order(*fixed, seed % 2 == 0);
    for (const std::size_t bytes : {3, 4})
      for (const std::size_t width : {16, 48, 256, 272, 1040}) {
        const std::size_t stride = bytes * width + random() % 20;
        std::vector<std::uint8_t> data(stride * (strip_height - 1) +
                                       bytes * width);  // to the last byte, and no further
        for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random());
        std::vector<std::uint32_t> columns(width, 7), expected_columns(width, 7);
        std::vector<std::uint64_t> rows(strip_height, 3), expected_rows(strip_height, 3);
        add_plane_strips(plane, data.data(), stride, bytes, width, strip_height, columns.data(), rows.data());
        plain::add_columns(plane, Piece{data.data(), stride, bytes, width, strip_height}, 0,
                           {expected_columns.data(), expected_rows.data()});
        ASSERT_EQ(columns, expected_columns) << "seed " << seed << ", " << width << " pixels of " << bytes << " bytes";
        ASSERT_EQ(rows, expected_rows) << "seed " << seed << ", " << width << " pixels of " << bytes << " bytes";
      }
  }
}

}  // namespace
}  // namespace kinema::head
