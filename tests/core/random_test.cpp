#include "core/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace kinema {
namespace {

// the known answers that come with Random123, the generator's own distribution
TEST(Philox, GivesThePublishedAnswers) {
  const Philox zero = philox(0, 0, 0, 0, 0);
  EXPECT_EQ(zero.word[0], 0x6627e8d5u);
  EXPECT_EQ(zero.word[1], 0xe169c58du);
  EXPECT_EQ(zero.word[2], 0xbc57ac4cu);
  EXPECT_EQ(zero.word[3], 0x9b00dbd8u);
  const Philox ones = philox(~0ull, ~0u, ~0u, ~0u, ~0u);
  EXPECT_EQ(ones.word[0], 0x408f276du);
  EXPECT_EQ(ones.word[1], 0x41c83b0eu);
  EXPECT_EQ(ones.word[2], 0xa20bc7c6u);
  EXPECT_EQ(ones.word[3], 0x6d5451fdu);
  const Philox pi = philox(0x299f31d0a4093822ull, 0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u);
  EXPECT_EQ(pi.word[0], 0xd16cfe09u);
  EXPECT_EQ(pi.word[1], 0x94fdccebu);
  EXPECT_EQ(pi.word[2], 0x5001e420u);
  EXPECT_EQ(pi.word[3], 0x24126ea1u);
}

TEST(Random, UniformStaysInsideTheOpenInterval) {
  EXPECT_GT(uniform_open(0, 0), 0.0);
  EXPECT_LT(uniform_open(~0u, ~0u), 1.0);
}

TEST(Random, LogarithmIsThatOfTheLibraryTo14Digits) {
  for (int i = 1; i < 4000; ++i) {
    const double x = std::ldexp(1 + i / 4000.0, i % 120 - 60);
    EXPECT_NEAR(portable_log(x), std::log(x), 1e-14 * std::max(1.0, std::fabs(std::log(x)))) << x;
  }
}

TEST(Random, QuantileInvertsTheNormalDistribution) {
  // the approximation's own bound is 1.2e-9 relative
  for (double z = -7; z <= 7; z += 0.01) {
    const double p = 0.5 * std::erfc(-z / std::sqrt(2.0));
    if (p >= 1) continue;
    // above the median 1 - p has lost digits: allow for what one unit in the last place of p does to z
    const double density = std::exp(-z * z / 2) / 2.5066282746;
    EXPECT_NEAR(normal_quantile(p), z, 2e-9 * std::max(1.0, std::fabs(z)) + 2e-16 / density) << z;
  }
}

TEST(Random, NormalHasTheMomentsOfTheNormalDistribution) {
  double sum = 0, squares = 0, fourth = 0;
  constexpr int n = 200000;
  for (int i = 0; i < n; ++i) {
    const double x = Random{7, 3, static_cast<std::uint32_t>(i)}.normal(11);
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  // five standard errors
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(fourth / n, 3, 5 * std::sqrt(96.0 / n));
}

TEST(Random, SeedFrameParticleAndDimensionEachMatter) {
  std::set<double> seen;
  for (std::uint64_t seed : {1ull, 2ull, 1ull << 40})
    for (std::uint32_t frame : {0u, 1u})
      for (std::uint32_t particle : {0u, 1u})
        for (std::uint32_t dimension : {0u, 1u}) seen.insert(Random{seed, frame, particle}.uniform(dimension));
  EXPECT_EQ(seen.size(), 24u);
}

}  // namespace
}  // namespace kinema
