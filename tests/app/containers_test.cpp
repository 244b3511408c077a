// Recordings and streams of other programs, written by ffmpeg: the same joints and pictures as from the folder.
#include "io/pictures/image_file.h"
#include "live.h"
#include "tracked.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include <unistd.h>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class BodyTrackContainers : public TrackTest {
protected:
  void SetUp() override {
    if (!pictures()) GTEST_SKIP() << "this build has no OpenCV";
    if (run_program("ffmpeg", {"-version"}, folder.folder()).exit_code != 0) GTEST_SKIP() << "there is no ffmpeg";
  }

  std::vector<std::string> poses() const {
    std::vector<std::string> lines;
    for (const json& line : lines_of(folder / "poses.jsonl")) lines.push_back(without_times(line));
    return lines;
  }

  void save(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder / name, std::ios::binary) << bytes;
  }
};

// As Azure Kinect writes it: 640 x 576 pixels, big-endian, with the calibration of the sensor attached.
class AzureKinect : public BodyTrackContainers {
protected:
  void SetUp() override {
    if (!KINEMA_FFMPEG) GTEST_SKIP() << "this build has no libavformat";
    BodyTrackContainers::SetUp();
    if (IsSkipped()) return;
    const json camera = json::parse(bytes_of(recording() / "camera.json"));
    const double fx = camera["fx"], fy = camera["fy"], cx = camera["cx"], cy = camera["cy"];
    const std::vector<double> parameters = {
        (cx + 192.5) / 1024, (cy + 180.5) / 1024, fx / 1024, fy / 1024, 0.001, 0, 0, 0, 0, 0, 0, 0, 0.0001, 0.0002, 0};
    save(
        "calibration.json",
        json{
            {"CalibrationInformation",
             {{"Cameras",
               {{{"Location", "CALIBRATION_CameraLocationD0"},
                 {"Intrinsics",
                  {{"ModelType", "CALIBRATION_LensDistortionModelBrownConrady"}, {"ModelParameters", parameters}}}}}}}}}
            .dump());
    fs::create_directories(folder / "same/depth");
    save("same/camera.json", json{{"width", 640},
                                  {"height", 576},
                                  {"fx", parameters[2] * 1024},
                                  {"fy", parameters[3] * 1024},
                                  {"cx", parameters[0] * 1024 - 192 - 0.5},
                                  {"cy", parameters[1] * 1024 - 180 - 0.5},
                                  {"fps", 30},
                                  {"depth_scale", 0.001},
                                  {"distortion", {0.001, 0, 0.0002, 0.0001, 0, 0, 0, 0}}}
                                 .dump());
    std::string raw;
    for (int i = 0; i < 4; ++i) {
      io::DepthImage image = io::read_depth_image(depth_of(recording(), i));
      image.height = 576;
      image.units.resize(640 * 576);
      io::write_depth_png(folder / fmt::format("same/depth/0000{:.3f}.png", std::round(i * 1000 / 30.0) / 1000), image);
      for (const std::uint16_t unit : image.units) raw += {static_cast<char>(unit >> 8), static_cast<char>(unit & 255)};
    }
    save("raw", raw);
    const Outcome outcome = run_program(
        "sh",
        {"-c",
         "ffmpeg -v error -y -f rawvideo -pix_fmt gray16be -s 640x576 -r 30 -i raw -c:v copy -allow_raw_vfw 1 "
         "-metadata:s:v:0 title=DEPTH -attach calibration.json -metadata:s:t mimetype=application/json "
         "-metadata:s:t filename=calibration.json plain.mkv"},
        folder.folder());
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    // in the track's header ffmpeg leaves out the code of the format, and counts rows from the bottom
    std::string bytes = bytes_of(folder / "plain.mkv");
    const std::string size = {40, 0, 0, 0, '\x80', 2, 0, 0, '\xc0', '\xfd', '\xff', '\xff'};
    const std::size_t at = bytes.find(size);
    ASSERT_NE(at, std::string::npos);
    bytes.replace(at + 8, 4, {0x40, 2, 0, 0});
    bytes.replace(at + 16, 4, "b16g");
    save("walk.mkv", bytes);
  }
};

