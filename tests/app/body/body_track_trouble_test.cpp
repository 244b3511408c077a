// kinema body track where something is wrong: a line that says what, or a frame that says why, and never a guess.
#include "io/pictures/image_file.h"
#include "io/pictures/picture_sink.h"
#include "live.h"
#include "tracked.h"

#include <fmt/format.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <limits>

#include <sched.h>
#include <unistd.h>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class BodyTrackTrouble : public TrackTest {
protected:
  void SetUp() override {
    if (!pictures()) GTEST_SKIP() << "this build has no OpenCV";
  }

  void expect_gap(const json& line, const std::string& says) const {
    EXPECT_TRUE(line["joints"].is_null()) << line;
    EXPECT_NE(line.value("why", "").find(says), std::string::npos) << line;
  }

  static void change_camera(const fs::path& recording, const std::string& field, const json& value) {
    json camera = json::parse(bytes_of(recording / "camera.json"));
    if (value.is_null()) {
      camera.erase(field);
    } else {
      camera[field] = value;
    }
    std::ofstream(recording / "camera.json") << camera.dump();
  }

  // A folder with one cloud and its frames per second.
  fs::path cloud(const std::string& name, const std::vector<float>& xyz) const {
    fs::create_directories(folder / name / "points");
    std::ofstream(folder / name / "camera.json") << R"({"fps": 30})";
    folder.save(name + "/points/000000.npy", xyz, {xyz.size() / 3, 3});
    return folder / name;
  }
};

TEST_F(BodyTrackTrouble, RefusesInputsThatAreNone) {
  refuses("nowhere", {}, "nowhere");
  fs::create_directories(folder / "hollow/depth");
  refuses(folder / "hollow", {}, "hollow/depth: holds no depth image");
  fs::create_directories(folder / "bare");
  refuses(folder / "bare", {}, "bare: holds no frames");
  refuses("", {}, "no input was given");
}

TEST_F(BodyTrackTrouble, RefusesCamerasThatAreNone) {
  const fs::path recording = copy();
  change_camera(recording, "fx", -500);
  refuses(recording, {}, "\"fx\" is -500");
  change_camera(recording, "fx", "wide");
  refuses(recording, {}, "\"fx\" is \"wide\"");
  change_camera(recording, "fx", 525);
  change_camera(recording, "depth_scale", nullptr);
  refuses(recording, {}, "depth_scale");
  change_camera(recording, "depth_scale", 0.001);
  change_camera(recording, "width", 320);
  refuses(recording, {}, "has 640 x 480 pixels, where the camera has 320 x 480");
  std::ofstream(recording / "camera.json") << "{\"width\": 640,";
  refuses(recording, {}, "camera.json: is not JSON");
  fs::remove(recording / "camera.json");
  refuses(recording, {}, "has no camera.json: write one");
}

TEST_F(BodyTrackTrouble, RefusesDepthWhoseUnitIsWrong) {
  const fs::path recording = copy();
  for (int i = 0; i < frames; ++i) {
    io::DepthImage image = io::read_depth_image(depth_of(recording, i));
    for (std::uint16_t& unit : image.units) unit = static_cast<std::uint16_t>(unit / 1000);  // metres
    io::write_depth_png(depth_of(recording, i), image);
  }
  refuses(recording, {}, "000000.png: the largest depth is ");
  refuses(recording, {}, " mm: give --depth-scale");
  const Outcome outcome = track(recording, {"--depth-scale", "1m", "--frames", "1"});
  EXPECT_EQ(outcome.err.find("largest depth"), std::string::npos) << outcome.err;
}

TEST_F(BodyTrackTrouble, SaysWhatTracksAColourVideo) {
  io::PictureSink film(folder / "film.mp4", 10);
  for (int i = 0; i < 5; ++i) film.add({160, 120, std::vector<std::uint8_t>(3 * 160 * 120, 90)}, i);
  film.commit();
  refuses(folder / "film.mp4", {}, "film.mp4: is a colour video, which has no depth: kinema track (or head track");
  std::ofstream(folder / "nothing.mp4");
  refuses(folder / "nothing.mp4", {}, "nothing.mp4: is empty");
  expect_one_line(run_kinema({"track", "--input", "nothing.mp4", "--out", "t.jsonl"}, folder.folder()), 2,
                  "nothing.mp4: is empty");
}

