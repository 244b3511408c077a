// The command line itself: help, version, calls that make no sense, and devices.
#include "command.h"

#include "kinema/backend.h"

#include <nlohmann/json.hpp>

namespace kinema::app {
namespace {

const std::filesystem::path here = std::filesystem::temp_directory_path();

TEST(Call, HelpAndVersionExitWith0) {
  for (const Arguments& arguments : {Arguments{"--help"},
                                     {"devices", "--help"},
                                     {"demo", "--help"},
                                     {"body", "--help"},
                                     {"body", "likelihood", "--help"},
                                     {"bench", "body", "--help"}}) {
    const Outcome outcome = run_kinema(arguments, here);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_NE(outcome.out.find("Usage: kinema"), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.err, "");
  }
  const Outcome version = run_kinema({"--version"}, here);
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out, "kinema " + build().version + "\n");
}

TEST(Call, WithoutAVerbShowsTheVerbsAndExitsWith2) {
  const Outcome nothing = run_kinema({}, here);
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_EQ(nothing.out, "");
  EXPECT_NE(nothing.err.find("devices"), std::string::npos) << nothing.err;
  const Outcome body = run_kinema({"body"}, here);
  EXPECT_EQ(body.exit_code, 2);
  EXPECT_NE(body.err.find("likelihood"), std::string::npos) << body.err;
}

TEST(Call, ThatIsWrongIsOneLineAndExit2) {
  expect_one_line(run_kinema({"bdoy"}, here), 2, "bdoy");
  expect_one_line(run_kinema({"body", "sing"}, here), 2, "sing");
  expect_one_line(run_kinema({"devices", "--colour"}, here), 2, "--colour");
  expect_one_line(run_kinema({"devices", "line\nbreak"}, here), 2, "line break");
  expect_one_line(run_kinema({"devices", "--threads", "-1"}, here), 2, "--threads");
  expect_one_line(run_kinema({"devices", "--threads", "many"}, here), 2, "--threads");
  expect_one_line(run_kinema({"devices", "--backend", "gpu"}, here), 2, "gpu");
  expect_one_line(run_kinema({"body", "likelihood"}, here), 2, "required (see kinema body likelihood --help)");
  expect_one_line(run_kinema({"bench", "body", "--points", "some"}, here), 2, "--points");
  expect_one_line(run_kinema({"bench", "body", "--seconds", "nan"}, here), 2, "--seconds");
}

TEST(Call, ThatIsMistypedIsAnsweredWithTheWordThatWasMeant) {
  expect_one_line(run_kinema({"trak"}, here), 2, "trak is no verb of kinema: did you mean track?");
  expect_one_line(run_kinema({"body", "trak", "--input", "x"}, here), 2, "did you mean track?");
  const std::string input = "--inptu is no option of kinema body track: did you mean --input?";
  expect_one_line(run_kinema({"body", "track", "--inptu", "x"}, here), 2, input);
  expect_one_line(run_kinema({"body", "track", "--out", "x", "--inptu=x"}, here), 2, input);
  expect_one_line(run_kinema({"body", "track", "-input", "x"}, here), 2, "did you mean --input?");
  expect_one_line(run_kinema({"batch-workr"}, here), 2, "was not expected");  // users start none
  for (const Arguments& far : {Arguments{"dance"}, {"body", "track", "--loud"}, {"devices", "---"}})
    EXPECT_EQ(run_kinema(far, here).err.find("did you mean"), std::string::npos);
}

TEST(Call, BenchFacePrintsSaneJson) {
  const Outcome outcome = run_kinema({"bench", "face", "--quick", "--pixels", "256", "--backends", "listing,cpu",
                                      "--iterations", "2", "--seconds", "0.01", "--json"},
                                     here);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["kind"], "face");
  ASSERT_EQ(json["rows"].size(), 2u);
  EXPECT_EQ(json["rows"][0]["backend"], "listing");
  EXPECT_EQ(json["rows"][1]["backend"], "cpu");
  // pixels: what every backend promises
  for (const auto& row : json["rows"]) EXPECT_LT(row["landmark_error"].get<double>(), 0.01);
}

