// kinema head calibrate and track, as a user runs them.
#include "command.h"
#include "io/pictures/image_file.h"
#include "io/pictures/picture_sink.h"
#include "kinema/error.h"
#include "synth/head_clip.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Row {
  long frame = 0;
  std::vector<std::string> fields;
  bool found() const { return fields.back() == "1"; }
  double number(std::size_t column) const { return std::stod(fields.at(column)); }
};

std::vector<Row> rows_of(const fs::path& path) {
  std::stringstream lines(bytes_of(path));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line.rfind("frame,time,x,y,area", 0), 0u) << line;
  std::vector<Row> rows;
  while (std::getline(lines, line)) {
    Row row;
    std::stringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) row.fields.push_back(field);
    row.frame = std::stol(row.fields.at(0));
    rows.push_back(row);
  }
  return rows;
}

class Head : public ::testing::Test {
protected:
  static constexpr int frames = 14;

  void SetUp() override {
    if (KINEMA_PICTURES == 0) GTEST_SKIP() << "this build has no OpenCV";
    fs::create_directories(place / "clip");
    for (int i = 0; i < frames; ++i) io::write_picture_png(frame(i), clip.picture(static_cast<std::size_t>(i)));
  }

  fs::path frame(int i) const { return place / fmt::format("clip/{:06}.png", i); }

  std::string oval() const {
    const synth::HeadTruth truth = clip.truth(0);
    return fmt::format("{},{},{},{}", truth.x, truth.y, truth.rx, truth.ry);
  }

  Outcome calibrate(Arguments more = {}) const {
    Arguments arguments = {"head", "calibrate", "--input", "clip/000000.png", "--oval", oval(), "--out", "filter.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_kinema(arguments, place.folder());
  }

  Outcome track(Arguments more = {}) const {
    Arguments arguments = {"head", "track"};
    const auto unless_given = [&](const std::string& flag, const std::string& value) {
      if (std::find(more.begin(), more.end(), flag) == more.end()) arguments.insert(arguments.end(), {flag, value});
    };
    unless_given("--input", "clip");
    unless_given("--filter", "filter.json");
    unless_given("--out", "head.csv");
    unless_given("--fps", "30");
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_kinema(arguments, place.folder());
  }

  void refuses(const Arguments& more, const std::string& says) const {
    expect_one_line(track(more), 2, says);
    EXPECT_FALSE(fs::exists(place / "head.csv"));
  }

  const Problem place{1, 1};
  const synth::HeadClip clip{{.width = 320, .height = 240}};
};

TEST_F(Head, CalibratesAndTracksWithinHalfAPercent) {
  const Outcome calibrated = calibrate({"--json", "--distance", "60cm", "--fov", "60"});
  ASSERT_EQ(calibrated.exit_code, 0) << calibrated.err;
  EXPECT_GT(json::parse(calibrated.out)["results"]["score"].get<double>(), 0.5);
  const json filter = json::parse(bytes_of(place / "filter.json"));
  EXPECT_EQ(filter["classifier"], "plane");
  EXPECT_EQ(filter["f"].size(), 4u);
  EXPECT_EQ(filter["head"]["distance"], 0.6);

  const Outcome outcome = track({"--jsonl", "head.jsonl", "--json", "--threads", "1", "--smooth"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["frames"], frames);
  EXPECT_EQ(report["found"], frames);
  EXPECT_EQ(report["following"], "window");
  EXPECT_GT(report["results"]["smoothing"]["step_response_s"].get<double>(), 0);

  const Outcome again = track();
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(again.out.find("\nwrote head.csv\n"), std::string::npos) << again.out;
  const std::vector<Row> rows = rows_of(place / "head.csv");
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(frames));
  double mean = 0;
  for (const Row& row : rows) {
    const synth::HeadTruth truth = clip.truth(static_cast<std::size_t>(row.frame));
    ASSERT_TRUE(row.found());
    mean += std::hypot(row.number(2) - truth.x, row.number(3) - truth.y) / (2 * truth.rx) / frames;
    EXPECT_NEAR(row.number(5), truth.distance, 0.05 * truth.distance);
    EXPECT_NEAR(row.number(8), truth.distance, 0.05 * truth.distance);
  }
  EXPECT_LT(mean, 0.005);
  const std::string lines = bytes_of(place / "head.jsonl");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), frames);
}

