// kinema body evaluate, from two files to a table, an object and a page.
#include "command.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace kinema::app {
namespace {

using nlohmann::json;

class BodyEvaluate : public ::testing::Test {
protected:
  void write(const std::string& name, const std::string& text) const { std::ofstream(problem_ / name) << text; }

  Outcome evaluate(Arguments more = {}) const {
    Arguments arguments = {"body", "evaluate", "--poses", "poses.jsonl", "--truth", "truth.jsonl"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_kinema(arguments, problem_.folder());
  }

  json evaluated(Arguments more = {}) const {
    more.push_back("--json");
    const Outcome outcome = evaluate(std::move(more));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return json::parse(outcome.out);
  }

  const Problem problem_{1, 1};
};

TEST_F(BodyEvaluate, MeasuresDistancesInMillimetres) {
  write("truth.jsonl",
        R"({"frame":0,"time":0,"joints":{"pelvis":[0,0,2],"neck":[0,-0.5,2]}}
{"frame":1,"time":0.1,"joints":{"pelvis":[0,0,2],"neck":[0,-0.5,2]}}
)");
  // off by 30 and 0 mm, then by 50 and 200 mm
  write("poses.jsonl",
        R"({"frame":1,"time":0.1,"joints":{"pelvis":[0.03,0,2.04],"neck":[0,-0.5,2.2]},"std":{"pelvis":0.05,"neck":0.1}}
{"frame":0,"time":0,"joints":{"pelvis":[0,0.03,2],"neck":[0,-0.5,2]},"std":{"pelvis":0.01,"neck":0.1}}
)");
  const json result = evaluated();
  const json& all = result["results"];
  EXPECT_EQ(all["count"], 4);
  EXPECT_NEAR(all["mean_mm"], 70, 1e-9);
  EXPECT_NEAR(all["median_mm"], 40, 1e-9);
  EXPECT_NEAR(all["p95_mm"], 50 + 0.85 * 150, 1e-9);
  EXPECT_NEAR(all["within_100mm"], 0.75, 1e-12);
  EXPECT_NEAR(all["within_100mm_of_truth"], 0.75, 1e-12);
  EXPECT_NEAR(all["by_joint"]["pelvis"]["mean_mm"], 40, 1e-9);
  EXPECT_NEAR(all["by_joint"]["neck"]["within_100mm"], 0.5, 1e-12);
  EXPECT_EQ(all["by_frame"][0]["frame"], 0);
  EXPECT_NEAR(all["by_frame"][0]["mean_mm"], 15, 1e-9);
  EXPECT_NEAR(all["by_frame"][1]["worst_mm"], 200, 1e-9);
  EXPECT_EQ(all["by_frame"][1]["worst_joint"], "neck");
  // |e|^2 / (3 std^2): 3 and 1/3 for the pelvis, 0 and 4/3 for the neck
  EXPECT_NEAR(all["by_joint"]["pelvis"]["normalised_error"], 5.0 / 3, 1e-9);
  EXPECT_NEAR(all["by_joint"]["neck"]["normalised_error"], 2.0 / 3, 1e-9);
  EXPECT_NEAR(all["normalised_error"], 7.0 / 6, 1e-9);
  EXPECT_EQ(all["deviations"], "honest");
  EXPECT_EQ(result["matched_by"], "frame");
  EXPECT_TRUE(result["ms"].contains("evaluate"));

  const Outcome table = evaluate();
  EXPECT_NE(table.out.find("pelvis              40.0"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("1.17, where 1 is right and 0.5 to 2 is acceptable: honest"), std::string::npos)
      << table.out;
}

TEST_F(BodyEvaluate, MeasuresAnglesInDegrees) {
  // a knee bent by 90 degrees seen as straight, then as bent by 80
  write("truth.jsonl",
        R"({"frame":0,"joints":{"left_hip":[0,0,2],"left_knee":[0,0.4,2],"left_ankle":[0,0.4,2.4]}}
{"frame":1,"joints":{"LeftUpLeg":[0,0,2],"LeftLeg":[0,0.4,2],"LeftFoot":[0,0.4,2.4]}}
)");
  write("poses.jsonl",
        R"({"frame":0,"joints":{"left_hip":[0,0,2],"left_knee":[0,0.4,2],"left_ankle":[0,0.8,2]}}
{"frame":1,"joints":{"left_hip":[0,0,2],"left_knee":[0,0.4,2],"left_ankle":[0,0.469459271,2.393923101]}}
)");
  const json result = evaluated({"--out", "report"});
  const json& angles = result["results"]["angles"];
  EXPECT_EQ(angles["by_angle"].size(), 1u);  // of the other angles joints are missing
  EXPECT_EQ(angles["count"], 2);
  EXPECT_NEAR(angles["mean_degrees"], 50, 1e-6);
  EXPECT_NEAR(angles["by_angle"]["left_knee_flexion"]["median_degrees"], 50, 1e-6);
  EXPECT_NEAR(angles["p95_degrees"], 86, 1e-6);
  EXPECT_NE(evaluate().out.find("left_knee_flexion            50.0     50.0     86.0"), std::string::npos);
  std::ifstream page(problem_ / "report/evaluate.html");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  EXPECT_NE(text.find("Flexions against the truth"), std::string::npos);
}

TEST_F(BodyEvaluate, KnowsTheNamesOfOtherSkeletons) {
  write(
      "truth.jsonl",
      R"({"frame":0,"joints":{"Hips":[0,0,2],"LeftArm":[0.2,-0.4,2],"mixamorig:LeftForeArm":[0.4,-0.4,2],"Spine2":[9,9,9]}})");
  write(
      "poses.jsonl",
      R"({"frame":0,"joints":{"pelvis":[0,0,2],"left_shoulder":[0.2,-0.4,2],"left_elbow":[0.4,-0.4,2.01],"spine":[0,0,0]}})");
  const json result = evaluated();
  EXPECT_EQ(result["joints"], 3);
  EXPECT_EQ(result["results"]["count"], 3);
  EXPECT_NEAR(result["results"]["by_joint"]["left_elbow"]["mean_mm"], 10, 1e-9);
  EXPECT_TRUE(result["results"]["normalised_error"].is_null());
  EXPECT_EQ(result["without_deviation"], 3);
}

TEST_F(BodyEvaluate, CountsMissingFramesApart) {
  std::string truth, poses;
  for (int i = 0; i < 10; ++i) truth += fmt::format("{{\"frame\":{},\"joints\":{{\"pelvis\":[0,0,2]}}}}\n", i);
  truth += "{\"frame\":10,\"joints\":null}\n";  // not known: not asked for
  // 0 is lost, 4 to 6 have no line or no joints, 20 has no truth
  for (int i : {1, 2, 3, 7, 8, 9, 20}) poses += fmt::format("{{\"frame\":{},\"joints\":{{\"pelvis\":[0,0,2]}}}}\n", i);
  poses += "{\"frame\":0,\"joints\":null,\"why\":\"lost\"}\n{\"frame\":5,\"joints\":null,\"why\":\"lost\"}\n";
  write("truth.jsonl", truth);
  write("poses.jsonl", poses);
  const json result = evaluated();
  EXPECT_EQ(result["frames"], json::parse(R"({"truth":10,"compared":6,"missing":4,"longest_missing_run":3,
                                              "poses_without_truth":1})"));
  EXPECT_EQ(result["results"]["within_100mm"], 1);
  EXPECT_NEAR(result["results"]["within_100mm_of_truth"], 0.6, 1e-12);
  EXPECT_TRUE(result["results"]["by_frame"][0]["mean_mm"].is_null());
}

TEST_F(BodyEvaluate, NobodyFoundAtAllIsAResult) {
  write("truth.jsonl", "{\"frame\":0,\"joints\":{\"pelvis\":[0,0,2]}}\n");
  write("poses.jsonl", "{\"frame\":0,\"joints\":null,\"why\":\"lost\"}\n");
  const json result = evaluated({"--out", "report"});
  EXPECT_EQ(result["frames"]["missing"], 1);
  EXPECT_TRUE(result["results"]["mean_mm"].is_null());
  EXPECT_EQ(evaluate().exit_code, 0);
}

TEST_F(BodyEvaluate, MatchesByTimeWhereAFileHasNoFrames) {
  std::string truth, poses;
  for (int i = 0; i < 10; ++i) {
    truth += fmt::format("{{\"time\":{},\"joints\":{{\"pelvis\":[{},0,2]}}}}\n", 5 + i / 30.0, i);
    poses +=
        fmt::format("{{\"frame\":{},\"time\":{},\"joints\":{{\"pelvis\":[{},0,2]}}}}\n", i + 100, 5.004 + i / 30.0, i);
  }
  write("truth.jsonl", truth);
  write("poses.jsonl", poses);
  const json result = evaluated();
  EXPECT_EQ(result["matched_by"], "time");
  EXPECT_EQ(result["frames"]["compared"], 10);
  EXPECT_EQ(result["results"]["mean_mm"], 0);
}

TEST_F(BodyEvaluate, LeavesAnObjectAndAPageWithPlots) {
  write("truth.jsonl", R"({"frame":0,"joints":{"pelvis":[0,0,2]}}
{"frame":1,"joints":{"pelvis":[0,0,2]}}
{"frame":2,"joints":{"pelvis":[0,0,2]}})");
  write("poses.jsonl", R"({"frame":0,"joints":{"pelvis":[0,0,2.1]},"std":{"pelvis":0.01}}
{"frame":2,"joints":{"pelvis":[0,0,2.2]},"std":{"pelvis":0}})");
  const json printed = evaluated({"--out", "deep/report"});
  const json kept = json::parse(bytes_of(problem_ / "deep/report/evaluate.json"));
  EXPECT_EQ(kept["results"], printed["results"]);
  EXPECT_EQ(kept["without_deviation"], 1);
  const json blocks = report_data(problem_ / "deep/report/evaluate.html")["sections"][0]["blocks"];
  EXPECT_EQ(blocks[0]["figures"].back()["label"], "normalised error (1 is right): too sure");
  EXPECT_EQ(blocks[1]["kind"], "plot");
  EXPECT_EQ(blocks[1]["gaps"], json::parse("[[0.5,1.5]]"));
  EXPECT_TRUE(blocks[1]["series"][0]["y"][1].is_null());
  EXPECT_EQ(blocks[2]["bars"][0]["value"], 150);
}

TEST_F(BodyEvaluate, HoldsOutNumbersAtTheirLimits) {
  const std::string far = R"({"frame":FRAME,"time":TIME,"joints":{"pelvis":[1e6,-1e6,1e6]},"std":{"pelvis":STD}})";
  const auto line = [&](const std::string& frame, const std::string& time, const std::string& deviation) {
    std::string text = far;
    for (const auto& [name, value] : {std::pair{"FRAME", frame}, {"TIME", time}, {"STD", deviation}}) {
      text.replace(text.find(name), std::string(name).size(), value);
    }
    return text + "\n";
  };
  write("poses.jsonl", line("9007199254740992", "1e12", "1e-8") + line("-9007199254740992", "-1e12", "0"));
  write("truth.jsonl", R"({"frame":9007199254740992,"joints":{"pelvis":[-1e6,1e6,-1e6]}}
{"frame":-9007199254740992,"joints":{"pelvis":[-1e6,1e6,-1e6]}})");
  const json result = evaluated({"--out", "report"});
  EXPECT_TRUE(result["results"]["normalised_error"].is_number());
  EXPECT_EQ(result["results"]["within_100mm"], 0);
  write("poses.jsonl", line("null", "1e12", "1") + line("null", "-1e12", "1"));
  write("truth.jsonl", line("null", "1e12", "1") + line("null", "-1e12", "1"));
  EXPECT_EQ(evaluated({"--out", "report"})["results"]["mean_mm"], 0);
  // a value that is not finite would be null
  const std::string page = report_data(problem_ / "report/evaluate.html").dump();
  EXPECT_EQ(page.find("null"), std::string::npos);
  EXPECT_EQ(page.find("nan"), std::string::npos);
  EXPECT_EQ(page.find("inf"), std::string::npos);
}

TEST_F(BodyEvaluate, SaysWhatIsWrongInOneLine) {
  const std::string good = "{\"frame\":0,\"joints\":{\"pelvis\":[0,0,2]}}\n";
  const auto refused = [&](const std::string& poses, const std::string& truth, const std::string& says) {
    write("poses.jsonl", poses);
    write("truth.jsonl", truth);
    expect_one_line(evaluate({"--out", "never"}), 2, says);
    EXPECT_FALSE(std::filesystem::exists(problem_ / "never")) << says;
  };
  refused(good, "", "truth.jsonl: holds no frame");
  refused("", good, "poses.jsonl: holds no frame");
  refused(good + "{\"frame\":1,", good, "poses.jsonl:2: is not JSON");
  refused(good, "{\"frame\":0,\"joints\":{\"pelvis\":[0,0]}}", "truth.jsonl:1: /joints/pelvis: is an array of 2");
  refused(good, "{\"frame\":9,\"joints\":{\"pelvis\":[0,0,2]}}",
          "poses.jsonl: has no frame in common with truth.jsonl");
  refused(good, "{\"frame\":0,\"joints\":{\"neck\":[0,0,2]}}", "poses.jsonl: shares no joint with truth.jsonl");
  refused(good, "{\"frame\":0,\"joints\":{\"tail\":[0,0,2]}}", "truth.jsonl: has no frame with a joint");
  refused(good, "{\"time\":0,\"joints\":{\"pelvis\":[0,0,2]}}", "poses.jsonl:1: has no \"time\"");
  refused(good, "{\"frame\":0,\"joints\":{\"Hips\":[0,0,2],\"root\":[0,0,2]}}",
          "truth.jsonl:1: /joints: \"Hips\" and \"root\" both stand for pelvis");
  std::filesystem::remove(problem_ / "truth.jsonl");
  expect_one_line(evaluate(), 2, "truth.jsonl: there is no such file");
  expect_one_line(run_kinema({"body", "evaluate", "--poses", "p"}, problem_.folder()), 2, "--truth is required");
  refused(good, good + "\xff\n", "truth.jsonl:2: is not JSON");
}

TEST_F(BodyEvaluate, RefusesAPlaceThatCannotBeWritten) {
  write("truth.jsonl", "{\"frame\":0,\"joints\":{\"pelvis\":[0,0,2]}}\n");
  write("poses.jsonl", "{\"frame\":0,\"joints\":{\"pelvis\":[0,0,2]}}\n");
  expect_one_line(evaluate({"--out", "truth.jsonl"}), 2, "truth.jsonl: cannot be made a folder");
}

TEST_F(BodyEvaluate, ComparesPeople) {
  const auto line = [](int frame, const std::string& person, double x, const std::string& more = "") {
    return fmt::format(
        "{{\"frame\":{},\"person\":{}{},\"joints\":{{\"pelvis\":[{},0,2]}},\"std\":{{\"pelvis\":0.02}}}}\n", frame,
        person, more, x);
  };
  std::string truth, poses;
  for (int frame = 0; frame < 10; ++frame) {
    truth += line(frame, "1", 0) + line(frame, "2", 1, frame < 8 ? ",\"visible\":0.9" : ",\"visible\":0.1");
    // the second is missed in frame 0, the first is somebody else from frame 5 on, and there is nobody at 3 m in frame 9
    poses += line(frame, frame < 5 ? "4" : "5", 0.02);
    if (frame > 0) poses += line(frame, "7", 1.02);
    if (frame == 9) poses += line(frame, "8", 3);
  }
  write("truth.jsonl", truth);
  write("poses.jsonl", poses + "{\"frame\":10,\"person\":null,\"joints\":null}\n");
  const json result = evaluated({"--out", "page"})["results"];
  const json& people = result["people"];
  EXPECT_EQ(people["frames"], 18);  // who is hardly visible is not asked for
  EXPECT_EQ(people["missed"], 1);
  EXPECT_EQ(people["false"], 1);
  EXPECT_EQ(people["switches"], 1);
  EXPECT_EQ(people["numbers"], 4);
  EXPECT_NEAR(people["mota"], 1 - 3.0 / 18, 1e-12);
  // numbers 4 (or 5) and 7 are together with people in 5 and 7 frames, of 18 of the truth and 18 stated
  EXPECT_NEAR(people["idf1"], 2 * 12.0 / (18 + 18), 1e-12);
  EXPECT_NEAR(result["mean_mm"], 20, 1e-9);
  EXPECT_NEAR(result["normalised_error"], 1.0 / 3, 1e-9);
  EXPECT_EQ(people["by_person"][1]["missed"], 1);
  EXPECT_TRUE(std::filesystem::exists(problem_ / "page/evaluate.html"));
}

TEST_F(BodyEvaluate, ComparesPeopleOnlyInFramesOfTheTruth) {
  const auto line = [](int frame, int person) {
    return fmt::format("{{\"frame\":{},\"person\":{},\"joints\":{{\"pelvis\":[0,0,2]}}}}\n", frame, person);
  };
  std::string truth, poses;
  for (int frame = 0; frame < 10; ++frame) poses += line(frame, 1);
  // every fifth frame was labelled, and in the last of all nobody was there
  for (int frame = 0; frame < 10; frame += 5) truth += line(frame, 3);
  write("truth.jsonl", truth + "{\"frame\":9,\"joints\":null}\n");
  write("poses.jsonl", poses);
  const json people = evaluated()["results"]["people"];
  EXPECT_EQ(people["frames"], 2);
  EXPECT_EQ(people["missed"], 0);
  EXPECT_EQ(people["false"], 1);
  EXPECT_NEAR(people["mota"], 1 - 1.0 / 2, 1e-12);
  EXPECT_NEAR(people["idf1"], 2 * 2.0 / (2 + 3), 1e-12);
}

}  // namespace
}  // namespace kinema::app
