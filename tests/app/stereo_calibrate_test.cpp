// kinema stereo calibrate: on the pictures of a real pair where they are at hand, and wrong calls.
#include "command.h"
#include "io/pictures/image_file.h"

#include <fstream>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

TEST(StereoCalibrate, ARealPairIsCalibratedAndTracked) {
  const fs::path data = fs::path(KINEMA_SAMPLES) / "../../shared/data/stereo/opencv_chessboard";
  if (!fs::exists(data)) GTEST_SKIP() << "there are no pictures of a pair";
  if (KINEMA_PICTURES == 0) GTEST_SKIP() << "this build has no OpenCV";
  const Problem scratch(1, 1);
  const std::string input = (data / "left%02d.jpg").string() + "," + (data / "right%02d.jpg").string();
  const Outcome outcome = run_kinema(
      {"stereo", "calibrate", "--input", input, "--board", "9x6", "--square", "25mm", "--out", "stereo.yml", "--json"},
      scratch.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["boards"], 13);
  // what the calibration beside the pictures has: 0.22 pixels, 83 mm
  EXPECT_LT(report["error_px"].get<double>(), 0.3);
  EXPECT_NEAR(report["baseline_mm"].get<double>(), 83, 1);
  EXPECT_LT(report["row_error_px"].get<double>(), 0.3);
  std::ifstream file(scratch / "stereo.yml");
  const std::string written{std::istreambuf_iterator<char>(file), {}};
  for (const char* name : {"\nR1:", "\nR2:", "\nP1:", "\nP2:", "\nQ:"})
    EXPECT_NE(written.find(name), std::string::npos) << name;
  // a man behind a board may be found or not; the pairs are read and matched
  const Outcome tracked = run_kinema({"body", "track", "--input", input, "--camera-file", "stereo.yml", "--fps", "1",
                                      "--out", "poses.jsonl", "--frames", "2", "--particles", "40", "--points", "500"},
                                     scratch.folder());
  EXPECT_LE(tracked.exit_code, 1) << tracked.err;
  EXPECT_TRUE(fs::exists(scratch / "poses.jsonl")) << tracked.err;
}

TEST(StereoCalibrate, SaysThatALensIsCovered) {
  if (KINEMA_PICTURES == 0) GTEST_SKIP() << "this build has no OpenCV";
  const Problem scratch(1, 1);
  io::Picture squares{64, 48, std::vector<std::uint8_t>(64 * 48 * 3)};
  for (std::size_t i = 0; i < squares.bgr.size(); ++i)
    squares.bgr[i] = (i / 3 % 64 / 8 + i / 3 / 64 / 8) % 2 == 0 ? 230 : 20;
  const io::Picture dark{64, 48, std::vector<std::uint8_t>(64 * 48 * 3, 12)};
  for (const char* side : {"left", "right"}) fs::create_directory(scratch / side);
  io::write_picture_png(scratch / "left/000000.png", squares);
  io::write_picture_png(scratch / "right/000000.png", dark);
  expect_one_line(run_kinema({"stereo", "calibrate", "--input", ".", "--out", "stereo.yml"}, scratch.folder()), 2,
                  "the right picture of the pair shows nothing");
}

TEST(StereoCalibrate, RefusesWrongCalls) {
  const Problem scratch(1, 1);
  const auto refused = [&](const Arguments& more, const std::string& says) {
    Arguments arguments = {"stereo", "calibrate", "--out", "stereo.yml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_one_line(run_kinema(arguments, scratch.folder()), 2, says);
    EXPECT_FALSE(fs::exists(scratch / "stereo.yml"));
  };
  if (KINEMA_PICTURES != 0) {
    refused({"--input", "none%02d.png,none%02d.png"}, "none%02d.png");
    refused({"--input", "one.png"}, "give a folder with left/ and right/");
  }
  refused({"--input", ".", "--board", "9"}, "--board is '9'");
  refused({"--input", ".", "--board", "2x2"}, "--board is '2x2'");
  refused({"--input", ".", "--square", "far"}, "--square is 'far'");
  refused({"--input", "stereo:983"}, KINEMA_PICTURES != 0 ? "there is no such camera" : "OpenCV");
}

}  // namespace
}  // namespace kinema::app
