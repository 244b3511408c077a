// kinema demo, as a newcomer runs it.
#include "command.h"

#include <nlohmann/json.hpp>

#include <map>
#include <memory>

namespace kinema::app {
namespace {

// One demo, looked at from all sides: it takes a while. A few frames are enough for all but the numbers.
class Demo : public testing::Test {
protected:
  static void SetUpTestSuite() {
    place = std::make_unique<Problem>(1, 1);
    outcome = run_kinema({"demo", "--frames", "4", "--out", "a/d", "--json", "--seed", "3"}, place->folder());
  }
  static void TearDownTestSuite() { place.reset(); }

  void SetUp() override { ASSERT_EQ(outcome.exit_code, 0) << outcome.err; }

  static nlohmann::json results() { return nlohmann::json::parse(outcome.out)["results"]; }
  static std::filesystem::path file(const std::string& name) { return *place / "a/d" / name; }

  static std::unique_ptr<Problem> place;
  static Outcome outcome;
};
std::unique_ptr<Problem> Demo::place;
Outcome Demo::outcome;

TEST_F(Demo, JsonIsAllThatStandsOnStandardOutput) {
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["points"], 43000);
  EXPECT_EQ(json["samples"], 400);
  EXPECT_GT(json["results"]["agreement"]["samples"].get<int>(), 0);
}

TEST_F(Demo, WritesAPageThatStandsAloneAndTheNumbers) {
  const std::string page = bytes_of(file("demo.html"));
  EXPECT_EQ(page.rfind("<!doctype html>", 0), 0u);
  // pictures are part of it
  for (const char* link : {"http://", "https://", " src=", "<link", "@import", "url("}) {
    EXPECT_EQ(page.find(link), std::string::npos) << link;
  }
  EXPECT_EQ(page.find("data:image/png;base64,iVBOR") != std::string::npos, KINEMA_PICTURES != 0);
  EXPECT_EQ(page.find("No pictures") == std::string::npos, KINEMA_PICTURES != 0);

  const auto report = report_data(file("demo.html"));
  ASSERT_EQ(report["sections"].size(), 5u);
  EXPECT_EQ(report["sections"].back()["title"], "Now your own camera");
  std::map<std::string, int> kinds;
  for (const auto& section : report["sections"])
    for (const auto& block : section["blocks"]) ++kinds[block["kind"].get<std::string>()];
  EXPECT_EQ(kinds["plot"], 4);
  EXPECT_EQ(kinds["scenes"], 1);
  EXPECT_EQ(kinds["commands"], 4);
  EXPECT_EQ(kinds["pictures"], KINEMA_PICTURES != 0 ? 3 : 0);

  const auto json = nlohmann::json::parse(bytes_of(file("likelihood.json")));
  EXPECT_EQ(json["results"]["true_pose"]["rank"], 1);
  EXPECT_EQ(json["results"]["log_likelihood"].size(), 400u);
}

TEST_F(Demo, FollowsTheWalkAndLeavesARecordingThatTheOtherVerbsTake) {
  const auto walk = results()["walk"];
  EXPECT_EQ(walk["frames"], 4);
  EXPECT_EQ(walk["found"], 4);
  // a tracker that looks the wrong way is off by a shoulder's width; one that works, by some centimetres
  EXPECT_LT(walk["mean_mm"].get<double>(), 100);
  for (const char* name : {"motion.bvh", "walk.bvh", "poses.jsonl", "walk/camera.json", "walk/truth.jsonl"}) {
    EXPECT_TRUE(std::filesystem::exists(file(name))) << name;
  }
  // the person's size was found, not read
  EXPECT_FALSE(std::filesystem::exists(file("walk/skeleton.json")));

  const Outcome evaluated =
      run_kinema({"body", "evaluate", "--poses", "poses.jsonl", "--truth", "walk/truth.jsonl", "--json"}, file(""));
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  EXPECT_EQ(nlohmann::json::parse(evaluated.out)["results"]["mean_mm"], walk["mean_mm"]);
}

TEST_F(Demo, FollowsASyntheticHeadAndLeavesWhatRepeatsIt) {
  const auto head = results()["head"];
  EXPECT_EQ(head["frames"], 4);
  EXPECT_EQ(head["found"], 4);
  // half a percent is the goal
  EXPECT_LT(head["mean_of_face_width"].get<double>(), 0.005);
  EXPECT_LT(head["jitter_px"].get<double>(), 0.05);
  EXPECT_TRUE(std::filesystem::exists(file("filter.json")));
  EXPECT_TRUE(std::filesystem::exists(file("head.csv")));
  if (KINEMA_PICTURES == 0) return;
  const Outcome again = run_kinema({"head", "track", "--input", "head", "--filter", "filter.json", "--fps", "30",
                                    "--truth", "head-boxes.txt", "--out", "again.csv", "--json"},
                                   file(""));
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(bytes_of(file("again.csv")), bytes_of(file("head.csv")));
}

// last in the file, since it replaces what the others look at
TEST_F(Demo, PrintsATableWhereItReplacesItsOwnRecording) {
  const Outcome second = run_kinema({"demo", "--frames", "2", "--out", "a/d"}, place->folder());
  ASSERT_EQ(second.exit_code, 0) << second.err;
  for (const char* says : {"2 of 2 frames", "rank 1 of 400", "43000 points"}) {
    EXPECT_NE(second.out.find(says), std::string::npos) << says << " in " << second.out;
  }
}

TEST(DemoRefuses, ARecordingThatIsNotItsOwn) {
  const Problem place(1, 1);
  std::filesystem::create_directories(place / "d/walk/depth");
  expect_one_line(run_kinema({"demo", "--frames", "2", "--out", "d"}, place.folder()), 2,
                  "d/walk: exists already and was not made by the demo: give another folder with --out");
  EXPECT_TRUE(std::filesystem::exists(place / "d/walk/depth"));
  EXPECT_FALSE(std::filesystem::exists(place / "d/demo.html"));
}

TEST(DemoRefuses, AFolderThatIsAFile) {
  const Problem place(1, 1);
  expect_one_line(run_kinema({"demo", "--out", "points.npy"}, place.folder()), 2,
                  "points.npy: cannot be made a folder");
}

}  // namespace
}  // namespace kinema::app
