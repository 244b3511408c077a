// The rows of a pair that disagree are found out, and agreed rows are left alone.
#include "stereo/row_alignment.h"

#include "drawn_pair.h"

#include <gtest/gtest.h>

namespace kinema::stereo {
namespace {

RowAlignment learned(const DrawnPair& pair, int pairs) {
  const std::vector<std::uint8_t> left = pair.left(), right = pair.right();
  const auto matcher = make_matcher(pair.camera(), DrawnPair::baseline, {.nearest = 0.8, .farthest = 6}, Backend::cpu);
  RowAlignment rows(pair.width, pair.height);
  Disparities out;
  for (int i = 0; i < pairs; ++i) {
    matcher->match(pair.view(left), pair.view(right), rows.shift(), matcher->whole(), out);
    rows.add(pair.view(left), pair.view(right), out);
  }
  return rows;
}

TEST(RowAlignment, FindsAnOffsetATurnAndAnotherSize) {
  for (const RowShift& shift : {RowShift{0, 0, 0}, {0.1, 0, 0}, {-0.15, 0.05, 0}, {0.05, -0.1, 0.08}}) {
    DrawnPair pair;
    pair.noise = 1.5;
    pair.rows = shift;
    const RowAlignment rows = learned(pair, 2);
    // a twentieth of a pixel in the corners is what the squares of one small picture tell
    EXPECT_NEAR(rows.shift().a, shift.a, 0.03);
    EXPECT_NEAR(rows.shift().b, shift.b, 0.05);
    EXPECT_NEAR(rows.shift().c, shift.c, 0.05);
    EXPECT_LT(rows.spread(), 0.15);
  }
}

TEST(RowAlignment, FindsAWholeRowAndMore) {
  DrawnPair pair;
  pair.noise = 1;
  pair.rows.a = 1.4;
  EXPECT_NEAR(learned(pair, 4).shift().a, 1.4, 0.1);
}

TEST(RowAlignment, SaysNothingWithoutTexture) {
  DrawnPair pair;
  pair.wall_contrast = 0;
  const std::vector<std::uint8_t> grey(static_cast<std::size_t>(pair.width * pair.height), 90);
  RowAlignment rows(pair.width, pair.height);
  Disparities none{pair.width, pair.height, std::vector<float>(grey.size(), 0.0f),
                   std::vector<float>(grey.size(), 0.0f)};
  rows.add(pair.view(grey), pair.view(grey), none);
  EXPECT_EQ(rows.squares(), 0u);
  EXPECT_EQ(rows.shift().a, 0);
}

}  // namespace
}  // namespace kinema::stereo
