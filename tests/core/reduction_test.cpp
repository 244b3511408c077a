#include "core/reduction.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace kinema {
namespace {

TEST(PairwiseSum, AddsEveryTermOnce) {
  for (std::size_t n = 0; n < 300; ++n) {
    std::vector<float> values(n);
    std::iota(values.begin(), values.end(), 1.0f);
    const std::size_t expected = n * (n + 1) / 2;
    EXPECT_EQ(pairwise_sum(values.data(), n), static_cast<double>(expected)) << n;
  }
}

TEST(PairwiseSum, ReadsEveryStrideThElement) {
  const std::vector<double> values{1, 100, 2, 100, 3, 100};
  EXPECT_EQ(pairwise_sum(values.data(), 3, 2), 6.0);
}

TEST(PairwiseSum, LosesLessThanAddingInTurn) {
  constexpr std::size_t n = 1 << 20;
  const std::vector<double> values(n, 0.1);
  const double exact = 0.1L * n;
  EXPECT_NEAR(pairwise_sum(values.data(), n), exact, 1e-14 * exact);
}

}  // namespace
}  // namespace kinema
