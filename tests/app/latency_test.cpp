#include "app/run/latency.h"

#include <gtest/gtest.h>

namespace kinema::app {
namespace {

TEST(Latencies, QuantilesAreThoseOfTheValuesToHalfABin) {
  Latencies latencies;
  EXPECT_EQ(latencies.quantile(0.5), 0);
  for (int i = 100; i > 0; --i) latencies.add(i);
  EXPECT_EQ(latencies.count(), 100u);
  EXPECT_NEAR(latencies.quantile(0.5), 51, 0.5);
  EXPECT_NEAR(latencies.quantile(0.95), 96, 0.5);
  EXPECT_NEAR(latencies.quantile(1), 100, 0.5);
}

TEST(Latencies, NothingIsTooLongOrTooShort) {
  Latencies latencies;
  latencies.add(-5);
  EXPECT_NEAR(latencies.quantile(0.5), 0, 0.5);
  for (int i = 0; i < 3; ++i) latencies.add(1e9);
  EXPECT_GT(latencies.quantile(0.5), 19000);
}

}  // namespace
}  // namespace kinema::app
