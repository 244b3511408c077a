// The forms of a report, on numbers made up for the purpose.
#include "bench/body/body_report.h"

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
  report.trackers.push_back({"cuda", "default", body::Association::nearest,
                             2000,   5,         4,
                             6,      0,         "depth",
                             640,    480,       43000,
                             5000,   95,        1,
                             250,    {4, 3, 5}, {{"weigh", 3}},
                             0.012,  {}});
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
  EXPECT_NE(report::to_text(body_page(made_up())).find("weigh 3 ms"), std::string::npos);
}

TEST(Report, TextSaysWhatWasScaled) {
  EXPECT_NE(report::to_text(body_page(made_up())).find("5 × on 4 of the samples, scaled"), std::string::npos);
}

TEST(Report, PageHoldsFigures5And6WithACurveForEachBackend) {
  const auto page = nlohmann::json::parse(report::to_json(body_page(made_up())));
  std::vector<std::string> titles;
  for (const auto& block : page["sections"][0]["blocks"]) {
    if (block["kind"] != "plot") continue;
    titles.push_back(block["title"].get<std::string>().substr(0, 9));
    EXPECT_TRUE(block["x"]["logarithmic"].get<bool>());
    // wall time of five backends and device time of two; speed-ups of the four that are not the listing
    EXPECT_EQ(block["series"].size(), titles.back() < "Figure 6" ? 7u : 4u) << titles.back();
  }
  EXPECT_EQ(titles, (std::vector<std::string>{"Figure 5a", "Figure 5b", "Figure 6a", "Figure 6b"}));
  EXPECT_EQ(
      page["sections"][0]["blocks"][0]["entries"][0]["text"].get<std::string>().rfind("a <fast> & \"cheap\" CPU", 0),
      0u);
}

}  // namespace
}  // namespace kinema::bench
