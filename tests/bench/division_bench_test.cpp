// The cost of dividing the work, on sizes that take no time. No time is asserted.
#include "bench/body/division_bench.h"

#include "kinema/error.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace kinema::bench {
namespace {

DivisionOptions tiny() {
  DivisionOptions options;
  options.backend = Backend::cpu;
  options.devices = {0, 0, 0};
  options.points = 200;
  options.samples = 30;
  options.particles = 10;
  options.frames = 2;
  options.seconds = 0.002;
  return options;
}

TEST(DivisionBench, MeasuresWholeAndDividedAndComparesTheirBits) {
  const DivisionReport report = measure_division(tiny(), {});
  ASSERT_EQ(report.rows.size(), 2u);
  for (const DivisionRow& row : report.rows) {
    EXPECT_TRUE(row.same_bits) << row.what;
    EXPECT_EQ(row.parts, 3u);
    EXPECT_GT(row.whole.median, 0);
    EXPECT_GT(row.divided.median, 0);
  }
  EXPECT_EQ(report.rows[0].bytes, 0);
  EXPECT_GT(report.rows[1].bytes, 0);
}

TEST(DivisionBench, NeverCallsPartsOfOneDeviceASpeedUp) {
  const DivisionReport report = measure_division(tiny(), {});
  EXPECT_TRUE(report.one_device);
  const std::string text = report::to_text(division_page(report)), json = division_json(report);
  EXPECT_NE(text.find("no gain can come of it"), std::string::npos) << text;
  EXPECT_EQ((text + json).find("speed"), std::string::npos) << text;
  EXPECT_TRUE(nlohmann::json::accept(json));
}

TEST(DivisionBench, NeedsDevices) {
  DivisionOptions options = tiny();
  options.devices.clear();
  EXPECT_THROW(measure_division(options, {}), Error);
}

}  // namespace
}  // namespace kinema::bench
