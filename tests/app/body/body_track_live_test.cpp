// kinema body track and record on frames that another program sends: the same joints as from the folder.
#include "io/pictures/image_file.h"
#include "live.h"
#include "tracked.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <map>

#include <sched.h>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class BodyTrackLive : public TrackTest {
protected:
  void SetUp() override {
    if (!pictures()) GTEST_SKIP() << "this build has no OpenCV";
  }

  static std::vector<std::string> lines_without_times(const fs::path& path) {
    std::vector<std::string> lines;
    for (const json& line : lines_of(path)) lines.push_back(without_times(line));
    return lines;
  }

  // What the folder gives, of a person who is not known.
  std::vector<std::string> expected(const std::string& mode = "depth") const {
    static std::map<std::string, std::vector<std::string>> made;
    if (const auto found = made.find(mode); found != made.end()) return found->second;
    const fs::path recording = copy("expected-" + mode, mode);
    fs::remove(recording / "skeleton.json");
    tracked(recording, {"--out", "expected.jsonl"});
    return made[mode] = lines_without_times(folder / "expected.jsonl");
  }

  // `shell` before the call, such as "cat frames |".
  Outcome track_shell(const std::string& before, const std::string& input, const std::string& more = "") const {
    return run_program(
        "sh",
        {"-c", fmt::format("{} {} body track --input {} --out poses.jsonl --particles 40 --points 1000 {}", before,
                           KINEMA_COMMAND, input, more)},
        folder.folder());
  }

  void save(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder / name, std::ios::binary) << bytes;
  }
};

