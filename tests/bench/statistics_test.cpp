#include "bench/statistics.h"

#include "bench/number_text.h"

#include <gtest/gtest.h>

namespace kinema::bench {
namespace {

TEST(Statistics, QuantilesInterpolate) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.25), 7);
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
}

TEST(NumberText, HasThreeSignificantDigits) {
  EXPECT_EQ(short_number(0.7123), "0.712");
  EXPECT_EQ(short_number(19.23), "19.2");
  EXPECT_EQ(short_number(126034), "126034");
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(or_dash(std::nullopt), "-");
}

}  // namespace
}  // namespace kinema::bench
