// Weights of particles: normalisation, effective sample size and annealing.
#include "body/weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace kinema::body {
namespace {

TEST(Weights, NormaliseWithoutOverflow) {
  const std::vector<double> logs{-1e6, -1e6 + std::log(3.0)};
  std::vector<double> weight(2);
  normalise(logs, 1, weight);
  EXPECT_NEAR(weight[0], 0.25, 1e-9);
  EXPECT_NEAR(weight[1], 0.75, 1e-9);
}

TEST(Weights, WhatIsNotFiniteGetsNone) {
  const std::vector<double> logs{-INFINITY, 2, NAN, 2};
  std::vector<double> weight(4);
  normalise(logs, 0.5, weight);
  EXPECT_EQ(weight, (std::vector<double>{0, 0.5, 0, 0.5}));
}

TEST(Weights, AllAreEqualWhereNoneIsLeft) {
  const std::vector<double> logs{-INFINITY, -INFINITY};
  std::vector<double> weight(2);
  normalise(logs, 1, weight);
  EXPECT_EQ(weight, (std::vector<double>{0.5, 0.5}));
}

TEST(Weights, EffectiveSampleSizeCountsThoseThatMatter) {
  EXPECT_DOUBLE_EQ(effective_sample_size(std::vector<double>{0.25, 0.25, 0.25, 0.25}), 4);
  EXPECT_DOUBLE_EQ(effective_sample_size(std::vector<double>{0, 1, 0}), 1);
  EXPECT_DOUBLE_EQ(effective_sample_size(std::vector<double>{0.5, 0, 0.5}), 2);
}

TEST(Weights, AnnealingReachesTheShare) {
  std::vector<double> logs(500), weight(500);
  for (std::size_t j = 0; j < logs.size(); ++j) logs[j] = -0.1 * static_cast<double>(j * j);
  for (const double share : {0.1, 0.3, 0.9}) {
    const double exponent = annealing_exponent(logs, share, 1, weight);
    EXPECT_LT(exponent, 1);
    EXPECT_NEAR(effective_sample_size(weight), share * 500, 1e-3);  // 40 bisections
    EXPECT_NEAR(std::accumulate(weight.begin(), weight.end(), 0.0), 1, 1e-12);
  }
}

TEST(Weights, AnnealingStopsAtTheMost) {
  const std::vector<double> logs{-1, -1.1, -1.2};
  std::vector<double> weight(3);
  EXPECT_EQ(annealing_exponent(logs, 0.5, 0.25, weight), 0.25);
}

}  // namespace
}  // namespace kinema::body