TEST_F(BodyTrackTrouble, FramesThatCannotBeUsedAreGapsAndTheRestGoesOn) {
  const fs::path recording = copy();
  io::write_depth_png(depth_of(recording, 2), {4, 3, std::vector<std::uint16_t>(12, 2000)});
  io::write_depth_png(depth_of(recording, 3), {640, 480, std::vector<std::uint16_t>(640 * 480, 0)});
  fs::resize_file(depth_of(recording, 5), fs::file_size(depth_of(recording, 5)) / 2);
  fs::remove(depth_of(recording, 7));
  const std::vector<json> lines = tracked(recording, {"--frames", "9", "--bvh", "out.bvh"});
  ASSERT_EQ(lines.size(), 9u);
  const std::vector<json> truth = lines_of(recording / "truth.jsonl");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i]["frame"], i);
    if (i == 2 || i == 3 || i == 5 || i == 7) continue;
    ASSERT_TRUE(lines[i]["joints"].is_object()) << lines[i];
    EXPECT_LT(mean_error(lines[i], truth[i]), 0.12) << i;
  }
  expect_gap(lines[2], "has 4 x 3 pixels");
  expect_gap(lines[3], "every pixel is 0");
  expect_gap(lines[5], "000005.png");
  expect_gap(lines[7], "is missing in the sequence");
  // an animation has no gaps
  EXPECT_NE(bytes_of(folder / "out.bvh").find("Frames: 9"), std::string::npos);
}

TEST_F(BodyTrackTrouble, APersonWhoLeavesIsLostAndFoundAgain) {
  const fs::path recording = copy();
  for (int i : {0, 6, 7, 8, 9}) {
    fs::copy_file(empty_scene(), depth_of(recording, i), fs::copy_options::overwrite_existing);
  }
  const std::vector<json> lines = tracked(recording, {"--bvh", "out.bvh"});
  const std::vector<json> truth = lines_of(recording / "truth.jsonl");
  ASSERT_EQ(lines.size(), static_cast<std::size_t>(frames));
  // an animation has every frame, also those before the person came
  EXPECT_NE(bytes_of(folder / "out.bvh").find(fmt::format("Frames: {}\n", frames)), std::string::npos);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == 0 || (i >= 6 && i <= 9)) {
      expect_gap(lines[i], "");
      EXPECT_TRUE(lines[i]["why"] == "lost" || lines[i]["why"] == "nobody in sight") << lines[i];
    } else {
      ASSERT_TRUE(lines[i]["joints"].is_object()) << lines[i];
      EXPECT_LT(mean_error(lines[i], truth[i]), 0.12) << i;
    }
  }
}