TEST_F(AzureKinect, ARecordingGivesTheJointsOfTheFolder) {
  tracked(folder / "same");
  const std::vector<std::string> expected = poses();
  ASSERT_EQ(expected.size(), 4u);
  for (const char* file : {"walk.mkv", "plain.mkv"}) {
    tracked(folder / file);
    EXPECT_EQ(poses(), expected) << file;
  }
}

TEST_F(AzureKinect, FacesAreRefusedWithoutATrackOfColour) {
  refuses(folder / "walk.mkv", {"--face"}, "walk.mkv: has no colour pictures, which --face needs: leave --face out");
}

TEST_F(AzureKinect, OneThatIsCutKeepsWhatWasTracked) {
  fs::resize_file(folder / "walk.mkv", fs::file_size(folder / "walk.mkv") * 5 / 8);
  const Outcome outcome = track(folder / "walk.mkv");
  EXPECT_LE(outcome.exit_code, 1) << outcome.err;  // libavformat takes some cuts for the end
  EXPECT_GE(lines_of(folder / "poses.jsonl").size(), 2u);
}

// OpenCV reads the stream, and nothing is lost on the way: the pictures are those that were sent.
TEST_F(BodyTrackContainers, PairsSideBySideFromTheNetworkAreRecordedAsSent) {
  const fs::path source = recording("stereo");
  const std::string send =
      "ffmpeg -v error -framerate 30 -i {0}/left/%06d.png -framerate 30 -i {0}/right/%06d.png "
      "-filter_complex hstack -c:v ffv1 -pix_fmt bgr0 -f nut 'tcp://127.0.0.1:{1}?listen=1'";
  // another port each time, so that a connection which is still closing is not in the way
  const int port = 20000 + static_cast<int>(::getpid() % 20000);
  const Outcome outcome = run_program(
      "sh",
      {"-c",
       fmt::format(fmt::runtime("(" + send +
                                ") & for i in 1 2 3 4 5 6 7 8 9 10; do {2} record --input tcp://127.0.0.1:{1} "
                                "--camera-file {0}/camera.json --out pairs --frames 3 --reconnect 0 --json && break; "
                                "sleep 1; done; wait"),
                   source.string(), port, KINEMA_COMMAND)},
      folder.folder());
  ASSERT_TRUE(fs::exists(folder / "pairs/left")) << outcome.err;
  std::size_t frame = 0;
  std::vector<fs::path> lefts;
  for (const auto& entry : fs::directory_iterator(folder / "pairs/left")) lefts.push_back(entry.path());
  std::sort(lefts.begin(), lefts.end());
  ASSERT_EQ(lefts.size(), 3u) << outcome.err;
  for (const fs::path& left : lefts) {
    const std::string name = fmt::format("{:06}.png", frame++);
    EXPECT_EQ(io::read_picture(left).bgr, io::read_picture(source / "left" / name).bgr);
    EXPECT_EQ(io::read_picture(folder / "pairs/right" / left.filename()).bgr,
              io::read_picture(source / "right" / name).bgr);
  }
  EXPECT_EQ(tracked(folder / "pairs").size(), 3u);
}

TEST_F(BodyTrackContainers, CamerasThatAreNotThereAreRefused) {
  refuses("stereo:871", {}, "/dev/video871: there is no such camera");
  refuses("stereo:0,1,2", {}, "stereo:0,1,2: is not a stereo camera");
  refuses("stereo:left", {}, "is not a stereo camera");
  refuses("v4l2:", {}, "v4l2: is not a device");
  refuses("v4l2:/dev/video983", {}, "/dev/video983: cannot be opened: No such file");
  refuses("v4l2:/dev/null", {}, "/dev/null: is not a video device");
  refuses("tcp://127.0.0.1:1", {}, "tcp://127.0.0.1:1: cannot be opened");
}

}  // namespace
}  // namespace kinema::app
