// Weights of particles: normalisation, effective sample size and annealing.
#include "body/particles/weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace kinema::body {
namespace {

std::vector<double> none_carried(std::size_t count) { return std::vector<double>(count, 0); }

TEST(Weights, NormaliseWithoutOverflow) {
  const std::vector<double> logs{-1e6, -1e6 + std::log(3.0)};
  std::vector<double> weight(2);
  normalise(logs, 1, none_carried(weight.size()), weight);
  EXPECT_NEAR(weight[0], 0.25, 1e-9);
  EXPECT_NEAR(weight[1], 0.75, 1e-9);
}

TEST(Weights, WhatIsNotFiniteGetsNone) {
  const std::vector<double> logs{-INFINITY, 2, NAN, 2};
  std::vector<double> weight(4);
  normalise(logs, 0.5, none_carried(weight.size()), weight);
  EXPECT_EQ(weight, (std::vector<double>{0, 0.5, 0, 0.5}));
}

TEST(Weights, AllAreEqualWhereNoneIsLeft) {
  const std::vector<double> logs{-INFINITY, -INFINITY};
  std::vector<double> weight(2);
  normalise(logs, 1, none_carried(weight.size()), weight);
  EXPECT_EQ(weight, (std::vector<double>{0.5, 0.5}));
}

TEST(Weights, CarriedWeightsMultiplyThoseOfTheFrame) {
  const std::vector<double> logs{-10, -10 + std::log(3.0), -12}, carried{0, std::log(0.5), -INFINITY};
  std::vector<double> weight(3), log_weight(3);
  normalise(logs, 2, carried, weight);  // 1, 9/2 and nothing
  EXPECT_NEAR(weight[0], 1 / 5.5, 1e-12);
  EXPECT_NEAR(weight[1], 4.5 / 5.5, 1e-12);
  EXPECT_EQ(weight[2], 0);
  normalised_logarithms(logs, 2, carried, log_weight);
  EXPECT_NEAR(log_weight[0], -std::log(4.5), 1e-12);
  EXPECT_EQ(log_weight[1], 0);
  EXPECT_EQ(log_weight[2], -INFINITY);
}

// exp(-800) is 0, but a particle that lost that much in one frame may win it back in the next.
TEST(Weights, LogarithmsOfCarriedWeightsDoNotUnderflow) {
  const std::vector<double> first{0, -800}, second{-900, 0}, none{0, 0};
  std::vector<double> carried(2), weight(2);
  normalised_logarithms(first, 1, none, carried);
  normalise(second, 1, carried, weight);
  EXPECT_NEAR(weight[1], 1, 1e-12);
}

TEST(Weights, NothingIsCarriedWhereNobodyIsLeft) {
  std::vector<double> log_weight(2);
  normalised_logarithms(std::vector<double>{NAN, -INFINITY}, 1, none_carried(2), log_weight);
  EXPECT_EQ(log_weight, (std::vector<double>{0, 0}));
}

TEST(Weights, AnnealingLeavesAShareOfWhatTheCarriedWeightsLeave) {
  std::vector<double> logs(500), carried(500), weight(500);
  for (std::size_t j = 0; j < logs.size(); ++j) {
    logs[j] = -0.1 * static_cast<double>(j * j);
    carried[j] = j < 100 ? 0 : -INFINITY;
  }
  annealing_exponent(logs, 0.5, 1, carried, weight);
  EXPECT_NEAR(effective_sample_size(weight), 0.5 * 100, 1e-3);  // 40 bisections
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
    const double exponent = annealing_exponent(logs, share, 1, none_carried(weight.size()), weight);
    EXPECT_LT(exponent, 1);
    EXPECT_NEAR(effective_sample_size(weight), share * 500, 1e-3);  // 40 bisections
    EXPECT_NEAR(std::accumulate(weight.begin(), weight.end(), 0.0), 1, 1e-12);
  }
}

TEST(Weights, AnnealingStopsAtTheMost) {
  const std::vector<double> logs{-1, -1.1, -1.2};
  std::vector<double> weight(3);
  EXPECT_EQ(annealing_exponent(logs, 0.5, 0.25, none_carried(weight.size()), weight), 0.25);
}

}  // namespace
}  // namespace kinema::body