TEST_F(BodyTrackTrouble, AnEmptyRoomHasNobody) {
  const fs::path recording = copy();
  fs::remove_all(recording / "depth");
  fs::create_directories(recording / "depth");
  for (int i = 0; i < 3; ++i) fs::copy_file(empty_scene(), depth_of(recording, i));
  const Outcome outcome = track(recording, {"--bvh", "out.bvh"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("no person was found in 3 frames; poses.jsonl says why"), std::string::npos)
      << outcome.err;
  for (const json& line : lines_of(folder / "poses.jsonl")) expect_gap(line, "nobody in sight");
  // a wall and nothing else
  for (int i = 0; i < 3; ++i) {
    io::write_depth_png(depth_of(recording, i), {640, 480, std::vector<std::uint16_t>(640 * 480, 2500)});
  }
  EXPECT_EQ(track(recording).exit_code, 1);
  for (const json& line : lines_of(folder / "poses.jsonl")) expect_gap(line, "");
}

TEST_F(BodyTrackTrouble, CloudsOfAFewPointsOrNoNumbersHaveNobody) {
  const auto why = [&](const fs::path& input) {
    const Outcome outcome = track(input);
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    EXPECT_NE(outcome.err.find("no person was found"), std::string::npos) << outcome.err;
    const json line = lines_of(folder / "poses.jsonl").at(0);
    EXPECT_TRUE(line["joints"].is_null());
    return line.value("why", "");
  };
  EXPECT_EQ(why(cloud("three", {0, 0, 2, 0.1f, 0, 2, 0, 0.1f, 2})), "nobody in sight");
  EXPECT_EQ(why(cloud("one-place", std::vector<float>(900, 1.5f))), "nobody in sight");
  fs::remove(folder / "poses.jsonl");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  refuses(cloud("nothing", std::vector<float>(300, nan)), {}, "holds no usable point: all 100 are not finite");
}

TEST_F(BodyTrackTrouble, PointsThatAreNoNumbersAreLeftOut) {
  const fs::path recording = copy("points", "points");
  auto points = io::read_npy<float>(recording / "points/000000.npy", {io::any_size, 3});
  for (std::size_t i = 0; i < points.data.size(); i += 30) {
    points.data[i] = i % 60 == 0 ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  }
  folder.save("points/points/000000.npy", points.data, points.shape);
  const std::vector<json> lines = tracked(recording, {"--frames", "1"});
  EXPECT_LT(mean_error(lines[0], lines_of(recording / "truth.jsonl")[0]), 0.12);
}

TEST_F(BodyTrackTrouble, APairWithoutItsRightHalfIsAGap) {
  const fs::path recording = copy("stereo", "stereo");
  fs::remove(recording / "right/000001.png");
  const std::vector<json> lines = tracked(recording);
  ASSERT_EQ(lines.size(), 3u);
  expect_gap(lines[1], "right/000001.png");
  EXPECT_TRUE(lines[2]["joints"].is_object());
  fs::remove_all(recording / "right");
  fs::remove(folder / "poses.jsonl");
  refuses(recording, {}, "has a left/ and no right/");
}

TEST_F(BodyTrackTrouble, RefusesAPairWhosePicturesAreExchanged) {
  const fs::path recording = copy("stereo", "stereo");
  fs::rename(recording / "left", recording / "other");
  fs::rename(recording / "right", recording / "left");
  fs::rename(recording / "other", recording / "right");
  expect_one_line(track(recording, {}), 2, "exchanged");
}

TEST_F(BodyTrackTrouble, ReportsAPersonWhomAWrongBaselineMakesTooTall) {
  // long enough to measure the person; the true baseline is 0.12 m
  const Outcome made = run_kinema({"body", "simulate", "--motion", KINEMA_SAMPLES "/walk.bvh", "--mode", "stereo",
                                   "--out", "walk", "--frames", "20"},
                                  folder.folder());
  ASSERT_EQ(made.exit_code, 0) << made.err;
  fs::remove(folder / "walk/skeleton.json");
  const std::string says = "m tall: check their baseline, 0.17 m";
  const Outcome outcome = track(folder / "walk", {"--baseline", "0.17"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
}

TEST_F(BodyTrackTrouble, RefusesPlacesThatCannotBeWritten) {
  const fs::path recording = TrackTest::recording();
  expect_one_line(track(recording, {"--out", "none/poses.jsonl"}), 2, "none/poses.jsonl: there is no folder none");
  expect_one_line(track(recording, {"--out", "."}), 2, "is a folder");
  expect_one_line(track(recording, {"--bvh", "none/out.bvh"}), 2, "none/out.bvh: there is no folder none");
  expect_one_line(track(recording, {"--csv", "none/out.csv"}), 2, "none/out.csv: there is no folder none");
  expect_one_line(track(recording, {"--overlay", "over.gif"}), 2, "over.gif");
  const Outcome locked = track(recording, {"--out", "/proc/poses.jsonl", "--frames", "1"});
  EXPECT_TRUE(locked.exit_code == 1 || locked.exit_code == 2) << locked.exit_code;  // root finds out when it writes
  expect_one_line(locked, locked.exit_code, "/proc/poses.jsonl");
  if (fs::exists("/dev/full")) {
    expect_one_line(track(recording, {"--out", "/dev/full", "--frames", "1"}), 1, "/dev/full: could not be written");
    expect_one_line(track(recording, {"--bvh", "/dev/full", "--frames", "1"}), 1, "/dev/full: could not be written");
  }
}

TEST_F(BodyTrackTrouble, AFullDiskLeavesTheFormerFiles) {
  const fs::path recording = TrackTest::recording();
  const std::vector<std::pair<std::string, std::string>> outputs = {
      {"--csv", "poses.csv"}, {"--bvh", "out.bvh"}, {"--gltf", "out.glb"},   {"--trc", "out.trc"},
      {"--mot", "out.mot"},   {"--c3d", "out.c3d"}, {"--overlay", "out.mp4"}};
  // of each, little enough to break it, and enough for the others
  const auto track = [&](const std::string& limit, const std::string& more) {
    return run_program("sh",
                       {"-c", fmt::format("trap '' XFSZ; ulimit -f {}; exec {} body track --input {} --particles 40 "
                                          "--points 1000 {}",
                                          limit, KINEMA_COMMAND, recording.string(), more)},
                       folder.folder());
  };
  std::ofstream(folder / "poses.jsonl") << "former";
  const Outcome full = track("8", "--out poses.jsonl");  // blocks of 512 bytes
  expect_one_line(full, 1, "poses.jsonl: could not be written");
  EXPECT_EQ(full.err.find("is kept"), std::string::npos) << full.err;
  EXPECT_EQ(bytes_of(folder / "poses.jsonl"), "former");
  for (const auto& [flag, name] : outputs) {
    std::ofstream(folder / name) << "former";
    expect_one_line(track("4", fmt::format("--out /dev/null {} {}", flag, name)), 1, name);
    EXPECT_EQ(bytes_of(folder / name), "former") << name;
  }
}

TEST_F(BodyTrackTrouble, SaysWhatItWrote) {
  const Outcome outcome = track(recording(), {"--frames", "1", "--bvh", "walk.bvh"});
  EXPECT_NE(outcome.out.find("\nwrote poses.jsonl, walk.bvh\n"), std::string::npos) << outcome.out << outcome.err;
  EXPECT_EQ(track(recording(), {"--frames", "1", "--json"}).out.find("wrote"), std::string::npos);
}

TEST_F(BodyTrackTrouble, RefusesOutputsThatMeetInOneFile) {
  const fs::path recording = TrackTest::recording();
  refuses(recording, {"--csv", "table.txt"}, "table.txt: --csv writes a table");
  refuses(recording, {"--bvh", "./poses.jsonl"}, "poses.jsonl: --out and --bvh name the same file");
}

TEST_F(BodyTrackTrouble, RefusesOutputsThatAreInputs) {
  const fs::path recording = copy();
  const auto keeps = [&](const fs::path& input, const Arguments& more, const fs::path& file) {
    SCOPED_TRACE(more[1]);
    const std::string before = bytes_of(folder / file.string());
    expect_one_line(track(input, more), 2, "would overwrite what");
    EXPECT_EQ(bytes_of(folder / file.string()), before);
  };
  for (const char* name : {"camera.json", "truth.jsonl", "skeleton.json"})
    keeps(recording, {"--out", std::string("copy/") + name}, fs::path("copy") / name);
  keeps("copy", {"--overlay", "copy/depth/%06d.png"}, "copy/depth/000000.png");
  keeps("copy/depth/%06d.png", {"--out", "copy/camera.json"}, "copy/camera.json");
  keeps("copy/depth/%06d.png", {"--out", "copy/depth/000001.png"}, "copy/depth/000001.png");
  fs::create_hard_link(folder / "copy/skeleton.json", folder / "person.json");
  fs::create_symlink("copy/camera.json", folder / "camera.json");
  keeps("copy", {"--out", "copy/../person.json", "--skeleton", "copy/skeleton.json"}, "person.json");
  keeps("copy", {"--out", "camera.json", "--frames", "1"}, "copy/camera.json");
  // a recording's folder is a good place for its poses
  EXPECT_EQ(track(recording, {"--out", "copy/poses.jsonl", "--frames", "1"}).exit_code, 0);
  EXPECT_EQ(track(recording, {"--out", "copy/poses.jsonl", "--frames", "1"}).exit_code, 0);
}

TEST_F(BodyTrackTrouble, ADashIsStandardOutput) {
  const fs::path recording = TrackTest::recording();
  const Outcome outcome = track(recording, {"--out", "-", "--frames", "2"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::ofstream(folder / "printed.jsonl") << outcome.out;
  EXPECT_EQ(lines_of(folder / "printed.jsonl").size(), 2u);
  EXPECT_NE(outcome.err.find("2 frames on"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("wrote"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(folder / "-"));
  refuses(recording, {"--out", "-", "--json"}, "--json and the results cannot both go to standard output");
  refuses(recording, {"--bvh", "-"}, "--bvh cannot go to standard output");
  EXPECT_FALSE(fs::exists(folder / "-"));
}

TEST_F(BodyTrackTrouble, TheSecondOfTwoRunsIntoOneFileIsRefusedBeforeItTracks) {
  RunningCommand first({"body", "track", "--input", "unix:frames.sock", "--out", "poses.jsonl", "--csv", "poses.csv"},
                       folder.folder());
  // it has the file before its first frame
  send_to_socket(folder / "frames.sock", stream_of(recording(), R"("live":true)", 0, 0));
  while (!fs::exists(folder / "poses.csv.partial")) ::sched_yield();
  expect_one_line(track(recording(), {"--frames", "1"}), 2, "another run is writing poses.jsonl.partial");
  // and nothing to put in the place of a former result
  std::ofstream(folder / "poses.jsonl") << "former";
  first.signal(SIGTERM);
  EXPECT_EQ(first.wait().exit_code, 0);
  EXPECT_EQ(bytes_of(folder / "poses.jsonl"), "former");
}

TEST_F(BodyTrackTrouble, RefusesWrongCalls) {
  const fs::path recording = TrackTest::recording();
  refuses(recording, {"--start", "500"}, "has no frame from --start 500 on");
  refuses(recording, {"--start", "-1"}, "--start");
  refuses(recording, {"--frames", "-3"}, "--frames");
  refuses(recording, {"--particles", "-1"}, "--particles");
  refuses(recording, {"--points", "-1"}, "--points");
  refuses(recording, {"--layers", "0"}, "--layers");
  refuses(recording, {"--refined", "few"}, "--refined");
  refuses(recording, {"--threads", "-2"}, "--threads");
  refuses(recording, {"--height", "-1.7"}, "--height is -1.7");
  refuses(recording, {"--height", "0"}, "--height is 0");
  refuses(recording, {"--height", "nan"}, "--height is 'nan'");
  refuses(recording, {"--height", "6 feet"}, "--height is '6 feet': give metres, or a unit as in 1.8m, 180cm");
  refuses(recording, {"--height", "cm"}, "--height is 'cm'");
  refuses(recording, {"--height", "170"}, "--height is 170");
  refuses(recording, {"--height", "1.7", "--skeleton", "s.json"}, "--skeleton");
  refuses(recording, {"--motion", "teleport"}, "--motion is 'teleport'");
  refuses(recording, {"--resampling", "none"}, "--resampling is 'none'");
  refuses(recording, {"--association", "friend"}, "--association is 'friend'");
  refuses(recording, {"--tau", "0"}, "tau");
  refuses(recording, {"--sigma", "nan"}, "sigma");
  refuses(recording, {"--sensor-noise", "-1"}, "noise");
  refuses(recording, {"--independent", "0"}, "independent points 0");
  refuses(recording, {"--near", "3", "--far", "2"}, "the depth window is 3 to 2 m");
  refuses(recording, {"--near", "nan"}, "--near is 'nan'");
  refuses(recording, {"--fps", "-30"}, "fps");
  refuses(recording, {"--backend", "abacus"}, "abacus");
  refuses(recording, {"--fast"}, "--fast");
}

TEST_F(BodyTrackTrouble, RefusesPeopleAndPosesThatAreNone) {
  const fs::path recording = TrackTest::recording();
  refuses(recording, {"--skeleton", "none.json"}, "none.json");
  refuses(recording, {"--init", "none.json"}, "none.json");
  std::ofstream(folder / "broken.json") << "{\"angles\": [";
  refuses(recording, {"--skeleton", "broken.json"}, "broken.json");
  refuses(recording, {"--init", "broken.json"}, "broken.json");
  std::ofstream(folder / "short.json") << R"({"position":[0,0,2],"rotation":[0,1,0,0],"angles":[0.1,0.2]})";
  refuses(recording, {"--init", "short.json"}, "short.json");
  const fs::path copied = copy();
  std::ofstream(copied / "skeleton.json") << R"({"joints": []})";
  refuses(copied, {}, "skeleton.json");
}

}  // namespace
}  // namespace kinema::app
