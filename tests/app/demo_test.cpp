// kinema demo, as a newcomer runs it.
#include "command.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace kinema::app {
namespace {

// A few frames are enough for all but the numbers, and keep the tests short.
constexpr const char* few = "4";

TEST(Demo, PrintsATableAndWritesThePageAndTheNumbers) {
  const Problem place(1, 1);
  const Outcome outcome = run_kinema({"demo", "--frames", few}, place.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("4 of 4 frames"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("rank 1 of 400"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("43000 points"), std::string::npos) << outcome.out;

  const std::string page = bytes_of(place / "kinema-demo/demo.html");
  EXPECT_EQ(page.rfind("<!doctype html>", 0), 0u);
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_NE(page.find("</html>"), std::string::npos);
  EXPECT_NE(page.find("kinema body track --input walk"), std::string::npos);
  // it stands alone: pictures are part of it
  for (const char* link : {"http://", "https://", "src=\"w", "src=\"f", "<script", "@import", "url("}) {
    EXPECT_EQ(page.find(link), std::string::npos) << link;
  }
  EXPECT_EQ(page.find("src=\"data:image/png;base64,iVBOR") != std::string::npos, KINEMA_PICTURES != 0);
  EXPECT_EQ(page.find("No pictures") == std::string::npos, KINEMA_PICTURES != 0);

  const auto json = nlohmann::json::parse(bytes_of(place / "kinema-demo/likelihood.json"));
  EXPECT_EQ(json["results"]["true_pose"]["rank"], 1);
  EXPECT_EQ(json["results"]["log_likelihood"].size(), 400u);
}

TEST(Demo, FollowsTheWalkAndLeavesARecordingThatTheOtherVerbsTake) {
  const Problem place(1, 1);
  const Outcome outcome = run_kinema({"demo", "--frames", few, "--out", "d", "--json"}, place.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto walk = nlohmann::json::parse(outcome.out)["results"]["walk"];
  EXPECT_EQ(walk["frames"], 4);
  EXPECT_EQ(walk["found"], 4);
  // a tracker that looks the wrong way is off by a shoulder's width; one that works, by some centimetres
  EXPECT_LT(walk["mean_mm"].get<double>(), 100);
  for (const char* name : {"motion.bvh", "walk.bvh", "poses.jsonl", "walk/camera.json", "walk/truth.jsonl"}) {
    EXPECT_TRUE(std::filesystem::exists(place / "d" / name)) << name;
  }
  // the person's size was found, not read
  EXPECT_FALSE(std::filesystem::exists(place / "d/walk/skeleton.json"));

  const Outcome evaluated = run_kinema(
      {"body", "evaluate", "--poses", "d/poses.jsonl", "--truth", "d/walk/truth.jsonl", "--json"}, place.folder());
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  EXPECT_EQ(nlohmann::json::parse(evaluated.out)["results"]["mean_mm"], walk["mean_mm"]);
}

TEST(Demo, FollowsASyntheticHeadAndLeavesWhatRepeatsIt) {
  const Problem place(1, 1);
  const Outcome outcome = run_kinema({"demo", "--frames", few, "--out", "d", "--json"}, place.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto head = nlohmann::json::parse(outcome.out)["results"]["head"];
  EXPECT_EQ(head["frames"], 4);
  EXPECT_EQ(head["found"], 4);
  // half a percent is the goal
  EXPECT_LT(head["mean_of_face_width"].get<double>(), 0.005);
  EXPECT_LT(head["jitter_px"].get<double>(), 0.05);
  EXPECT_TRUE(std::filesystem::exists(place / "d/filter.json"));
  EXPECT_TRUE(std::filesystem::exists(place / "d/head.csv"));
  const std::string page = bytes_of(place / "d/demo.html");
  EXPECT_NE(page.find("kinema head track --input head"), std::string::npos);
  if (KINEMA_PICTURES == 0) return;
  const Outcome again = run_kinema({"head", "track", "--input", "head", "--filter", "filter.json", "--fps", "30",
                                    "--truth", "head-boxes.txt", "--out", "again.csv", "--json"},
                                   place / "d");
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(bytes_of(place / "d/again.csv"), bytes_of(place / "d/head.csv"));
}

TEST(Demo, JsonIsAllThatStandsOnStandardOutput) {
  const Problem place(1, 1);
  const Outcome outcome =
      run_kinema({"demo", "--frames", few, "--out", "a/b", "--json", "--seed", "3"}, place.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["points"], 43000);
  EXPECT_EQ(json["samples"], 400);
  EXPECT_GT(json["results"]["agreement"]["samples"].get<int>(), 0);
  EXPECT_TRUE(std::filesystem::exists(place / "a/b/demo.html"));
}

TEST(Demo, ReplacesItsOwnRecordingAndNoOther) {
  const Problem place(1, 1);
  const Arguments call = {"demo", "--frames", "2", "--out", "d"};
  std::filesystem::create_directories(place / "d/walk/depth");
  expect_one_line(run_kinema(call, place.folder()), 2,
                  "d/walk: stands there already, and is not of the demo: give another folder with --out");
  EXPECT_TRUE(std::filesystem::exists(place / "d/walk/depth"));
  EXPECT_FALSE(std::filesystem::exists(place / "d/demo.html"));

  std::filesystem::remove_all(place / "d");
  EXPECT_EQ(run_kinema(call, place.folder()).exit_code, 0);
  EXPECT_EQ(run_kinema(call, place.folder()).exit_code, 0);
}

TEST(Demo, RefusesAFolderThatIsAFile) {
  const Problem place(1, 1);
  expect_one_line(run_kinema({"demo", "--out", "points.npy"}, place.folder()), 2,
                  "points.npy: cannot be made a folder");
}

}  // namespace
}  // namespace kinema::app
