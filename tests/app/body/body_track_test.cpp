// kinema body track on recordings with truth, as a user would call it.
#include "io/motion/skeleton_json.h"
#include "live.h"
#include "tracked.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class BodyTrack : public TrackTest {
protected:
  void SetUp() override {
    if (!pictures()) GTEST_SKIP() << "this build has no OpenCV";
  }
};

TEST_F(BodyTrack, WritesJointsDeviationsAndAngles) {
  const std::vector<json> lines = tracked(recording(), {"--csv", "poses.csv", "--bvh", "out.bvh", "--overlay", "over"});
  ASSERT_EQ(lines.size(), static_cast<std::size_t>(frames));
  const std::size_t angles = io::read_skeleton(recording() / "skeleton.json").angle_count();
  for (int i = 0; i < frames; ++i) {
    const json& line = lines[static_cast<std::size_t>(i)];
    EXPECT_EQ(line["frame"], i);
    EXPECT_NEAR(line["time"].get<double>(), i / 30.0, 1e-6);
    ASSERT_TRUE(line["joints"].is_object()) << line;
    for (std::string_view name : body::common_joints) {
      ASSERT_TRUE(line["joints"].contains(name)) << name;
      EXPECT_EQ(line["joints"][std::string(name)].size(), 3u);
      EXPECT_GT(line["std"][std::string(name)].get<double>(), 0) << name;
    }
    EXPECT_EQ(line["angles"].size(), angles);
    EXPECT_TRUE(line["log_likelihood"].is_number());
    EXPECT_GE(line["ess"].get<double>(), 1 - 1e-9);
    EXPECT_TRUE(line["ms"].is_object() && !line["ms"].empty());
  }

  // the table has a row a frame, four columns a joint and two for each of 22 joint angles
  std::istringstream table(bytes_of(folder / "poses.csv"));
  std::string row;
  std::size_t rows = 0;
  while (std::getline(table, row)) {
    EXPECT_EQ(static_cast<std::size_t>(std::count(row.begin(), row.end(), ',')),
              1 + 4 * lines[0]["joints"].size() + 2 * 22);
    ++rows;
  }
  EXPECT_EQ(rows, 1u + frames);
  const std::string animation = bytes_of(folder / "out.bvh");
  EXPECT_EQ(animation.rfind("HIERARCHY", 0), 0u);
  EXPECT_NE(animation.find(fmt::format("Frames: {}", frames)), std::string::npos);
  for (int i = 0; i < frames; ++i) {
    const std::string picture = bytes_of(folder / fmt::format("over/{:06}.png", i));
    ASSERT_GT(picture.size(), 1000u);
    EXPECT_NE(picture.find("IEND", picture.size() - 12), std::string::npos);
  }
  // nothing half done is left
  for (const auto& entry : fs::recursive_directory_iterator(folder.folder())) {
    EXPECT_EQ(entry.path().string().find("partial"), std::string::npos) << entry.path();
  }

  const Outcome outcome = run_kinema(
      {"body", "evaluate", "--poses", "poses.jsonl", "--truth", (recording() / "truth.jsonl").string(), "--json"},
      folder.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json results = json::parse(outcome.out)["results"];
  EXPECT_LT(results["mean_mm"].get<double>(), 60);
  EXPECT_TRUE(results["normalised_error"].is_number());
}

TEST_F(BodyTrack, OneSeedGivesTheSameJointsForAnyThreads) {
  const auto joints = [&](const char* seed, const char* threads) {
    std::string all;
    const Arguments more = {"--frames", "4", "--lag", "1", "--seed", seed, "--threads", threads};
    for (const json& line : tracked(recording(), more)) all += without_times(line);
    return all;
  };
  const std::string one = joints("7", "1");
  EXPECT_EQ(one, joints("7", "3"));
  EXPECT_NE(one, joints("8", "3"));
}

TEST_F(BodyTrack, LaterFramesPutPosesRightInAllFiles) {
  const std::vector<json> filtered = tracked(recording(), {"--lag", "0"});
  const std::vector<json> smoothed = tracked(recording(), {"--lag", "3", "--csv", "poses.csv"});
  ASSERT_EQ(filtered.size(), static_cast<std::size_t>(frames));
  ASSERT_EQ(smoothed.size(), filtered.size());
  double error = 0, filtered_error = 0;
  const std::vector<json> truth = lines_of(recording() / "truth.jsonl");
  std::istringstream table(bytes_of(folder / "poses.csv"));
  std::string row;
  std::getline(table, row);
  for (std::size_t i = 0; i < smoothed.size(); ++i) {
    EXPECT_EQ(smoothed[i]["frame"], filtered[i]["frame"]);
    EXPECT_EQ(smoothed[i]["log_likelihood"], filtered[i]["log_likelihood"]);  // the filter does not know of it
    EXPECT_NE(smoothed[i]["joints"], filtered[i]["joints"]);
    EXPECT_NE(smoothed[i]["angles"], filtered[i]["angles"]);
    error += mean_error(smoothed[i], truth[i]);
    filtered_error += mean_error(filtered[i], truth[i]);
    ASSERT_TRUE(std::getline(table, row));
    EXPECT_NE(row.find(smoothed[i]["joints"].front()[0].dump()), std::string::npos) << row;
  }
  EXPECT_LT(error, filtered_error);
}

TEST_F(BodyTrack, SaysWhatItDidAsAnObject) {
  const Outcome outcome = track(recording(), {"--frames", "2", "--start", "3", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  EXPECT_EQ(result["backend"], "cpu");
  EXPECT_EQ(result["frames"], 2);
  EXPECT_EQ(result["found"], 2);
  EXPECT_EQ(result["lost"], 0);
  EXPECT_EQ(result["gaps"], 0);
  EXPECT_EQ(result["particles"], 40);
  EXPECT_EQ(result["points"], 1000);
  EXPECT_GT(result["fps"].get<double>(), 0);
  EXPECT_TRUE(result["ms"].contains("weigh"));
  EXPECT_TRUE(result["ms"].contains("smooth"));
  EXPECT_EQ(lines_of(folder / "poses.jsonl").front()["frame"], 3);
}

TEST_F(BodyTrack, OfSeveralPeopleCountsWhatTheFilesHave) {
  // shorter than what decides that somebody is a person: only the end does
  const Outcome outcome = track(recording(), {"--people", "all", "--frames", "6", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  EXPECT_EQ(result["frames"], 6);
  EXPECT_EQ(result["found"], 6);
  EXPECT_EQ(result["lost"], 0);
  EXPECT_EQ(result["people"], 1);
  for (const json& line : lines_of(folder / "poses.jsonl")) EXPECT_EQ(line["person"], 1);
}

TEST_F(BodyTrack, OfSeveralPeopleWritesAFileEachWithAllFrames) {
  std::ofstream(folder / "walk.bvh") << "of another run";
  const fs::path late = copy("late");  // nobody is there at first
  for (int i = 0; i < 4; ++i) fs::copy_file(empty_scene(), depth_of(late, i), fs::copy_options::overwrite_existing);
  const Outcome outcome = track(late, {"--people", "all", "--bvh", "walk.bvh", "--trc", "walk.trc"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("wrote poses.jsonl, walk-1.bvh, walk-1.trc\n"), std::string::npos) << outcome.out;
  EXPECT_EQ(bytes_of(folder / "walk.bvh"), "of another run");
  EXPECT_NE(bytes_of(folder / "walk-1.bvh").find(fmt::format("Frames: {}", frames)), std::string::npos);
  std::istringstream table(bytes_of(folder / "walk-1.trc"));
  int rows = 0, empty = 0;
  for (std::string row; std::getline(table, row);) {
    const bool of_frame = !row.empty() && std::isdigit(static_cast<unsigned char>(row.front())) &&
                          std::count(row.begin(), row.end(), '\t') > 20;
    rows += of_frame;
    empty += of_frame && row.find("\t\t\t\t") != std::string::npos;
  }
  EXPECT_EQ(rows, frames);
  EXPECT_EQ(empty, 4);
}

// The numbers of the frames in which receivers were told that nobody is tracked.
std::vector<int> lost_frames(int socket) {
  std::vector<int> lost;
  char bytes[65536];
  for (ssize_t size; (size = recv(socket, bytes, sizeof bytes, MSG_DONTWAIT)) > 0;) {
    const std::string_view message(bytes, static_cast<std::size_t>(size));
    const auto at = message.find("/kinema/body/lost");
    if (at == std::string_view::npos || at + 28 > message.size()) continue;
    std::uint32_t frame = 0;
    std::memcpy(&frame, message.data() + at + 24, sizeof frame);
    lost.push_back(static_cast<int>(ntohl(frame)));
  }
  return lost;
}

TEST_F(BodyTrack, ReceiversOfSomebodyWhoIsNotThereAreToldForEachFrame) {
  const int receiver = socket(AF_INET, SOCK_DGRAM, 0);
  ASSERT_GE(receiver, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof place;
  ASSERT_EQ(bind(receiver, reinterpret_cast<const sockaddr*>(&place), length), 0);
  ASSERT_EQ(getsockname(receiver, reinterpret_cast<sockaddr*>(&place), &length), 0);
  const std::string osc = fmt::format("127.0.0.1:{}", ntohs(place.sin_port));
  tracked(recording(), {"--people", "all", "--frames", "5", "--start", "2", "--person", "7", "--osc", osc});
  EXPECT_EQ(lost_frames(receiver), (std::vector{2, 3, 4, 5, 6}));
  close(receiver);
}

TEST_F(BodyTrack, RefusesWhatContradictsItselfAboutPeople) {
  refuses(recording(), {"--person", "1"}, "--person needs --people");
  refuses(recording(), {"--choose", "10,10", "--init", "pose.json"}, "--choose excludes --init");
}

TEST_F(BodyTrack, TakesCloudsAndStereoPairs) {
  for (const std::string mode : {"points", "stereo"}) {
    const std::vector<json> lines = tracked(recording(mode)), truth = lines_of(recording(mode) / "truth.jsonl");
    ASSERT_EQ(lines.size(), truth.size()) << mode;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      ASSERT_TRUE(lines[i]["joints"].is_object()) << mode << lines[i];
      EXPECT_LT(mean_error(lines[i], truth[i]), 0.12) << mode << i;  // the first frames, before the shape is known
      // of settled estimates too, also those that a later frame has revised
      EXPECT_EQ(lines[i]["ms"].contains("stereo"), mode == "stereo") << lines[i];
      EXPECT_TRUE(lines[i]["ms"].contains("foreground")) << lines[i];
    }
  }
}

TEST_F(BodyTrack, StartsFromALineOfItsOwn) {
  const std::vector<json> lines = tracked(recording(), {"--frames", "5"});
  std::ofstream(folder / "pose.json") << lines.back().dump();
  const std::vector<json> more = tracked(recording(), {"--start", "5", "--frames", "2", "--init", "pose.json"});
  ASSERT_EQ(more.size(), 2u);
  EXPECT_FALSE(more[0]["ms"].contains("search")) << more[0];
  EXPECT_LT(mean_error(more[0], lines_of(recording() / "truth.jsonl")[5]), 0.12);
}

TEST_F(BodyTrack, TakesThePersonThatItIsGiven) {
  const auto thigh = [&](const Arguments& more) {
    Arguments arguments = {"--frames", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const json joints = tracked(folder / "copy", arguments).front()["joints"];
    const auto at = [&](const char* name, int axis) { return joints[name][axis].get<double>(); };
    return std::hypot(at("left_hip", 0) - at("left_knee", 0), at("left_hip", 1) - at("left_knee", 1),
                      at("left_hip", 2) - at("left_knee", 2));
  };
  copy();
  const double one = thigh({"--height", "1.65", "--no-shape"});
  const auto of_height = [](double height) {
    const body::Skeleton human = body::default_human(height);
    return std::abs(human.joints[static_cast<std::size_t>(human.find("left_knee"))].offset.y);
  };
  EXPECT_NEAR(one, of_height(1.65), 1e-3);
  EXPECT_EQ(thigh({"--height", "165cm", "--no-shape"}), one);
  EXPECT_NEAR(thigh({"--height", "1.8", "--no-shape"}), of_height(1.8), 1e-3);

  // a pirate with one long thigh
  body::Skeleton pirate = body::default_human();
  pirate.joints[static_cast<std::size_t>(pirate.find("left_knee"))].offset = {0, -0.44, 0};
  std::ofstream(folder / "pirate.json") << io::skeleton_json(pirate);
  EXPECT_NEAR(thigh({"--skeleton", "pirate.json"}), 0.44, 1e-3);
  // in the recording it is taken without asking, unless --height says otherwise
  fs::copy_file(folder / "pirate.json", folder / "copy/skeleton.json", fs::copy_options::overwrite_existing);
  EXPECT_NEAR(thigh({}), 0.44, 1e-3);
  EXPECT_NEAR(thigh({"--height", "1.65", "--no-shape"}), one, 1e-3);
}

TEST_F(BodyTrack, FitsThePersonWhereNobodySaysItsSize) {
  copy();
  fs::remove(folder / "copy/skeleton.json");
  const std::vector<json> lines = tracked(folder / "copy"), truth = lines_of(recording() / "truth.jsonl");
  ASSERT_EQ(lines.size(), truth.size());
  EXPECT_EQ(lines.back()["angles"].size(), body::default_human().angle_count());
  EXPECT_TRUE(lines[9]["ms"].contains("shape")) << lines[9];
  EXPECT_LT(mean_error(lines.back(), truth.back()), 0.1);
}

// --paper is where all other options start from, wherever it stands.
TEST_F(BodyTrack, OptionsChangeTheFilterOfThePaper) {
  const Outcome outcome = track(recording(), {"--frames", "3", "--layers", "3", "--paper", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  EXPECT_EQ(result["layers"], 3);
  EXPECT_EQ(result["particles"], 40);
  EXPECT_FALSE(result["ms"].contains("smooth")) << result;
}

TEST_F(BodyTrack, TheFilterOfThePaperAndOneParticleRun) {
  EXPECT_EQ(tracked(recording(), {"--frames", "3", "--paper"}).size(), 3u);
  EXPECT_EQ(tracked(recording(), {"--frames", "3", "--particles", "1"}).size(), 3u);
}

TEST_F(BodyTrack, StoppedByASignalKeepsWhatWasDone) {
  // far more frames than are done before the signal comes
  const fs::path many = copy("many");
  for (int i = frames; i < 200; ++i) fs::create_hard_link(depth_of(many, i % frames), depth_of(many, i));
  const fs::path out = folder / "poses.jsonl", partial = folder / "poses.jsonl.partial";
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    SCOPED_TRACE(signal);
    RunningCommand running({"body", "track", "--input", "many", "--out", "poses.jsonl", "--csv", "poses.csv",
                            "--particles", "40", "--points", "1000", "--json"},
                           folder.folder());
    // once a frame is written the loop is running
    while (bytes_of(partial).find('\n') == std::string::npos) ::sched_yield();
    running.signal(signal);
    running.signal(signal);  // as timeout(1) does: to the process, and to its group
    const Outcome outcome = running.wait();
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(json::parse(outcome.out)["stopped"], true);
    const std::vector<json> lines = lines_of(out);
    EXPECT_GE(lines.size(), 1u);
    EXPECT_LT(lines.size(), 200u);
    const std::string rows = bytes_of(folder / "poses.csv");
    EXPECT_EQ(static_cast<std::size_t>(std::count(rows.begin(), rows.end(), '\n')), 1 + lines.size());
    EXPECT_FALSE(fs::exists(partial));
  }
}

}  // namespace
}  // namespace kinema::app
