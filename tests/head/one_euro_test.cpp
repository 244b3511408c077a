// The One-Euro filter against its definition (Casiez, Roussel, Vogel, CHI 2012, algorithm 1), written out literally.
#include "kinema/one_euro.h"

#include "kinema/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace kinema::head {
namespace {

// Algorithm 1, line by line, with its names.
struct Definition {
  double mincutoff, beta, dcutoff;
  bool firsttime = true;
  double hatxprev = 0, hatdxprev = 0;

  static double alpha(double rate, double cutoff) {
    const double tau = 1 / (2 * M_PI * cutoff), te = 1 / rate;
    return 1 / (1 + tau / te);
  }
  static double low_pass(double x, double alpha, double previous) { return alpha * x + (1 - alpha) * previous; }

  double operator()(double x, double rate) {
    if (firsttime) {
      firsttime = false;
      hatxprev = x;
      hatdxprev = 0;
      return x;
    }
    const double dx = (x - hatxprev) * rate;
    const double edx = low_pass(dx, alpha(rate, dcutoff), hatdxprev);
    const double cutoff = mincutoff + beta * std::abs(edx);
    hatdxprev = edx;
    return hatxprev = low_pass(x, alpha(rate, cutoff), hatxprev);
  }
};

TEST(OneEuro, GivesWhatItsDefinitionGivesAtUnevenTimes) {
  for (const OneEuroSettings& settings : {OneEuroSettings{1, 0, 1}, {1, 0.007, 1}, {0.3, 0.5, 2}, {5, 0.02, 0.5}}) {
    OneEuro filter(settings);
    Definition definition{settings.cutoff, settings.beta, settings.speed_cutoff};
    std::mt19937 random(3);
    std::normal_distribution<double> noise(0, 2);
    double time = 10, last = 0;
    for (int i = 0; i < 500; ++i) {
      const double step = 1.0 / 30 * (1 + 0.5 * std::sin(0.7 * i));
      time += step;
      const double value = 100 * std::sin(0.05 * i) + noise(random);
      // rounding alone: the same operations in another order
      EXPECT_NEAR(filter.filter(value, time), definition(value, i == 0 ? 1 : 1 / (time - last)), 1e-9) << i;
      last = time;
    }
  }
}

TEST(OneEuro, StillsNoiseAndFollowsAStep) {
  OneEuro filter({1, 0.05, 1});
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 1);
  double sum = 0;
  int count = 0;
  for (int i = 0; i < 600; ++i) {
    const double value = filter.filter(noise(random), i / 30.0);
    if (i > 60) sum += value * value, ++count;
  }
  // a first-order low pass of share a leaves a/(2-a) of the variance; at 1 Hz and 30 a second a is 0.17
  EXPECT_LT(std::sqrt(sum / count), 0.5);
  double value = 0;
  for (int i = 600; i < 615; ++i) value = filter.filter(200, i / 30.0);
  EXPECT_GT(value, 180);  // half a second later, since speed opens the filter
}

TEST(OneEuro, StartsAgainAfterAResetOrWhereTimeStandsStill) {
  OneEuro filter;
  filter.filter(0, 0);
  filter.filter(0, 0.1);
  EXPECT_NE(filter.filter(10, 0.2), 10);
  EXPECT_EQ(filter.filter(50, 0.2), 50);
  filter.reset();
  EXPECT_EQ(filter.filter(-7, 0.3), -7);
}

TEST(OneEuro, RefusesCutoffsThatAreNone) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const OneEuroSettings& settings :
       {OneEuroSettings{0, 0, 1}, {-1, 0, 1}, {nan, 0, 1}, {1, -0.1, 1}, {1, nan, 1}, {1, 0, 0}}) {
    EXPECT_THROW(OneEuro{settings}, Error);
  }
}

}  // namespace
}  // namespace kinema::head
