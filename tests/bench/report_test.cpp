// The forms of a report, on numbers made up for the purpose.
#include "bench/report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace kinema::bench {
namespace {

BodyRow row(const char* backend, std::size_t points, double ms, double device_ms) {
  BodyRow row;
  row.backend = backend;
  row.points = points;
  row.samples = 100;
  row.timed_samples = row.backend == "listing" ? 4 : 100;
  row.repeats = 5;
  row.ms = {ms, 0.9 * ms, 1.1 * ms};
  if (device_ms > 0) row.stages = {{"upload", device_ms / 10}, {"device", device_ms}};
  row.pairs_per_second = 1e9;
  row.max_relative_error = 1e-6;
  row.error_samples = 8;
  return row;
}

BodyReport made_up() {
  BodyReport report;
  report.date = "2000-01-01T00:00:00Z";
  report.machine.cpu = "a <fast> & \"cheap\" CPU";
  report.points = {1000, 43000};
  report.samples = {100};
  for (const std::size_t points : report.points) {
    const double scale = static_cast<double>(points) / 1000;
    report.rows.push_back(row("listing", points, 1000 * scale, 0));
    report.rows.push_back(row("embree", points, 100 * scale, 0));
    report.rows.push_back(row("cpu", points, 4 * scale, 0));
    report.rows.push_back(row("paper", points, 2 * scale, 1.5 * scale));
    report.rows.push_back(row("cuda", points, 0.5 * scale, 0.05 * scale));
    report.set_points.push_back({"cpu", body::Association::nearest, points, {1, 1, 1}, {}});
  }
  compare_rows(report.rows);
  report.trackers.push_back({"cuda",
                             body::Association::nearest,
                             2000,
                             5,
                             4,
                             6,
                             0,
                             false,
                             43000,
                             5000,
                             95,
                             1,
                             250,
                             {4, 3, 5},
                             {{"weigh", 3}},
                             0.012});
  return report;
}

TEST(Report, ComparesRowsOfTheSameSize) {
  const BodyReport report = made_up();
  const BodyRow& cpu = report.rows[2];
  EXPECT_DOUBLE_EQ(*cpu.speedup_listing, 250);
  EXPECT_DOUBLE_EQ(*cpu.speedup_embree, 25);
  EXPECT_FALSE(cpu.speedup_paper.has_value());
  const BodyRow& cuda = report.rows[9];
  EXPECT_EQ(cuda.points, 43000u);
  EXPECT_DOUBLE_EQ(*cuda.speedup_listing, 2000);
  EXPECT_DOUBLE_EQ(*cuda.speedup_paper, 30);  // by device time
}

TEST(Report, JsonHoldsEveryRowAndSaysWhatWasScaled) {
  const auto json = nlohmann::json::parse(body_json(made_up()));
  EXPECT_EQ(json["rows"].size(), 10u);
  EXPECT_EQ(json["settings"]["capsules"], 48);
  EXPECT_EQ(json["rows"][0]["scaled_from_samples"], 4);
  EXPECT_TRUE(json["rows"][2]["scaled_from_samples"].is_null());
  EXPECT_TRUE(json["rows"][2]["speedup_paper"].is_null());
  EXPECT_DOUBLE_EQ(json["rows"][4]["ms_stages"]["device"], 0.05);
  EXPECT_EQ(json["set_points"].size(), 2u);
}

TEST(Report, JsonAndTextHoldTheTrackers) {
  const auto json = nlohmann::json::parse(body_json(made_up()));
  ASSERT_EQ(json["trackers"].size(), 1u);
  EXPECT_DOUBLE_EQ(json["trackers"][0]["frames_per_second"], 250);
  EXPECT_DOUBLE_EQ(json["trackers"][0]["ms_stages"]["weigh"], 3);
  EXPECT_NE(body_text(made_up()).find("weigh 3.00"), std::string::npos);
}

TEST(Report, TextSaysWhatWasScaled) {
  EXPECT_NE(body_text(made_up()).find("measured on 4 of the samples, scaled"), std::string::npos);
}

TEST(Report, PageHoldsItsPlotsAndFetchesNothing) {
  const std::string html = body_html(made_up());
  std::size_t plots = 0;
  for (std::size_t at = html.find("<svg"); at != std::string::npos; at = html.find("<svg", at + 1)) ++plots;
  EXPECT_EQ(plots, 4u);
  EXPECT_EQ(html.find("http"), std::string::npos);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_NE(html.find("a &lt;fast&gt; &amp; &quot;cheap&quot; CPU"), std::string::npos);
}

TEST(Report, NumbersHaveThreeDigits) {
  EXPECT_EQ(short_number(0.7123), "0.712");
  EXPECT_EQ(short_number(19.23), "19.2");
  EXPECT_EQ(short_number(126034), "126034");
  EXPECT_EQ(short_number(0), "0");
}

}  // namespace
}  // namespace kinema::bench
