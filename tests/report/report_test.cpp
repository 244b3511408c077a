// The data of a report page, and how it stands in the page. web/tests opens such pages in a browser.
#include "report/report.h"

#include "report/base64.h"
#include "report/page_template.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace kinema::report {
namespace {

// The data of a page, as its script reads it.
std::string data_of(const std::string& html) {
  const std::string begin = R"(<script id="data" type="application/json">)";
  const std::size_t from = html.find(begin) + begin.size();
  return html.substr(from, html.find("</script>", from) - from);
}

TEST(ReportPage, HasOnePlaceForItsDataAndFetchesNothing) {
  const std::string_view page = page_template();
  EXPECT_EQ(page.rfind("<!doctype html>", 0), 0u);
  const std::size_t at = page.find(data_marker);
  ASSERT_NE(at, std::string_view::npos);
  EXPECT_EQ(page.find(data_marker, at + 1), std::string_view::npos);
  for (const char* part : {"http://", "https://", " src=", "<link", "@import", "url("})
    EXPECT_EQ(page.find(part), std::string_view::npos) << part;
}

TEST(ReportPage, NoTextEndsTheScriptThatHoldsIt) {
  const std::string evil = "</script><script>alert(1)</script> <!-- & \"quotes\" \\ ü";
  Report report{evil, evil, {{evil, evil, {Text{evil, evil}, Commands{{evil}}}}}, evil};
  const auto json = nlohmann::json::parse(data_of(to_html(report)));
  EXPECT_EQ(json["title"], evil);
  EXPECT_EQ(json["sections"][0]["blocks"][0]["link"], evil);
  EXPECT_EQ(json["sections"][0]["blocks"][1]["lines"][0], evil);
}

TEST(ReportPage, StandsWithoutSectionsAndWithBytesThatAreNoText) {
  const auto json = nlohmann::json::parse(data_of(to_html({"\xff\xfe", "", {}, ""})));
  EXPECT_TRUE(json["sections"].empty());
}

TEST(ReportJson, BreaksLinesWhereThereIsNoValue) {
  Plot plot;
  plot.series = {{"a", 1, Style::dashed, {{1, 2, 1.5, 2.5}, {2, std::nullopt, 0, 0}}}};
  plot.gaps = {{1.5, 2.5}};
  const auto json = nlohmann::json::parse(to_json({"", "", {{"", "", {plot}}}, ""}))["sections"][0]["blocks"][0];
  EXPECT_EQ(json["kind"], "plot");
  const auto& series = json["series"][0];
  EXPECT_EQ(series["style"], "dashed");
  EXPECT_EQ(series["x"], nlohmann::json({1, 2}));
  EXPECT_EQ(series["y"][0], 2);
  EXPECT_TRUE(series["y"][1].is_null());
  EXPECT_EQ(series["spreads"], nlohmann::json::parse("[[1,1.5,2.5]]"));
  EXPECT_EQ(json["gaps"], nlohmann::json::parse("[[1.5,2.5]]"));
}

TEST(ReportJson, ValuesThatAreNotFiniteBecomeNull) {
  Plot plot;
  plot.series = {{"a", 0, Style::line, {{0, std::numeric_limits<double>::infinity(), 0, 0}}}};
  const auto json = nlohmann::json::parse(to_json({"", "", {{"", "", {plot}}}, ""}));
  EXPECT_TRUE(json["sections"][0]["blocks"][0]["series"][0]["y"][0].is_null());
}

TEST(ReportText, TablesHaveTheirColumnsBelowEachOther) {
  Table table{"Times", {"what", "µs", "×"}, 1, {}};
  table.rows = {{{"a", "1.2", "10×"}}, {{"long", "3", "2×"}, true}};
  Plot plot;
  plot.title = "nothing of this";
  EXPECT_EQ(to_text({"All", "", {{"Part", "", {plot, table, List{{{"CPU", "fast"}}}, Text{"So.", ""}}}}, ""}),
            "All\n\nPart\n\nTimes\nwhat   µs    ×\na     1.2  10×\n\nlong    3   2×\n\nCPU: fast\n\nSo.\n");
}

TEST(ReportJson, PicturesArePartOfIt) {
  const auto json =
      nlohmann::json::parse(to_json({"", "", {{"", "", {Pictures{{{"any bytes", 2, 3, "what it shows", ""}}}}}}, ""}));
  const auto& picture = json["sections"][0]["blocks"][0]["pictures"][0];
  EXPECT_EQ(picture["source"], "data:image/png;base64,YW55IGJ5dGVz");
  EXPECT_EQ(picture["height"], 3);
}

TEST(Base64, PadsWhatIsNoMultipleOfThree) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("a"), "YQ==");
  EXPECT_EQ(base64("ab"), "YWI=");
  EXPECT_EQ(base64("\xff\xff\xff"), "////");
}

TEST(Unit, NumbersCarryTheirUnit) {
  EXPECT_EQ(with_unit(126000, Unit::milliseconds), "126 s");
  EXPECT_EQ(with_unit(0.712, Unit::milliseconds), "712 µs");
  EXPECT_EQ(with_unit(43000, Unit::count), "43k");
  EXPECT_EQ(with_unit(310, Unit::factor), "310×");
  EXPECT_EQ(with_unit(0.125, Unit::percent), "12.5 %");
}

}  // namespace
}  // namespace kinema::report