TEST(Call, WhoseResultCannotBePrintedExitsWith1) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  const Outcome outcome = run_program("sh", {"-c", std::string(KINEMA_COMMAND) + " devices > /dev/full"}, here);
  expect_one_line(outcome, 1, "standard output could not be written: No space left");
}

TEST(Call, WhoseMessagesCannotBePrintedEndsAllTheSame) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  const auto code = [](const std::string& call) {
    return run_program("sh", {"-c", std::string(KINEMA_COMMAND) + " " + call + " 2> /dev/full"}, here).exit_code;
  };
  EXPECT_EQ(code("body track --input nowhere --out /dev/null"), 2);
  EXPECT_EQ(code("devices > /dev/full"), 1);
  EXPECT_EQ(code("batch nowhere --out /dev/null"), 2);
}

TEST(Cameras, ListsEverySourceOrThePackageThatItNeeds) {
  const Outcome text = run_kinema({"cameras"}, here);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  for (const char* word : {"unix:PATH", "camera:N", "openni:", "stereo:N", "FILE.mkv", "connected"}) {
    EXPECT_NE(text.out.find(word), std::string::npos) << word;
  }
  const auto json = nlohmann::json::parse(run_kinema({"cameras", "--json"}, here).out);
  for (const auto& source : json["sources"]) {
    EXPECT_EQ(source["available"], source["package"].get<std::string>().empty()) << source;
    EXPECT_TRUE(source["body"].get<bool>() || source["colour"].get<bool>()) << source;
  }
  EXPECT_TRUE(json["connected"].is_array());
  expect_one_line(run_kinema({"cameras", "all"}, here), 2, "all");
}

TEST(Devices, NamesEveryBackendAndWhatIsBuiltIn) {
  const Outcome outcome = run_kinema({"devices"}, here);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* word : {"reference", "cpu", "cuda", "GPUs", "SIMD", "OpenCV", "MPI"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
  }
}

TEST(Devices, JsonAgreesWithTheLibrary) {
  const Outcome outcome = run_kinema({"devices", "--json"}, here);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["version"], build().version);
  EXPECT_EQ(json["cpu"]["simd"], build().simd);
  EXPECT_EQ(json["gpus"].size(), gpus().size());
  EXPECT_EQ(json["backends"]["cuda"], available(Backend::cuda));
  EXPECT_TRUE(json["backends"]["reference"].get<bool>());
}

TEST(Devices, ShowsWhatTheEnvironmentChooses) {
  const auto chosen = [](const char* word) {
    return nlohmann::json::parse(run_kinema({"devices", "--json"}, here, {{"KINEMA_BACKEND", word}}).out)["backend"];
  };
  EXPECT_EQ(chosen("reference"), "reference");
  EXPECT_EQ(chosen("cpu"), "cpu");
  expect_one_line(run_kinema({"devices"}, here, {{"KINEMA_BACKEND", "abacus"}}), 2, "abacus");
}

TEST(Devices, ThatAreNamedMustBeHere) {
  expect_one_line(run_kinema({"devices", "--devices", "4096"}, here), 2, "there is no GPU 4096");
  expect_one_line(run_kinema({"devices", "--devices", "first"}, here), 2, "there are no devices 'first'");
  expect_one_line(run_kinema({"bench", "face", "--backend", "cpu", "--devices", "0,0"}, here), 2, "measures one");
  const Outcome parts = run_kinema({"devices", "--backend", "cpu", "--devices", "0,0", "--json"}, here);
  ASSERT_EQ(parts.exit_code, 0) << parts.err;
  EXPECT_EQ(nlohmann::json::parse(parts.out)["devices"], (std::vector<int>{0, 0}));
}

TEST(Devices, SaysWhyAWantedBackendIsNotHere) {
  if (available(Backend::cuda)) GTEST_SKIP() << "there is a GPU";
  expect_one_line(run_kinema({"devices", "--backend", "cuda"}, here), 2, "");
  const Outcome outcome = run_kinema({"devices"}, here, {{"KINEMA_BACKEND", "cuda"}});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("none is chosen"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace kinema::app
