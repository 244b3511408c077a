// Lines of landmarks are what the design says, and can start other fits; starts that make no sense are refused.
#include "io/faces/landmark_output.h"

#include "io/faces/landmark_file.h"
#include "refusal.h"
#include "scratch_folder.h"

#include <nlohmann/json.hpp>

#include <sstream>

namespace kinema::io {
namespace {

face::Fit some_fit() {
  face::Fit fit;
  fit.landmarks = {1, 2.5f, -3.25f, 4};
  fit.quality = 0.75;
  fit.failure = 0.25;
  fit.converged = true;
  fit.iterations = 12;
  fit.ms = 1.5;
  fit.shape = {0.5f};
  fit.confidence = {0.9f, 0.1f};
  return fit;
}

TEST(LandmarkOutput, HasTheMembersOfTheDesign) {
  const ScratchFolder folder;
  const face::Fit fit = some_fit();
  LandmarkWriter writer(folder / "l.jsonl", 2);
  writer.add({0, "a \"b\".jpg", std::nullopt, &fit, {}, 0});
  writer.add({1, "c.jpg", 0.5, nullptr, "no face was found", 0});
  EXPECT_TRUE(std::filesystem::exists(folder / "l.jsonl.partial"));
  writer.commit();
  std::istringstream lines(bytes_of(folder / "l.jsonl"));
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["frame"], 0);
  EXPECT_EQ(json["file"], "a \"b\".jpg");
  EXPECT_EQ(json["points"], (nlohmann::json{{1, 2.5}, {-3.25, 4}}));
  EXPECT_EQ(json["quality"], 0.75);
  EXPECT_EQ(json["converged"], true);
  EXPECT_EQ(json["iterations"], 12);
  EXPECT_EQ(json["ms"], 1.5);
  EXPECT_EQ(json["confidence"].size(), 2u);
  ASSERT_TRUE(std::getline(lines, line));
  const auto lost = nlohmann::json::parse(line);
  EXPECT_TRUE(lost["points"].is_null());
  EXPECT_EQ(lost["why"], "no face was found");
  for (const char* member : {"quality", "converged", "iterations", "ms"}) EXPECT_TRUE(lost.contains(member)) << member;
  EXPECT_EQ(lost["time"], 0.5);
}

TEST(LandmarkOutput, CsvIsReadAsLandmarks) {
  const ScratchFolder folder;
  const face::Fit fit = some_fit();
  LandmarkWriter writer(folder / "l.csv", 2);
  writer.add({0, "a,b.jpg", std::nullopt, &fit, {}, 0});
  writer.commit();
  const auto faces = read_landmarks(folder / "l.csv");
  ASSERT_EQ(faces.size(), 1u);
  EXPECT_EQ(faces[0].image, "a,b.jpg");
  EXPECT_EQ(faces[0].landmarks, fit.landmarks);
}

TEST(Starts, AreFoundByFileAndByFrame) {
  const ScratchFolder folder;
  const auto path =
      folder.write("s.jsonl",
                   "{\"file\":\"some/a.jpg\",\"box\":[1,2,3,4]}\n\n{\"file\":\"b.jpg\",\"points\":[[1,2],[3,4]]}\n"
                   "{\"frame\":7,\"box\":[0,0,9,9]}\n{\"frame\":8,\"file\":\"v.mp4\",\"points\":null}\n");
  const Starts starts(path, 2);
  ASSERT_NE(starts.find("elsewhere/a.jpg"), nullptr);
  EXPECT_EQ(starts.find("a.jpg")->box->height, 4);
  EXPECT_EQ(starts.find("b.jpg")->landmarks, (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(starts.find("c.jpg"), nullptr);
  EXPECT_NE(starts.find("v.mp4", 7), nullptr);
  EXPECT_EQ(starts.find("v.mp4", 8), nullptr);
}

TEST(Starts, AreRefusedWithTheirLine) {
  const ScratchFolder folder;
  for (const auto& [text, says] :
       {std::pair<const char*, const char*>{"", "holds no start"},
        {"{\"file\":\"a\"}", ":1: has neither \"points\""},
        {"{\"box\":[1,2,3,4]}", ":1: has neither \"file\" nor \"frame\""},
        {"{\"file\":\"a\",\"box\":[1,2,0,4]}", "/box: has no extent"},
        {"{\"file\":\"a\",\"box\":[1,2,3]}", "/box: has not four numbers"},
        {"{\"file\":\"a\",\"points\":[[1]]}", "/points/0: has not two numbers"},
        {"{\"file\":\"a\",\"points\":[[1,2]]}", ":1: /points: holds 1 landmarks, but the model has 2"},
        {"{\"file\":\"a\",\"box\":[1,2,3,4]}\n{\"file\":", ":2: is not JSON"}}) {
    const auto path = folder.write("s.jsonl", text);
    const std::string message = refusal_of([&] { Starts starts(path, 2); });
    expect_line_about(path, message);
    EXPECT_NE(message.find(says), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace kinema::io
