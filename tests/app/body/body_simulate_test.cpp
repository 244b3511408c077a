// kinema body simulate, as a user would call it.
#include "command.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <sstream>

namespace kinema::app {
namespace {

const std::string clip = KINEMA_SAMPLES "/walk.bvh";

// The files of a folder and their bytes.
std::map<std::string, std::string> files_of(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[std::filesystem::relative(entry.path(), folder).string()] = bytes_of(entry.path());
    }
  }
  return files;
}

class BodySimulate : public testing::Test {
protected:
  Outcome simulate(const std::string& mode, const std::string& out, Arguments more = {}) const {
    Arguments arguments = {"body", "simulate", "--motion", clip, "--mode", mode, "--out", out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_kinema(arguments, folder.folder());
  }
  void refuses(const Arguments& more, const std::string& says) const {
    SCOPED_TRACE(says);
    expect_one_line(simulate("points", "refused", more), 2, says);
    EXPECT_FALSE(std::filesystem::exists(folder / "refused"));
  }
  static constexpr bool pictures() { return KINEMA_PICTURES != 0; }

  const Problem folder{1, 1};
};

TEST_F(BodySimulate, WritesARecordingOfPoints) {
  const Outcome outcome = simulate("points", "rec", {"--frames", "3", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["backend"], "cpu");
  EXPECT_EQ(json["frames"], 3);
  EXPECT_EQ(json["frames_in_view"], 3);
  EXPECT_EQ(json["skipped_first"], false);
  EXPECT_NEAR(json["metres_per_unit"].get<double>(), 0.0254 / 0.45, 1e-9);
  EXPECT_TRUE(json["ms"].is_object());

  const auto points = io::read_npy<float>(folder / "rec/points/000002.npy", {io::any_size, 3});
  EXPECT_GT(points.shape[0], 1000u);
  const auto camera = nlohmann::json::parse(bytes_of(folder / "rec/camera.json"));
  EXPECT_EQ(camera["width"], 640);
  EXPECT_EQ(camera["fx"], 525);
  EXPECT_EQ(camera["fps"], 30);
  std::istringstream truth(bytes_of(folder / "rec/truth.jsonl"));
  std::string line;
  for (int frame = 0; frame < 3; ++frame) {
    ASSERT_TRUE(std::getline(truth, line));
    const auto pose = nlohmann::json::parse(line);
    EXPECT_EQ(pose["frame"], frame);
    EXPECT_NEAR(pose["time"].get<double>(), frame / 30.0, 1e-6);
    EXPECT_EQ(pose["joints"].size(), 15u);
    EXPECT_EQ(pose["joints"]["left_ankle"].size(), 3u);
  }
  EXPECT_FALSE(std::getline(truth, line));
}

TEST_F(BodySimulate, OneSeedGivesTheSameBytesForAnyThreads) {
  for (const std::string mode : {"depth", "stereo", "points"}) {
    if (mode != "points" && !pictures()) continue;
    const auto bytes = [&](const char* seed, const char* threads, const std::string& out) {
      const Outcome outcome =
          simulate(mode, out, {"--frames", "3", "--start", "1", "--seed", seed, "--threads", threads});
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      return files_of(folder / out);
    };
    const auto one = bytes("7", "1", mode + "1"), four = bytes("7", "4", mode + "4"),
               other = bytes("8", "4", mode + "8");
    EXPECT_EQ(one.size(), mode == "points" ? 6u : 9u);
    EXPECT_TRUE(one == four) << mode;
    EXPECT_FALSE(one == other) << mode;
  }
}

TEST_F(BodySimulate, OnePersonIsTheSameEveryTimeAndAnotherIsNot) {
  const auto bytes = [&](const char* person, const std::string& out, Arguments more) {
    more.insert(more.end(), {"--frames", "2", "--person", person});
    const Outcome outcome = simulate("points", out, more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return files_of(folder / out);
  };
  const auto one = bytes("1", "a", {"--clothes"}), again = bytes("1", "b", {"--clothes"});
  const auto tight = bytes("1", "c", {}), other = bytes("2", "d", {"--clothes"});
  const auto child = bytes("1", "e", {"--clothes", "--height", "1.2"});
  EXPECT_TRUE(one == again);
  EXPECT_EQ(one.at("truth.jsonl"), tight.at("truth.jsonl"));  // clothes hide joints, and leave them where they are
  EXPECT_NE(one.at("points/000000.npy"), tight.at("points/000000.npy"));
  for (const char* name : {"skeleton.json", "truth.jsonl", "points/000000.npy"}) {
    EXPECT_NE(one.at(name), other.at(name)) << name;
    EXPECT_NE(one.at(name), child.at(name)) << name;
  }
}

TEST_F(BodySimulate, WritesDepthWithColourAndBackground) {
  if (!pictures()) GTEST_SKIP() << "this build has no OpenCV";
  ASSERT_EQ(simulate("depth", "rec", {"--frames", "2", "--write-background", "--noise", "0"}).exit_code, 0);
  const auto files = files_of(folder / "rec");
  for (const char* name :
       {"depth/000000.png", "depth/000001.png", "colour/000001.png", "background.png", "truth.jsonl", "camera.json"}) {
    EXPECT_EQ(files.count(name), 1u) << name;
  }
  EXPECT_EQ(nlohmann::json::parse(files.at("camera.json"))["depth_scale"], 0.001);
}

TEST_F(BodySimulate, WritesStereoPairsWithTheirBaseline) {
  if (!pictures()) GTEST_SKIP() << "this build has no OpenCV";
  ASSERT_EQ(simulate("stereo", "rec", {"--frames", "1", "--baseline", "0.2"}).exit_code, 0);
  const auto files = files_of(folder / "rec");
  EXPECT_EQ(files.count("left/000000.png") + files.count("right/000000.png"), 2u);
  EXPECT_EQ(nlohmann::json::parse(files.at("camera.json"))["baseline"], 0.2);
}

TEST_F(BodySimulate, TakesThePartOfTheClipThatIsAskedFor) {
  const auto frames = [&](const Arguments& more, const std::string& out) {
    Arguments arguments = more;
    arguments.push_back("--json");
    const Outcome outcome = simulate("points", out, arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out)["frames"].get<int>();
  };
  EXPECT_EQ(frames({"--start", "2.5", "--no-background"}, "a"), 11);  // 86 frames: 2.833 s and the first
  EXPECT_EQ(frames({"--start", "2.5", "--fps", "10"}, "b"), 4);
  EXPECT_EQ(frames({"--start", "2.5", "--fps", "60", "--frames", "5"}, "c"), 5);
}

TEST_F(BodySimulate, KeepsARecordingUnlessForced) {
  ASSERT_EQ(simulate("points", "rec", {"--frames", "4"}).exit_code, 0);
  std::ofstream(folder / "rec/notes.txt") << "mine";
  std::ofstream(folder / "rec/points/notes.txt") << "mine";
  const auto before = files_of(folder / "rec");
  expect_one_line(simulate("points", "rec", {"--frames", "2"}), 2, "rec: holds a recording already");
  EXPECT_TRUE(files_of(folder / "rec") == before);

  // nothing of the old one is left, and nothing that is none of it is lost
  ASSERT_EQ(simulate("points", "rec", {"--frames", "2", "--force"}).exit_code, 0);
  const auto after = files_of(folder / "rec");
  EXPECT_EQ(after.size(), 7u);
  EXPECT_EQ(after.count("points/000003.npy"), 0u);
  EXPECT_EQ(after.at("notes.txt") + after.at("points/notes.txt"), "minemine");

  std::filesystem::remove(folder / "rec/camera.json");
  expect_one_line(simulate("points", "rec"), 2, "rec: holds frames in points and no camera.json");
}

TEST_F(BodySimulate, ARecordingThatFailsHasNoCamera) {
  std::filesystem::create_directories(folder / "rec/points/000001.npy");  // a folder where a frame should go
  const Outcome outcome = simulate("points", "rec", {"--frames", "3", "--force", "--threads", "1"});
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_NE(outcome.err.find("000001.npy"), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "rec/camera.json"));
}

TEST_F(BodySimulate, RefusesWrongCalls) {
  refuses({"--fps", "0"}, "--fps is 0");
  refuses({"--fps", "nan"}, "--fps is nan");
  refuses({"--start", "-1"}, "--start is -1");
  refuses({"--start", "60"}, "walk.bvh: lasts 2.83 s: --start 60 is after its end");
  refuses({"--unit", "parsec"}, "--unit is 'parsec'");
  refuses({"--unit", "1"}, "which is not that of a person: give --unit");
  refuses({"--height", "17"}, "--height is 17");
  refuses({"--person", "-1"}, "--person");
  refuses({"--noise", "-1"}, "--noise is -1");
  refuses({"--camera-distance", "0"}, "--camera-distance is 0");
  refuses({"--camera-height", "100"}, "--camera-height is 100");
  refuses({"--camera-azimuth", "inf"}, "--camera-azimuth is inf");
  refuses({"--mode", "holograms"}, "--mode");
  refuses({"--skip-first", "maybe"}, "--skip-first");
  refuses({"--write-background"}, "--write-background goes with --mode depth");
  refuses({"--frames", "-3"}, "--frames");
}

TEST_F(BodySimulate, RefusesWrongClips) {
  const auto refuses_clip = [&](const std::string& name, const std::string& says) {
    expect_one_line(
        run_kinema({"body", "simulate", "--motion", name, "--mode", "points", "--out", "refused"}, folder.folder()), 2,
        says);
    EXPECT_FALSE(std::filesystem::exists(folder / "refused"));
  };
  refuses_clip("none.bvh", "none.bvh: there is no such file");
  refuses_clip("points.npy", "points.npy:1: is not a BVH file");
  std::ofstream(folder / "cut.bvh") << bytes_of(clip).substr(0, 20000);
  refuses_clip("cut.bvh", "cut short");
  std::string text = bytes_of(clip);
  text.replace(text.find("LeftLeg"), 7, "Pegleg_");
  std::ofstream(folder / "pirate.bvh") << text;
  refuses_clip("pirate.bvh", "pirate.bvh: has no joint left_knee");
}

}  // namespace
}  // namespace kinema::app
