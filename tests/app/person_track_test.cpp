// kinema face film and kinema track as a user would call them: a drawn film in, lines, a table and an overlay out.
#include "command.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<json> lines_of(const fs::path& path) {
  std::vector<json> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
  return lines;
}

// A film, drawn once.
const Problem& film() {
  static const Problem place(1, 1);
  static const bool made = [] {
    const Outcome outcome = run_kinema(
        {"face", "film", "--frames", "16", "--width", "320", "--height", "240", "--out", "film"}, place.folder());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return true;
  }();
  static_cast<void>(made);
  return place;
}

// The oval of the head in the first frame, from its landmarks' truth.
std::string oval() {
  const json head = lines_of(film() / "film/truth.jsonl").front()["head"];
  const double z = head["position"][2], focal = 160 / std::tan(M_PI / 6), unit = focal * 0.09 / z;
  const double x = 159.5 + focal * head["position"][0].get<double>() / z;
  const double y = 119.5 + focal * head["position"][1].get<double>() / z + 0.42 * unit;
  return fmt::format("{:.1f},{:.1f},{:.1f},{:.1f}", x, y, 0.78 * unit, 1.02 * unit);
}

TEST(PersonTrack, ADrawnFilmGivesItsPoses) {
  const Outcome outcome = run_kinema({"track", "--input", "film/%06d.png", "--oval", oval(), "--out", "track.jsonl",
                                      "--csv", "track.csv", "--overlay", "over", "--json"},
                                     film().folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["frames"], 16);
  EXPECT_GE(report["faces"].get<int>(), 13);
  const std::vector<json> truth = lines_of(film() / "film/truth.jsonl"), lines = lines_of(film() / "track.jsonl");
  ASSERT_EQ(lines.size(), truth.size());
  for (std::size_t i = 6; i < lines.size(); ++i) {
    ASSERT_TRUE(lines[i]["found"].get<bool>());
    const json &own = lines[i]["head"], &head = truth[i]["head"];
    // the goal is 2 degrees on average in 640 x 480
    EXPECT_NEAR(own["yaw"].get<double>(), head["yaw"].get<double>(), 6);
    EXPECT_NEAR(own["pitch"].get<double>(), head["pitch"].get<double>(), 6);
    EXPECT_NEAR(own["roll"].get<double>(), head["roll"].get<double>(), 4);
    EXPECT_NEAR(own["position"][2].get<double>() / head["position"][2].get<double>(), 1, 0.05);
    EXPECT_EQ(own["expression"].size(), 11u);
  }
  std::ifstream table(film() / "track.csv");
  std::string header;
  std::getline(table, header);
  EXPECT_EQ(header.substr(0, 68), "frame,time,found,face,colours,score,x,y,yaw,pitch,roll,X,Y,Z,yaw_std");
  EXPECT_TRUE(fs::exists(film() / "over/000003.png"));
  const Outcome two = run_kinema(
      {"track", "--input", "film/%06d.png", "--oval", oval(), "--frames", "2", "--csv", "two.csv"}, film().folder());
  EXPECT_NE(two.out.find("\nwrote two.csv\n"), std::string::npos) << two.out << two.err;
}

TEST(PersonTrack, AFrameThatIsMissingIsAGapAndNoLoss) {
  for (int i = 0; i < 10; ++i) {
    fs::create_directories(film() / "torn");
    if (i != 6) {
      fs::copy_file(film() / fmt::format("film/{:06}.png", i), film() / fmt::format("torn/{:06}.png", i),
                    fs::copy_options::overwrite_existing);
    }
  }
  const Outcome outcome = run_kinema(
      {"track", "--input", "torn/%06d.png", "--oval", oval(), "--out", "torn.jsonl", "--json"}, film().folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("1 of 10 frames could not be read"), std::string::npos) << outcome.err;
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["gaps"], 1);
  EXPECT_EQ(report["losses"], 0);
  const std::vector<json> lines = lines_of(film() / "torn.jsonl");
  ASSERT_EQ(lines.size(), 10u);
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i]["found"], i != 6) << lines[i];
}

// Starts of fits at the true landmarks.
void write_starts(int frames) {
  std::ofstream starts(film() / "start.jsonl");
  for (int i = 0; i < frames; ++i) {
    std::ifstream points(film() / fmt::format("film/{:06}.pts", i));
    std::string line;
    while (std::getline(points, line) && line != "{") {
    }
    json list = json::array();
    for (double x = 0, y = 0; points >> x >> y;) list.push_back({x - 1, y - 1});
    starts << json{{"file", fmt::format("{:06}.png", i)}, {"points", list}} << "\n";
  }
}

TEST(PersonTrack, FaceFitWritesThePoseToo) {
  write_starts(3);
  const Outcome outcome = run_kinema({"face", "fit", "--input", "film", "--out", "landmarks.jsonl", "--csv",
                                      "landmarks.csv", "--frames", "3", "--init", "start.jsonl"},
                                     film().folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::vector<json> lines = lines_of(film() / "landmarks.jsonl");
  ASSERT_EQ(lines.size(), 3u);
  for (const json& line : lines) {
    ASSERT_TRUE(line.contains("head"));
    EXPECT_NEAR(line["head"]["position"][2].get<double>(), 0.6, 0.12);
  }
  std::ifstream table(film() / "landmarks.csv");
  std::string header;
  std::getline(table, header);
  EXPECT_NE(header.find(",y67,yaw,pitch,roll,X,Y,Z,"), std::string::npos);
}

TEST(PersonTrack, WrongInputIsOneLine) {
  const auto refused = [](Arguments words, const std::string& part) {
    words.insert(words.begin(), "track");
    const Outcome outcome = run_kinema(words, film().folder());
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  };
  refused({"--input", "film"}, "nothing would be kept");
  refused({"--input", "film", "--out", "a.jsonl", "--csv", "b.txt"}, "ends in .csv");
  refused({"--input", "film", "--out", "a.csv", "--csv", "a.csv"}, "name the same file");
  refused({"--input", "film", "--out", "a.jsonl", "--oval", "1,2"}, "--oval");
  refused({"--input", "film", "--out", "a.jsonl", "--fov", "300"}, "--fov");
  refused({"--input", "film", "--out", "a.jsonl", "--eye-distance", "5m"}, "apart");
  refused({"--input", "film", "--out", "a.jsonl", "--fov", "60", "--camera", "c.json"}, "exclude each other");
  refused({"--input", "film", "--out", "a.jsonl", "--camera", "nowhere.json"}, "nowhere.json");
  std::ofstream(film() / "bent.json")
      << R"({"width":640,"height":480,"fx":500,"fy":500,"cx":320,"cy":240,"distortion":[0.1,0,0,0]})";
  refused({"--input", "film", "--out", "a.jsonl", "--camera", "bent.json"}, "distortion");
  refused({"--input", "film", "--out", "a.jsonl", "--filter", "nowhere.json"}, "nowhere.json");
  refused({"--input", "nowhere", "--out", "a.jsonl", "--oval", "10,10,5,5"}, "nowhere");
}

}  // namespace
}  // namespace kinema::app
