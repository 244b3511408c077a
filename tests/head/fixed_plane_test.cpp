// The plane in numbers of 16 bits: how far it is from eq. 2, which colours its outline knows, and strips of it.
#include "head/moments/fixed_plane.h"
#include "frames.h"
#include "head/moments/moments_cpu_plain.h"
#include "head/moments/plane_strip.h"

#include <algorithm>

namespace kinema::head {
namespace {

// as calibration finds them
constexpr SkinPlane calibrated[] = {{0.0383, 0.0097, -0.0484, -0.75},
                                    {0.0040, -0.0270, -0.0152, 4.125},
                                    {0.0441, -0.0431, -0.0100, 0},
                                    {0.0278, -0.0548, 0.0116, 2.25}};

TEST(ShortPlane, IsNeverAboveEq2AndBelowByNoMoreThanItSays) {
  std::mt19937_64 random(1);
  int made = 0;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const SkinPlane plane = random_plane(seed);
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

TEST(ShortPlane, TakesCalibratedPlanes) {
  for (const SkinPlane& plane : calibrated) {
    const auto fixed = fix_plane_in_short(plane);
    ASSERT_TRUE(fixed);
    EXPECT_TRUE(fits_short(in_order(*fixed, true)));
    EXPECT_LE(fixed->error, 8e-6);
  }
}

int outline_sum(const PlaneOfBytes& plane, const std::uint8_t p[3]) {
  return plane.outline.b[0] * p[0] + plane.outline.b[1] * p[1] + plane.outline.b[2] * p[2];
}

TEST(Outline, IsRightAboutEmptyAndFullColours) {
  std::mt19937_64 random(3);
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    for (const auto& fixed : {fix_plane(random_plane(seed)), fix_plane_in_short(random_plane(seed))}) {
      if (!fixed) continue;
      const PlaneOfBytes plane = in_order(*fixed, seed % 2 == 0);
      for (int i = 0; i < 2000; ++i) {
        std::uint8_t p[3];
        for (std::uint8_t& byte : p)
          byte = static_cast<std::uint8_t>(i % 3 == 0 ? random() % 2 * 255 : random());  // also the corners
        const auto weight = static_cast<std::int32_t>(plain::weight(plane, p));
        if (outline_sum(plane, p) <= plane.outline.empty) {
          ASSERT_EQ(weight, 0) << "seed " << seed;
        }
        if (outline_sum(plane, p) >= plane.outline.full) {
          ASSERT_EQ(weight, plane.one) << "seed " << seed;
        }
      }
    }
}

TEST(Outline, KnowsNearlyAllColoursThatAreEmptyOrFull) {
  std::mt19937_64 random(4);
  for (const SkinPlane& numbers : calibrated) {
    const PlaneOfBytes plane = in_order(*fix_plane_in_short(numbers), true);
    int empty = 0, full = 0, known_empty = 0, known_full = 0;
    for (int i = 0; i < 20000; ++i) {
      const std::uint8_t p[3] = {static_cast<std::uint8_t>(random()), static_cast<std::uint8_t>(random()),
                                 static_cast<std::uint8_t>(random())};
      const auto weight = static_cast<std::int32_t>(plain::weight(plane, p));
      if (weight == 0) ++empty;
      if (weight == plane.one) ++full;
      if (outline_sum(plane, p) <= plane.outline.empty) ++known_empty;
      if (outline_sum(plane, p) >= plane.outline.full) ++known_full;
    }
    // what is missed is within a few hundredths of the range
    EXPECT_GT(known_empty, 0.97 * empty) << numbers.r << ' ' << numbers.g << ' ' << numbers.b << ' ' << numbers.d;
    EXPECT_GT(known_full, 0.9 * full) << numbers.r << ' ' << numbers.g << ' ' << numbers.b << ' ' << numbers.d;
  }
}

// Strips against one pixel after the other. There are no bytes past the last pixel, so reading on is found out.
class Strips : public ::testing::Test {
protected:
  void SetUp() override {
    if (!plane_strips_work()) GTEST_SKIP() << "no instruction for it here";
  }
  static ::testing::AssertionResult agree(const PlaneOfBytes& plane, const Piece& piece) {
    std::vector<std::uint32_t> columns(piece.width, 7), expected_columns(piece.width, 7);
    std::vector<std::uint64_t> rows(piece.height, 3), expected_rows(piece.height, 3);
    add_plane_strips(plane, piece.data, piece.stride, piece.pixel_bytes, piece.width, piece.height, columns.data(),
                     rows.data());
    plain::add_columns(plane, piece, 0, {expected_columns.data(), expected_rows.data()});
    if (columns == expected_columns && rows == expected_rows) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << piece.width << " x " << piece.height << " pixels of " << piece.pixel_bytes
                                         << " bytes";
  }
};

TEST_F(Strips, AddWhatSinglePixelsDo) {
  std::mt19937_64 random(2);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto fixed = fix_plane_in_short(random_plane(seed));
    if (!fixed) continue;
    const PlaneOfBytes plane = in_order(*fixed, seed % 2 == 0);
    for (const std::size_t bytes : {3, 4})
      for (const std::size_t width : {16, 48, 256, 272, 1040}) {
        const std::size_t stride = bytes * width + random() % 20, height = strip_height * (1 + random() % 3);
        std::vector<std::uint8_t> data(stride * (height - 1) + bytes * width);
        for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random());
        ASSERT_TRUE(agree(plane, {data.data(), stride, bytes, width, height})) << "seed " << seed;
      }
  }
}

TEST_F(Strips, FindASinglePixelThatDiffersWhereverItIs) {
  constexpr std::size_t width = 32, height = 2 * strip_height;
  for (const SkinPlane& numbers : calibrated)
    for (const std::size_t bytes : {3, 4}) {
      const PlaneOfBytes plane = in_order(*fix_plane_in_short(numbers), true);
      // the corner of all colours that is the furthest from skin, and the one that is nearest, with an alpha of anything
      std::uint8_t far[4] = {0, 0, 0, 255}, near[4] = {0, 0, 0, 255};
      for (std::size_t c = 0; c < 3; ++c) (plane.q[c] < 0 ? far : near)[c] = 255;
      ASSERT_EQ(plain::weight(plane, far), 0u);
      ASSERT_EQ(plain::weight(plane, near), static_cast<std::uint32_t>(plane.one));
      for (const bool full : {false, true}) {
        const std::uint8_t *others = full ? near : far, *one = full ? far : near;
        std::vector<std::uint8_t> data(bytes * width * height);
        for (std::size_t i = 0; i < data.size(); ++i) data[i] = others[i % bytes];
        for (std::size_t i = 0; i < width * height; ++i) {
          std::copy_n(one, bytes, data.data() + bytes * i);
          ASSERT_TRUE(agree(plane, {data.data(), bytes * width, bytes, width, height})) << "pixel " << i;
          std::copy_n(others, bytes, data.data() + bytes * i);
        }
      }
    }
}

// what is looked at, and what is not any more, changes down the frame and across
TEST_F(Strips, OfEmptyFullAndMixedPartsInTurn) {
  std::mt19937_64 random(5);
  const PlaneOfBytes plane = in_order(*fix_plane_in_short(calibrated[2]), false);  // the first byte is red
  for (const std::size_t bytes : {3, 4})
    for (const auto& [width, height] : {std::pair<std::size_t, std::size_t>{784, 64}, {16 * 1056, strip_height}}) {
      std::vector<std::uint8_t> data(bytes * width * height);
      for (int turn = 0; turn < 12; ++turn) {
        for (std::size_t i = 0; i < width * height; ++i) {
          // blocks of colours: noise, none that weighs, all in full
          const std::size_t kind = (i % width / 100 + i / width / 12 + static_cast<std::size_t>(turn)) % 3;
          for (std::size_t c = 0; c < bytes; ++c)
            data[bytes * i + c] = static_cast<std::uint8_t>(kind == 0 ? random() : (kind == 2) == (c == 0) ? 255 : 0);
        }
        ASSERT_TRUE(agree(plane, {data.data(), bytes * width, bytes, width, height})) << "turn " << turn;
      }
    }
}

}  // namespace
}  // namespace kinema::head
