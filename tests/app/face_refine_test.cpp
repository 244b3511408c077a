// kinema face train --start: a model refined on labelled pictures and on a film, and what is refused.
#include "command.h"
#include "synth/faces/faces.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <map>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class FaceRefine : public ::testing::Test {
protected:
  // A small model, and faces that it has not seen, labelled a little otherwise: the jaw lower. Made once.
  static const Problem& shared() {
    static const Problem place(1, 1);
    static const bool made = [] {
      constexpr int side = 128;
      synth::write_face_set(place / "train", synth::face_shots(1, 0, 20, side, 2), 0, 2);
      std::vector<synth::FaceShot> shots = synth::face_shots(1, 100, 10, side, 2);
      for (synth::FaceShot& shot : shots)
        for (std::size_t i = 0; i < 34; i += 2) shot.landmarks[i + 1] += 6;
      synth::write_face_set(place / "own", shots, 100, 2);
      train(place, {"--images", "train", "--cascade", "3", "--out", "m.kface"});
      train(place, {"--images", "train", "--cascade", "0", "--no-quality", "--out", "bare.kface"});
      return true;
    }();
    static_cast<void>(made);
    return place;
  }

  static void train(const Problem& place, const Arguments& more) {
    Arguments all = {"face", "train", "--small", "--displacements", "3", "--no-detector"};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = run_kinema(all, place.folder());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  }

  static std::string at(const std::string& name) { return (shared() / name).string(); }

  static json info(const fs::path& model) {
    const Outcome outcome = run_kinema({"face", "info", model.string(), "--json"}, model.parent_path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out);
  }

  const Problem folder{1, 1};
};