TEST_F(Head, FramesFromAnotherProgramGiveTheTableOfTheFolder) {
  ASSERT_EQ(calibrate().exit_code, 0);
  ASSERT_EQ(track().exit_code, 0);
  const std::string expected = bytes_of(place / "head.csv");
  std::string stream = "{\"kinema\":1,\"width\":320,\"height\":240,\"fps\":30,\"colour\":\"bgr\"}\n";
  for (int i = 0; i < frames; ++i) {
    const io::Picture picture = clip.picture(static_cast<std::size_t>(i));
    stream += json{{"time", i / 30.0}}.dump() + "\n" + std::string(picture.bgr.begin(), picture.bgr.end());
  }
  std::ofstream(place / "frames", std::ios::binary) << stream;
  const std::string call =
      fmt::format("cat frames | {} head track --input - --filter filter.json --out stream.csv", KINEMA_COMMAND);
  const Outcome outcome = run_program("sh", {"-c", call}, place.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(bytes_of(place / "stream.csv"), expected);

  // recorded as JPEG, which moves the head by less than a pixel
  const Outcome recorded = run_program(
      "sh", {"-c", fmt::format("cat frames | {} record --input - --out recorded", KINEMA_COMMAND)}, place.folder());
  ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  ASSERT_EQ(track({"--input", "recorded/colour"}).exit_code, 0);
  const std::vector<Row> rows = rows_of(place / "head.csv"), lossless = rows_of(place / "stream.csv");
  ASSERT_EQ(rows.size(), lossless.size());
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(rows[i].number(2), lossless[i].number(2), 1);
}

TEST_F(Head, EveryClassifierTracks) {
  for (const char* classifier : {"plane", "rg", "xyz", "cbcr", "hsv", "tsl", "histogram"}) {
    ASSERT_EQ(calibrate({"--classifier", classifier}).exit_code, 0) << classifier;
    const Outcome outcome = track({"--frames", "3", "--no-recalibrate"});
    ASSERT_EQ(outcome.exit_code, 0) << classifier << outcome.err;
    for (const Row& row : rows_of(place / "head.csv")) {
      const synth::HeadTruth truth = clip.truth(static_cast<std::size_t>(row.frame));
      ASSERT_TRUE(row.found()) << classifier;
      EXPECT_LT(std::hypot(row.number(2) - truth.x, row.number(3) - truth.y), 0.2 * truth.rx) << classifier;
    }
  }
}

TEST_F(Head, PlainModeIsTheSameOnEveryBackendOfTheCpu) {
  std::ofstream(place / "filter.json") << R"({"classifier":"plane","f":[0.02,-0.015,-0.004,0.1]})";
  ASSERT_EQ(track({"--backend", "reference", "--out", "reference.csv", "--frames", "3"}).exit_code, 0);
  const std::vector<Row> reference = rows_of(place / "reference.csv");
  for (const char* backend : {"cpu", "auto"}) {
    const Outcome outcome = track({"--backend", backend, "--frames", "3", "--json"});
    ASSERT_EQ(outcome.exit_code, 0) << backend << ": " << outcome.err;
    EXPECT_EQ(json::parse(outcome.out)["following"], "plain");
    const std::vector<Row> rows = rows_of(place / "head.csv");
    ASSERT_EQ(rows.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(rows[i].number(2), reference[i].number(2), 1.1e-3) << backend;
      EXPECT_NEAR(rows[i].number(3), reference[i].number(3), 1.1e-3) << backend;
      EXPECT_NEAR(rows[i].number(4) / reference[i].number(4), 1, 1e-5) << backend;
    }
  }
}

TEST_F(Head, ALostHeadLeavesFieldsEmptyAndComesBack) {
  ASSERT_EQ(calibrate().exit_code, 0);
  for (int i : {5, 6, 7}) io::write_picture_png(frame(i), clip.empty_room());
  std::ofstream(frame(9)) << "no picture";
  const Outcome outcome = track();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("1 of 14 frames could not be read; the first: clip/000009.png"), std::string::npos)
      << outcome.err;
  for (const Row& row : rows_of(place / "head.csv")) {
    const bool gone = (row.frame >= 5 && row.frame <= 7) || row.frame == 9;
    EXPECT_EQ(row.found(), !gone) << row.frame;
    for (std::size_t column : {2u, 3u, 4u}) EXPECT_EQ(row.fields[column].empty(), gone) << row.frame;
  }
}