TEST_F(BodyTrackLive, FramesOnStandardInputGiveTheJointsOfTheFolder) {
  save("frames", stream_of(recording()));
  const Outcome outcome = track_shell("cat frames |", "-", "--json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(lines_without_times(folder / "poses.jsonl"), expected());
  EXPECT_EQ(json::parse(outcome.out)["late"], 0);
}

TEST_F(BodyTrackLive, PairsOnStandardInputGiveTheJointsOfTheFolder) {
  save("frames", stream_of(recording("stereo")));
  const Outcome outcome = track_shell("cat frames |", "-");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(lines_without_times(folder / "poses.jsonl"), expected("stereo"));
}

TEST_F(BodyTrackLive, FacesAreRefusedWhereFramesHaveNoColour) {
  for (const char* live : {R"("live":false)", R"("live":true)"}) {
    save("frames", stream_of(recording(), live));
    expect_one_line(track_shell("cat frames |", "-", "--face"), 2,
                    "-: has no colour pictures, which --face needs: leave --face out");
    EXPECT_FALSE(fs::exists(folder / "poses.jsonl"));
  }
}

TEST_F(BodyTrackLive, ASocketGivesTheJointsOfTheFolder) {
  const std::string bytes = stream_of(recording());
  RunningCommand command(
      {"body", "track", "--input", "unix:frames.sock", "--out", "poses.jsonl", "--particles", "40", "--points", "1000"},
      folder.folder());
  send_to_socket(folder / "frames.sock", bytes);
  const Outcome outcome = command.wait();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(lines_without_times(folder / "poses.jsonl"), expected());
  EXPECT_FALSE(fs::exists(folder / "frames.sock"));
}

TEST_F(BodyTrackLive, APortGivesTheJointsOfTheFolder) {
  const int port = free_port();
  RunningCommand command({"body", "track", "--input", fmt::format("tcp:{}", port), "--out", "poses.jsonl",
                          "--particles", "40", "--points", "1000"},
                         folder.folder());
  send_to_port(port, stream_of(recording()));
  const Outcome outcome = command.wait();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(lines_without_times(folder / "poses.jsonl"), expected());
}

TEST_F(BodyTrackLive, APortWaitsOnAfterConnectionsThatAreNoStream) {
  const int port = free_port();
  RunningCommand command({"body", "track", "--input", fmt::format("tcp:{}", port), "--out", "poses.jsonl",
                          "--particles", "40", "--points", "1000", "--frames", "1"},
                         folder.folder());
  send_to_port(port, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  send_to_port(port, "");  // who looks for open ports
  send_to_port(port, std::string(1, '\0'));
  send_to_port(port, stream_of(recording(), "", 0, 1));
  const Outcome outcome = command.wait();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(lines_of(folder / "poses.jsonl").size(), 1u);
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 3) << outcome.err;
  EXPECT_NE(outcome.err.find("closed that connection, and waits for another"), std::string::npos) << outcome.err;
}

TEST_F(BodyTrackLive, ASignalEndsTheWaitForAProgram) {
  for (const Arguments& call :
       {Arguments{"body", "track", "--input", "unix:frames.sock", "--out", "poses.jsonl"},
        Arguments{"record", "--input", "unix:frames.sock", "--out", "copy"},
        Arguments{"head", "calibrate", "--input", "unix:frames.sock", "--auto", "--out", "head.json"}}) {
    RunningCommand command(call, folder.folder());
    while (!fs::exists(folder / "frames.sock")) ::sched_yield();
    command.signal(SIGTERM);
    expect_one_line(command.wait(), 1, "stopped while waiting for the source");
    EXPECT_FALSE(fs::exists(folder / "frames.sock"));
  }
}

TEST_F(BodyTrackLive, ALiveRunSaysItsLatencyAndItsPace) {
  // far quicker than any tracker: late frames, and then the first second of the camera is over
  save("frames", stream_of(recording(), R"("live":true)") + "{\"end\":true}\n");
  const Outcome outcome = run_program(
      "sh", {"-c", fmt::format("cat frames | {} body track --input - --out poses.jsonl --json", KINEMA_COMMAND)},
      folder.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json report = json::parse(outcome.out);
  const json& live = report["live"];
  EXPECT_GT(live["latency_ms"]["median"].get<double>(), 0);
  EXPECT_GE(live["latency_ms"]["p95"].get<double>(), live["latency_ms"]["median"].get<double>());
  EXPECT_EQ(live["changes"], 0);
  EXPECT_TRUE(live.contains("fps"));
}

TEST_F(BodyTrackLive, ALiveSenderThatComesBackContinuesTheRun) {
  RunningCommand command({"body", "track", "--input", "unix:frames.sock", "--out", "poses.jsonl", "--particles", "40",
                          "--points", "1000", "--json"},
                         folder.folder());
  send_to_socket(folder / "frames.sock", stream_of(recording(), R"("live":true)", 0, 5));
  send_to_socket(folder / "frames.sock", stream_of(recording(), R"("live":true)", 5, 10) + "{\"end\":true}\n");
  const Outcome outcome = command.wait();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["frames"].get<int>() + report["late"].get<int>(), 10);
  EXPECT_EQ(report["reopened"], 1);
  double last = -1;
  for (const json& line : lines_of(folder / "poses.jsonl")) {
    EXPECT_GT(line["time"].get<double>(), last);
    last = line["time"].get<double>();
  }
}

// The program of docs/stream.md, as it stands there, with a stand-in for the camera's own module.
TEST_F(BodyTrackLive, TheForwarderOfTheDocumentationWorks) {
  if (run_program("python3", {"--version"}, folder.folder()).exit_code != 0) GTEST_SKIP() << "there is no python3";
  std::string program = code_block(KINEMA_SAMPLES "/../docs/stream.md", "python");
  EXPECT_LE(std::count(program.begin(), program.end(), '\n'), 12);
  save("units", depth_units_of(recording()));
  save("pyrealsense2.py", realsense_stand_in);
  save("forward.py", program);
  Outcome outcome = track_shell("python3 forward.py |", "-", "--json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["frames"].get<int>() + report["late"].get<int>(), frames);

  // every frame of it, as from a recording
  const std::string live = "\"live\": True, ";
  ASSERT_NE(program.find(live), std::string::npos);
  save("forward.py", program.erase(program.find(live), live.size()));
  outcome = track_shell("python3 forward.py |", "-");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(lines_without_times(folder / "poses.jsonl"), expected());
}

TEST_F(BodyTrackLive, RefusesWhatIsNoStream) {
  const auto refuses_bytes = [&](const std::string& bytes, const std::string& says) {
    save("frames", bytes);
    expect_one_line(track_shell("cat frames |", "-"), 2, says);
    EXPECT_FALSE(fs::exists(folder / "poses.jsonl"));
  };
  refuses_bytes("", "standard input: ended before a header came");
  refuses_bytes("GIF89a\n", "standard input: the header is not JSON");
  refuses_bytes("{\"kinema\":1,\"width\":4,\"height\":3,\"colour\":\"bgr\"}\n", "neither \"depth\" nor a \"pair\"");
  refuses("tcp:port", {}, "tcp:port: is not an address");
  refuses("unix:", {}, "unix: is not an address");
  refuses("unix:none/frames", {}, "unix:none/frames: cannot be made");
  refuses("camera:0", {}, "camera:0: is a colour camera, and the body needs depth");
  save("taken", "");
  refuses("unix:taken", {}, "there is another file of that name");
}

TEST_F(BodyTrackLive, AStreamThatBreaksOffKeepsWhatWasTracked) {
  std::string bytes = stream_of(recording(), "", 0, 4);
  bytes.resize(bytes.size() - 1000);
  save("frames", bytes);
  Outcome outcome = track_shell("cat frames |", "-");
  expect_one_line(outcome, 1, "standard input: ended within frame 3; what was done until then, 3 frames, is kept");
  EXPECT_EQ(lines_of(folder / "poses.jsonl").size(), 3u);
  save("frames", stream_of(recording(), "", 0, 2) + "{\"tme\":1}\n");
  outcome = track_shell("cat frames |", "-");
  expect_one_line(outcome, 2, "frame 2 /tme: is not a name known here");
  EXPECT_EQ(lines_of(folder / "poses.jsonl").size(), 2u);
}

TEST_F(BodyTrackLive, ARecordingGivesTheJointsOfItsSource) {
  for (const std::string mode : {"depth", "stereo"}) {
    save("frames", stream_of(recording(mode)));
    const std::string call = fmt::format("cat frames | {} record --input - --out {}-copy --json", KINEMA_COMMAND, mode);
    const Outcome outcome = run_program("sh", {"-c", call}, folder.folder());
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const json report = json::parse(outcome.out);
    EXPECT_EQ(report["dropped"], 0);
    EXPECT_EQ(report["frames"].get<std::size_t>(), expected(mode).size());
    tracked(folder / (mode + "-copy"));
    EXPECT_EQ(lines_without_times(folder / "poses.jsonl"), expected(mode));
  }
}

TEST_F(BodyTrackLive, ARecordingOfACoveredLensSaysSo) {
  constexpr int width = 64, height = 48, pairs = 12;
  std::string bytes = fmt::format(
      R"({{"kinema":1,"width":{},"height":{},"fx":50,"fy":50,"cx":31.5,"cy":23.5,"fps":30,"baseline":0.1,"pair":"bgr"}})"
      "\n",
      width, height);
  for (int i = 0; i < pairs; ++i)
    bytes +=
        fmt::format("{{\"time\":{}}}\n", i / 30.0) + noise_of(3 * width * height) + std::string(3 * width * height, 9);
  save("frames", bytes);
  const Outcome outcome = run_program(
      "sh", {"-c", fmt::format("cat frames | {} record --input - --out dark --json", KINEMA_COMMAND)}, folder.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "kinema: the right picture of the pair shows nothing: is its lens covered?\n");
  EXPECT_EQ(json::parse(outcome.out)["frames"], pairs);
}

TEST_F(BodyTrackLive, AFullDiskLeavesAWholeRecording) {
  // one file of the recording is larger than the limit allows; those before it are not
  save("frames", stream_of(recording(), "", 0, 3) + "{\"time\":9}\n" + noise_of(640 * 480 * 2));
  const std::string call =
      fmt::format("trap '' XFSZ; ulimit -f 400; cat frames | {} record --input - --out full", KINEMA_COMMAND);
  const Outcome outcome = run_program("sh", {"-c", call}, folder.folder());
  expect_one_line(outcome, 1, "could not be written: File too large; what was recorded until then, 3 frames, is kept");
  EXPECT_EQ(tracked(folder / "full").size(), 3u);
}

TEST_F(BodyTrackLive, ASourceThatIsPulledLeavesAWholeRecording) {
  std::string bytes = stream_of(recording(), "", 0, 4);
  bytes.resize(bytes.size() - 1000);
  save("frames", bytes);
  const std::string call = fmt::format("cat frames | {} record --input - --out pulled", KINEMA_COMMAND);
  const Outcome outcome = run_program("sh", {"-c", call}, folder.folder());
  expect_one_line(outcome, 1, "ended within frame 3; what was recorded until then, 3 frames, is kept");
  EXPECT_EQ(tracked(folder / "pulled").size(), 3u);
}

TEST_F(BodyTrackLive, RecordRefusesWhatItCannotDo) {
  const auto refused = [&](const Arguments& arguments, const std::string& says) {
    expect_one_line(run_kinema(arguments, folder.folder()), 2, says);
  };
  refused({"record", "--input", recording().string(), "--out", "copy"},
          "is not a live source: kinema cameras lists them");
  refused({"record", "--input", "-", "--out", "copy"}, "standard input: ended before a header came");
  EXPECT_FALSE(fs::exists(folder / "copy"));
  save("frames", stream_of(recording(), "", 0, 1));
  const std::string call =
      fmt::format("cat frames | {} record --input - --out {}", KINEMA_COMMAND, recording().string());
  expect_one_line(run_program("sh", {"-c", call}, folder.folder()), 2, "holds a recording already");
}

}  // namespace
}  // namespace kinema::app
