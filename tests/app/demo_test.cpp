// kinema demo, as a newcomer runs it.
#include "command.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace kinema::app {
namespace {

TEST(Demo, PrintsATableAndWritesThePageAndTheNumbers) {
  const Problem place(1, 1);
  const Outcome outcome = run_kinema({"demo"}, place.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("rank 1 of 400"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("43000 points"), std::string::npos) << outcome.out;

  const std::string page = bytes_of(place / "kinema-demo/demo.html");
  EXPECT_EQ(page.rfind("<!doctype html>", 0), 0u);
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_NE(page.find("</html>"), std::string::npos);
  EXPECT_EQ(page.find("nan"), std::string::npos);
  // it stands alone
  for (const char* link : {"http://", "https://", "src=", "<script", "@import", "url("}) {
    EXPECT_EQ(page.find(link), std::string::npos) << link;
  }

  const auto json = nlohmann::json::parse(bytes_of(place / "kinema-demo/likelihood.json"));
  EXPECT_EQ(json["results"]["true_pose"]["rank"], 1);
  EXPECT_EQ(json["results"]["log_likelihood"].size(), 400u);
}

TEST(Demo, JsonIsAllThatStandsOnStandardOutput) {
  const Problem place(1, 1);
  const Outcome outcome = run_kinema({"demo", "--out", "a/b", "--json", "--seed", "3"}, place.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["points"], 43000);
  EXPECT_EQ(json["samples"], 400);
  EXPECT_GT(json["results"]["agreement"]["samples"].get<int>(), 0);
  EXPECT_TRUE(std::filesystem::exists(place / "a/b/demo.html"));
}

TEST(Demo, RefusesAFolderThatIsAFile) {
  const Problem place(1, 1);
  expect_one_line(run_kinema({"demo", "--out", "points.npy"}, place.folder()), 2,
                  "points.npy: cannot be made a folder");
}

}  // namespace
}  // namespace kinema::app