TEST_F(Head, AFrameOfAnotherSizeIsAGap) {
  ASSERT_EQ(calibrate().exit_code, 0);
  const synth::HeadClip other({.width = 200, .height = 240});
  io::write_picture_png(frame(8), other.picture(8));
  const Outcome outcome = track();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("clip/000008.png: has 200 x 240 pixels, where the frames before have 320 x 240"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(rows_of(place / "head.csv").size(), 14u);
  EXPECT_FALSE(rows_of(place / "head.csv")[8].found());
}

TEST_F(Head, AVideoThatBreaksOffLeavesWhatWasTracked) {
  ASSERT_EQ(calibrate().exit_code, 0);
  try {
    io::PictureSink sink(place / "clip.avi", 30);
    for (int i = 0; i < 60; ++i) sink.add(clip.picture(static_cast<std::size_t>(i % frames)), i);
    sink.commit();
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  ASSERT_EQ(track({"--input", "clip.avi"}).exit_code, 0);
  EXPECT_EQ(rows_of(place / "head.csv").size(), 60u);
  fs::resize_file(place / "clip.avi", fs::file_size(place / "clip.avi") / 2);
  fs::remove(place / "head.csv");
  const Outcome broken = track({"--input", "clip.avi"});
  expect_one_line(broken, 2, "clip.avi: ");
  if (broken.err.find("breaks off") != std::string::npos) {
    EXPECT_GT(rows_of(place / "head.csv").size(), 5u);
  }
}

TEST_F(Head, DrawsAnOverlayAndComparesWithATruth) {
  ASSERT_EQ(calibrate({"--picture", "oval.png"}).exit_code, 0);
  EXPECT_EQ(io::read_picture(place / "oval.png").width, 960);
  std::ofstream boxes(place / "boxes.txt");
  for (int i = 0; i < frames; ++i) {
    const synth::HeadTruth t = clip.truth(static_cast<std::size_t>(i));
    boxes << fmt::format("{},{},{},{}\n", t.x - t.rx + 1.5, t.y - t.ry + 1.5, 2 * t.rx, 2 * t.ry);
  }
  boxes.close();
  const Outcome outcome = track({"--overlay", "seen", "--truth", "boxes.txt", "--compare", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(place / "seen/000000.png"));
  const json results = json::parse(outcome.out)["results"];
  EXPECT_EQ(results["truth"]["within_quarter"], 1.0);
  EXPECT_LT(results["truth"]["mean"].get<double>(), 0.01);
  EXPECT_TRUE(results.contains("camshift"));
}

TEST_F(Head, RefusesWrongCallsAndInputs) {
  expect_one_line(calibrate({"--auto"}), 2, "and not both");
  const auto calibrate_of = [&](const std::string& input, const std::string& with) {
    return run_kinema({"head", "calibrate", "--input", input, "--oval", with, "--out", "f.json"}, place.folder());
  };
  expect_one_line(calibrate_of("clip", "1,2,3"), 2, "--oval is '1,2,3'");
  expect_one_line(calibrate_of("clip", "1,2,3,x"), 2, "--oval");
  expect_one_line(calibrate_of("clip", "1e9,2,30,40"), 2, "outside the frame");
  expect_one_line(calibrate_of("clip", "160,120,0,40"), 2, "no extent");
  expect_one_line(calibrate_of("nowhere", "160,120,30,40"), 2, "nowhere: there is no such file");
  expect_one_line(calibrate_of("camera:981", "160,120,30,40"), 2, "there is no such camera");
  expect_one_line(calibrate({"--classifier", "magic"}), 2, "'magic' is not a classifier");
  expect_one_line(calibrate({"--fov", "400"}), 2, "--fov is 400");
  expect_one_line(calibrate({"--distance", "far"}), 2, "--distance is 'far'");
  EXPECT_FALSE(fs::exists(place / "f.json"));
  EXPECT_FALSE(fs::exists(place / "filter.json"));

  refuses({}, "filter.json: there is no such file");
  std::ofstream(place / "filter.json") << R"({"classifier":"plane","f":[1,2]})";
  refuses({}, "filter.json: /f: is not a list of 4 numbers");
  ASSERT_EQ(calibrate().exit_code, 0);
  refuses({"--input", "nowhere.mp4"}, "nowhere.mp4: there is no such file");
  refuses({"--input", "camera:981"}, "there is no such camera");
  refuses({"--input", "points.npy"}, "points.npy: is not a picture or video");
  refuses({"--backend", "abacus"}, "abacus");
  refuses({"--plain", "--window"}, "exclude each other");
  refuses({"--paper", "--plain"}, "exclude each other");
  refuses({"--fov", "0"}, "--fov is 0");
  refuses({"--reference-distance", "600"}, "--reference-distance is '600'");
  refuses({"--udp", "127.0.0.1:4242"}, "--udp sends a position in space");
  refuses({"--vmc", "127.0.0.1:39539"}, "--vmc sends a position in space");
  refuses({"--vrchat", "127.0.0.1:9000"}, "--vrchat sends a position in space");
  refuses({"--udp", "nonsense", "--fov", "60", "--reference-distance", "0.6"}, "'nonsense' is not a receiver");
  refuses({"--osc", "127.0.0.1:99999", "--fov", "60", "--reference-distance", "0.6"}, "is not a receiver");
  refuses({"--smooth", "--smooth-cutoff", "0"}, "cutoff of 0");
  refuses({"--start", "500"}, "no frame from --start 500 on");
  refuses({"--truth", "nothing.txt"}, "nothing.txt: there is no such file");
  refuses({"--background", "nothing.png"}, "nothing.png");
  refuses({"--jsonl", "lines.txt"}, "lines.txt: --jsonl writes JSON lines");
  refuses({"--overlay", "over.gif"}, "over.gif");
  refuses({"--fps", "-1"}, "frames per second");
  expect_one_line(track({"--out", "none/head.csv"}), 2, "there is no folder none");
  std::ofstream(place / "plain.json") << R"({"classifier":"plane","f":[0.02,-0.015,-0.004,0.1]})";
  refuses({"--filter", "plain.json", "--window"}, "calibrate");
  refuses({"--filter", "plain.json", "--compare"}, "plain.json");
}

TEST_F(Head, NobodyAtAllIsAFailureWithItsTable) {
  ASSERT_EQ(calibrate().exit_code, 0);
  for (int i = 0; i < frames; ++i) io::write_picture_png(frame(i), clip.empty_room());
  const Outcome outcome = track({"--frames", "3"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("no head was found in 3 frames"), std::string::npos) << outcome.err;
  EXPECT_EQ(rows_of(place / "head.csv").size(), 3u);
}

}  // namespace
}  // namespace kinema::app
