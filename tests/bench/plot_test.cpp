#include "bench/plot.h"

#include "bench/statistics.h"

#include <gtest/gtest.h>

namespace kinema::bench {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Plot, DrawsAMarkForEveryPointThatHasALogarithm) {
  const std::string svg = to_svg({"t",
                                  "x",
                                  "y",
                                  Unit::count,
                                  Unit::milliseconds,
                                  {{"a", 0, false, {{1, 2}, {10, 20}, {100, 0}}}, {"b", 1, true, {{1, 5, 4, 6}}}}});
  EXPECT_EQ(count(svg, "<circle"), 3u);
  EXPECT_EQ(count(svg, "class='spread'"), 1u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(Plot, StandsWithOnePointAndWithNone) {
  EXPECT_EQ(to_svg({"t", "x", "y", Unit::count, Unit::factor, {{"a", 0, false, {{5, 5}}}}}).find("nan"),
            std::string::npos);
  EXPECT_NE(to_svg({"t", "x", "y", Unit::count, Unit::factor, {}}).find("nothing was measured"), std::string::npos);
}

TEST(Plot, NumbersCarryTheirUnit) {
  EXPECT_EQ(with_unit(126000, Unit::milliseconds), "126 s");
  EXPECT_EQ(with_unit(0.712, Unit::milliseconds), "712 µs");
  EXPECT_EQ(with_unit(43000, Unit::count), "43k");
  EXPECT_EQ(with_unit(310, Unit::factor), "310×");
}

TEST(Statistics, QuantilesInterpolate) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.25), 7);
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
}

}  // namespace
}  // namespace kinema::bench
