// The benchmark itself, on sizes that take no time: that it measures what it was asked for. No time is asserted.
#include "bench/body/body_bench.h"

#include "bench/body/body_implementations.h"
#include "kinema/error.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace kinema::bench {
namespace {

BodyBenchOptions tiny() {
  BodyBenchOptions options;
  options.points = {200, 50};
  options.samples = {3, 7};
  options.seconds = 0.002;
  options.tracker_frames = 2;
  options.quick = true;
  options.backends = {"listing", "reference", "cpu"};
  return options;
}

std::string contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(BodyBench, SweepsPointsAtTheMostSamplesAndSamplesAtTheMostPointsAndMeasuresEveryRow) {
  const BodyReport report = measure_body(tiny());
  std::set<std::pair<std::size_t, std::size_t>> sizes;
  for (const BodyRow& row : report.rows) sizes.emplace(row.points, row.samples);
  EXPECT_EQ(sizes, (std::set<std::pair<std::size_t, std::size_t>>{{50, 7}, {200, 7}, {200, 3}}));
  EXPECT_EQ(report.rows.size(), 3 * 4u);  // cpu has two associations
  EXPECT_EQ(report.by_points().size(), 2 * 4u);
  EXPECT_EQ(report.by_samples().front()->samples, 3u);

  for (const BodyRow& row : report.rows) {
    SCOPED_TRACE(row.backend);
    EXPECT_GE(row.repeats, 1u);
    EXPECT_GE(row.timed_samples, 1u);
    EXPECT_LE(row.timed_samples, row.samples);
    EXPECT_GT(row.ms.median, 0);
    EXPECT_GT(row.pairs_per_second, 0);
    EXPECT_GE(row.error_samples, 1u);
    EXPECT_TRUE(row.speedup_listing.has_value());
    // a ray that grazes a capsule may count in float and not in double, and 50 points are few
    EXPECT_LT(row.max_relative_error, row.backend == "reference" ? 1e-15 : 0.05);
  }
}

TEST(BodyBench, RunsAllThatThisMachineHasWhenNoneIsNamed) {
  BodyBenchOptions options = tiny();
  options.points = {64};
  options.samples = {4};
  options.backends.clear();
  std::set<std::string> measured, expected;
  for (const BodyRow& row : measure_body(options).rows) measured.insert(row.backend);
  for (const Implementation& implementation : body_implementations({}, 1)) expected.insert(implementation.backend);
  EXPECT_EQ(measured, expected);
  EXPECT_TRUE(expected.contains("listing") && expected.contains("cpu") && expected.contains("reference"));
}

TEST(BodyBench, WritesTextJsonAndAPage) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("kinema_bench_body_" + std::to_string(::getpid()));
  std::filesystem::remove_all(folder);
  BodyBenchOptions options = tiny();
  options.out = folder / "made" / "below";
  options.json = true;

  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  run_body(options);
  const std::string progress = testing::internal::GetCapturedStderr();
  const std::string output = testing::internal::GetCapturedStdout();

  const auto json = nlohmann::json::parse(output);
  EXPECT_EQ(json.at("kind"), "body");
  EXPECT_EQ(json.at("rows").size(), 12u);
  EXPECT_EQ(json, nlohmann::json::parse(contents(options.out / "body.json")));
  EXPECT_NE(contents(options.out / "body.html").find("Figure 6b"), std::string::npos);
  EXPECT_NE(contents(options.out / "body.txt").find("listing"), std::string::npos);
  EXPECT_NE(progress.find("(1 of 3)"), std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST(BodyBench, RefusesWhatCannotBeMeasured) {
  BodyBenchOptions options = tiny();
  options.backends = {"abacus"};
  EXPECT_THROW(measure_body(options), Error);
  options = tiny();
  options.samples = {0, 10};
  EXPECT_THROW(measure_body(options), Error);
  options = tiny();
  options.seconds = -1;
  EXPECT_THROW(measure_body(options), Error);
}

}  // namespace
}  // namespace kinema::bench
