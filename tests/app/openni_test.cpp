// openni: and .oni files through the real OpenNI 2, whose device is a driver that serves a recording.
#include "io/pictures/image_file.h"
#include "live.h"
#include "tracked.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class OpenNi : public TrackTest {
protected:
  // The frames for the driver, and the same as a recording with the camera and the times that OpenNI gives.
  void SetUp() override {
    const fs::path source = recording();
    const json camera = json::parse(bytes_of(source / "camera.json"));
    const float horizontal = static_cast<float>(2 * std::atan(320 / camera["fx"].get<double>()));
    const float vertical = static_cast<float>(2 * std::atan(240 / camera["fy"].get<double>()));
    std::string bytes = fmt::format("640 480 30 {:.9g} {:.9g}\n", horizontal, vertical);
    fs::create_directories(folder / "same/depth");
    for (int i = 0; i < frames; ++i) {
      const auto time = static_cast<std::uint64_t>(std::llround(i * 1e6 / 30));
      bytes.append(reinterpret_cast<const char*>(&time), sizeof(time));
      const io::DepthImage image = io::read_depth_image(depth_of(source, i));
      bytes.append(reinterpret_cast<const char*>(image.units.data()), image.units.size() * 2);
      fs::copy_file(depth_of(source, i), folder / fmt::format("same/depth/{:013.6f}.png", time / 1e6));
    }
    std::ofstream(folder / "frames", std::ios::binary) << bytes;
    std::ofstream(folder / "same/camera.json") << json{
        {"width", 640},
        {"height", 480},
        {"fx", 640 / (2 * std::tan(horizontal / 2.0))},
        {"fy", 480 / (2 * std::tan(vertical / 2.0))},
        {"cx", 320},
        {"cy", 240},
        {"fps", 30},
        {"depth_scale", 0.001}}.dump();
  }

  Outcome with_openni(const std::string& program, const Arguments& arguments, Environment more = {}) const {
    more.insert(more.end(), {{"LD_LIBRARY_PATH", KINEMA_OPENNI}, {"KINEMA_OPENNI_FRAMES", folder / "frames"}});
    return run_program(program, arguments, folder.folder(), more);
  }

  Outcome track_openni(const std::string& input, Arguments more = {}) const {
    more.insert(more.begin(),
                {"body", "track", "--input", input, "--out", "poses.jsonl", "--particles", "40", "--points", "1000"});
    return with_openni(KINEMA_COMMAND, more);
  }

  std::vector<std::string> poses() const {
    std::vector<std::string> lines;
    for (const json& line : lines_of(folder / "poses.jsonl")) lines.push_back(without_times(line));
    return lines;
  }

  // Every frame of a recording that was made of the device is one of its own, at its time; returns their number.
  std::size_t expect_own_frames(const fs::path& made) const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(made / "depth")) {
      ++count;
      const double time = std::stod(entry.path().stem().string());
      const auto frame = static_cast<int>(std::lround(time * 30));
      EXPECT_EQ(io::read_depth_image(entry.path()).units, io::read_depth_image(depth_of(recording(), frame)).units);
    }
    return count;
  }
};

TEST_F(OpenNi, CamerasListsTheDevice) {
  const Outcome outcome = with_openni(KINEMA_COMMAND, {"cameras", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json connected = json::parse(outcome.out)["connected"];
  EXPECT_NE(std::find(connected.begin(), connected.end(), json({{"input", "openni:0"}, {"name", "Kinema Recording"}})),
            connected.end())
      << connected;
}

TEST_F(OpenNi, AFileOfItsRecorderGivesTheJointsOfTheFolder) {
  // 3: its recorder missed frames, and is asked again
  Outcome made{3, "", ""};
  for (int attempt = 0; attempt < 20 && made.exit_code == 3; ++attempt) {
    made = with_openni(KINEMA_RECORD_ONI, {"walk.oni", std::to_string(frames)});
  }
  ASSERT_EQ(made.exit_code, 0) << made.err;
  tracked(folder / "same");
  const std::vector<std::string> expected = poses();
  const Outcome outcome = track_openni("walk.oni", {"--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(poses(), expected);
}

TEST_F(OpenNi, ADeviceIsTrackedLive) {
  const Outcome outcome = track_openni("openni:", {"--json", "--frames", "1"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["found"], 1);
}

TEST_F(OpenNi, FacesAreRefusedOnADeviceWithoutColour) {
  expect_one_line(track_openni("openni:", {"--face"}), 2,
                  "openni:: has no colour pictures, which --face needs: leave --face out");
  EXPECT_FALSE(fs::exists(folder / "poses.jsonl"));
}

TEST_F(OpenNi, ARecordingOfADeviceHoldsItsFrames) {
  const Outcome outcome =
      with_openni(KINEMA_COMMAND, {"record", "--input", "openni:0", "--out", "live", "--frames", "5", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["frames"], 5);
  EXPECT_EQ(expect_own_frames(folder / "live"), 5u);
  EXPECT_EQ(json::parse(bytes_of(folder / "live/camera.json")), json::parse(bytes_of(folder / "same/camera.json")));
}

TEST_F(OpenNi, ADeviceThatIsUnpluggedAndComesBackGoesOn) {
  const Outcome outcome =
      with_openni(KINEMA_COMMAND, {"record", "--input", "openni:", "--out", "live", "--frames", "3", "--json"},
                  {{"KINEMA_OPENNI_UNPLUG", "2"}});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["reopened"], 1);
  EXPECT_EQ(json::parse(outcome.out)["frames"], 3);
}

TEST_F(OpenNi, RefusesWhatIsNotThere) {
  const auto refused = [&](const std::string& input, const std::string& says) {
    expect_one_line(track_openni(input), 2, says);
  };
  refused("openni:7", "openni:7: there is no such device: OpenNI 2 sees 1");
  refused("none.oni", "none.oni: there is no such file");
  std::ofstream(folder / "bad.oni") << "this is not a recording of OpenNI";
  refused("bad.oni", "bad.oni: cannot be opened");
}

}  // namespace
}  // namespace kinema::app
