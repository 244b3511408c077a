// The benchmark of the head's sums on frames that take no time: that it measures what it was asked for.
#include "bench/head/head_bench.h"

#include "bench/head/head_frames.h"
#include "bench/head/head_implementations.h"
#include "bench/head/steps/steps.h"
#include "kinema/error.h"
#include "kinema/head.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace kinema::bench {
namespace {

HeadBenchOptions tiny() {
  HeadBenchOptions options;
  options.width = 97;
  options.height = 54;
  options.seconds = 0.001;
  options.threads = 2;
  options.tables = {"cpu", "other"};
  return options;
}

TEST(HeadBench, MeasuresEveryRowAndHoldsItAgainstTheReference) {
  const HeadReport report = measure_head(tiny());
  EXPECT_EQ(report.table("cpu").size(), 2 * 6 * 3u);
  for (const HeadRow& row : report.rows) {
    SCOPED_TRACE(row.name);
    EXPECT_GE(row.repeats, 1u);
    EXPECT_GT(row.ms.median, 0);
    if (row.table != "cpu") continue;
    EXPECT_LT(row.centroid_error.value(), 1e-3);  // what every backend promises
    EXPECT_LT(row.area_error.value(), 1e-5);
    EXPECT_GT(row.over_floor.value(), 0);
  }
}

TEST(HeadBench, RemakesTable1WithTheStepsThatRunHere) {
  HeadBenchOptions options = tiny();
  options.tables = {"paper"};
  const HeadReport report = measure_head(options);
  std::set<std::string> measured, expected;
  for (const HeadRow& row : report.rows) measured.insert(row.name);
  for (const std::string_view name : moments_names())
    if (name != "reference") expected.emplace(name);
  EXPECT_EQ(measured, expected);
  EXPECT_DOUBLE_EQ(report.find("cpu1")->speedup_cpu1.value(), 1);
  EXPECT_NE(report::to_text(head_page(report)).find("36.7"), std::string::npos);  // the paper's own, beside
}

TEST(HeadBench, WritesTextJsonAndAPage) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("kinema_bench_head_" + std::to_string(::getpid()));
  HeadBenchOptions options = tiny();
  options.tables.clear();
  options.out = folder / "made" / "below";
  options.json = true;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  run_head(options);
  testing::internal::GetCapturedStderr();
  const auto json = nlohmann::json::parse(testing::internal::GetCapturedStdout());
  const auto contents = [&](const char* file) {
    std::ostringstream text;
    text << std::ifstream(options.out / file).rdbuf();
    return text.str();
  };
  EXPECT_EQ(json.at("kind"), "head");
  EXPECT_EQ(json, nlohmann::json::parse(contents("head.json")));
  EXPECT_NE(contents("head.html").find("Figure 4"), std::string::npos);
  EXPECT_NE(contents("head.txt").find("cpu3"), std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST(HeadBench, RefusesWhatCannotBeMeasured) {
  HeadBenchOptions options = tiny();
  options.tables = {"abacus"};
  EXPECT_THROW(measure_head(options), Error);
  options = tiny();
  options.width = 0;
  EXPECT_THROW(measure_head(options), Error);
  options = tiny();
  options.seconds = -1;
  EXPECT_THROW(measure_head(options), Error);
}

TEST(HeadFrames, ShowTheSamePictureInEveryFormat) {
  const auto reference = head::make_moments({}, Backend::reference);
  reference->set_classifier(head::SkinPlane{0.0125, -0.006, -0.007, 0.15});
  for (const PixelFormat format : pixel_formats) {
    const head::Sums sums = reference->measure(make_head_frame(Picture::camera, format, 160, 120, 1).view);
    // the head is there: an oval of 0.14 x 0.33 about (0.55, 0.5), give or take its shading
    EXPECT_NEAR(sums.wx / sums.w, 0.55 * 160, 8) << name(format);
    EXPECT_NEAR(sums.wy / sums.w, 0.5 * 120, 8) << name(format);
  }
}

}  // namespace
}  // namespace kinema::bench