TEST_F(FaceRefine, LearnsTheScoreAloneFromDrawnFacesAndLeavesTheLandmarks) {
  const Outcome outcome =
      run_kinema({"face", "train", "--start", at("m.kface"), "--drawn", "8", "--out", "s.kface"}, folder.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto fit = [&](const std::string& model) {
    const Outcome fitted = run_kinema({"face", "fit", "--model", model, "--input", at("own/face_0100.png"), "--init",
                                       (folder / "start.jsonl").string(), "--out", "l.jsonl"},
                                      folder.folder());
    EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
    std::ifstream file(folder / "l.jsonl");
    return json::parse(file);
  };
  std::ofstream(folder / "start.jsonl") << R"({"file":"face_0100.png","box":[30,30,70,70]})" << '\n';
  const json before = fit(at("m.kface")), after = fit("s.kface");
  EXPECT_NE(after["failure"], before["failure"]);
  for (std::size_t i = 0; i < 68; ++i)
    for (int axis : {0, 1})  // steps of 16 bits are written again, which may cost a last digit
      EXPECT_NEAR(after["points"][i][axis].get<double>(), before["points"][i][axis].get<double>(), 0.01);
}

TEST_F(FaceRefine, FitsFacesLikeTheUsersBetterAndSaysInItsNoteWhatItLearnedFrom) {
  const Outcome outcome = run_kinema({"face", "train", "--start", at("m.kface"), "--images", at("own"), "--note",
                                      "mine", "--json", "--out", "r.kface"},
                                     folder.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json results = json::parse(outcome.out)["results"];
  EXPECT_LT(results["after"], results["before"]);
  const json before = info(shared() / "m.kface"), after = info(folder / "r.kface");
  EXPECT_EQ(after["note"], "refined on 10 labelled faces: mine");
  for (const char* same : {"landmarks", "examples", "sequence", "groups", "cascade_stages"})
    EXPECT_EQ(after[same], before[same]) << same;
  EXPECT_EQ(after["levels"][0]["pixels"], before["levels"][0]["pixels"]);
  // 16 bits, as the start
  const auto types = [](const json& of) {
    std::map<std::string, std::string> result;
    for (const json& section : of["sections"]) result[section["name"]] = section["type"];
    return result;
  };
  EXPECT_EQ(types(after), types(before));
}

TEST_F(FaceRefine, LearnsFromAFilmThatNobodyLabelled) {
  ASSERT_EQ(run_kinema({"face", "film", "--frames", "30", "--person", "3", "--fps", "5", "--width", "320", "--height",
                        "240", "--out", "film"},
                       folder.folder())
                .exit_code,
            0);
  // a model of twenty faces: where its fits end depends on where they start, and a film can teach it that
  const Outcome outcome = run_kinema(
      {"face", "train", "--start", at("m.kface"), "--film", "film", "--sequence", "--json", "--out", "r.kface"},
      folder.folder());
  if (outcome.err.find("no face detector") != std::string::npos) GTEST_SKIP() << "opencv-data is not installed";
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json results = json::parse(outcome.out)["results"];
  EXPECT_EQ(results["measure"], "disagreement");
  EXPECT_LT(results["after"].get<double>(), results["before"].get<double>() / 2);
  const std::string note = info(folder / "r.kface")["note"];
  EXPECT_NE(note.find("of 30 frames of a film"), std::string::npos) << note;
}

// One face, of which each quarter of the labels contradicts the others: jaw and mouth lie lower, higher, right or left.
TEST_F(FaceRefine, WritesNothingThatIsNoBetter) {
  std::vector<synth::FaceShot> shots(8, synth::face_shots(1, 200, 1, 128, 2).front());
  for (std::size_t i = 0; i < shots.size(); ++i) {
    const std::size_t axis = i % 4 < 2 ? 1 : 0;
    for (std::size_t k = 0; k < 68; ++k)
      if (k < 17 || k >= 48) shots[i].landmarks[2 * k + axis] += i % 2 == 0 ? 4 : -4;
  }
  synth::write_face_set(folder / "odd", shots, 200, 2);
  const Outcome outcome =
      run_kinema({"face", "train", "--start", "shipped", "--images", "odd", "--out", "r.kface"}, folder.folder());
  expect_one_line(outcome, 1, "nothing was written");
  EXPECT_FALSE(fs::exists(folder / "r.kface"));
}

TEST_F(FaceRefine, RefusesWhatCannotWorkWithOneLine) {
  const auto refuses = [&](const Arguments& more, const std::string& says) {
    Arguments call = {"face", "train", "--out", "r.kface"};
    call.insert(call.end(), more.begin(), more.end());
    expect_one_line(run_kinema(call, folder.folder()), 2, says);
  };
  const std::string own = at("own");
  fs::create_directory(folder / "few");
  for (const char* name : {"face_0100", "face_0101", "face_0102"})
    for (const char* ending : {".png", ".pts"})
      fs::copy(shared() / "own" / (std::string(name) + ending), folder / "few" / (std::string(name) + ending));
  fs::create_directory(folder / "other");
  for (int i = 0; i < 5; ++i) {
    fs::copy(shared() / "own" / "face_0100.png", folder / "other" / fmt::format("{}.png", i));
    std::ofstream(folder / "other" / fmt::format("{}.pts", i)) << "10 10\n50 10\n30 60\n";
  }
  refuses({"--start", at("m.kface"), "--images", "few"}, "3 faces; refining a model needs at least 4");
  refuses({"--start", at("m.kface"), "--images", "other"}, "3 landmarks, but the model to refine has 68");
  refuses({"--start", at("bare.kface"), "--images", own}, "without a cascade");
  refuses({"--start", at("bare.kface"), "--film", own}, "without a cascade");
  refuses({"--start", "none.kface", "--images", own}, "none.kface: there is no such file");
  refuses({"--start", at("m.kface")}, "--images or --film");
  refuses({"--start", at("m.kface"), "--images", own, "--film", own}, "--images or --film");
  refuses({"--start", at("m.kface"), "--images", own, "--drawn", "9"}, "--images or --film");
  refuses({"--start", at("bare.kface"), "--drawn", "9"}, "no cascade");
  refuses({"--start", at("m.kface"), "--drawn", "3"}, "8 at least");
  refuses({"--film", own}, "--start");
  refuses({"--start", at("m.kface"), "--images", own, "--pixels", "900"}, "--pixels is for a new model");
  EXPECT_FALSE(fs::exists(folder / "r.kface"));
}

}  // namespace
}  // namespace kinema::app
