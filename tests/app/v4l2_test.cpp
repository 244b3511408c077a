// v4l2: with a stand-in for the device, which answers as the kernel's documentation says.
#include "io/pictures/image_file.h"
#include "live.h"
#include "tracked.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Both pictures of each pair side by side, row by row; `first` and `second` name the folders.
std::string pairs_of(const fs::path& recording, const char* first = "left", const char* second = "right") {
  std::string bytes;
  for (int i = 0; fs::exists(recording / "left" / fmt::format("{:06d}.png", i)); ++i) {
    const auto picture = [&](const char* side) {
      return io::read_picture(recording / side / fmt::format("{:06d}.png", i));
    };
    const io::Picture left = picture(first), right = picture(second);
    const std::ptrdiff_t row = 3 * left.width;
    for (int y = 0; y < left.height; ++y) {
      for (const io::Picture* side : {&left, &right})
        bytes.append(side->bgr.begin() + y * row, side->bgr.begin() + (y + 1) * row);
    }
  }
  return bytes;
}

class V4l2 : public TrackTest {
protected:
  void SetUp() override { std::ofstream(folder / "units", std::ios::binary) << depth_units_of(recording()); }

  Outcome record(Environment more = {}, const std::string& camera = recording() / "camera.json") const {
    more.insert(more.end(), {{"LD_PRELOAD", KINEMA_V4L2},
                             {"KINEMA_V4L2_DEVICE", "/dev/video983"},
                             {"KINEMA_V4L2_FRAMES", folder / "units"}});
    const Arguments call = {"record",      "--input", "v4l2:/dev/video983", "--camera-file", camera, "--out", "copy",
                            "--reconnect", "1"};
    return run_kinema(call, folder.folder(), more);
  }

  // From one camera that delivers both pictures side by side: the real OpenCV reads it through the same calls.
  Outcome record_pairs(const std::string& pairs, const Arguments& more) const {
    std::ofstream(folder / "pairs", std::ios::binary) << pairs;
    Arguments call = {"record", "--input", "stereo:983", "--camera-file", recording("stereo") / "camera.json",
                      "--out",  "copy"};
    call.insert(call.end(), more.begin(), more.end());
    return run_kinema(call, folder.folder(),
                      {{"LD_PRELOAD", KINEMA_V4L2},
                       {"KINEMA_V4L2_DEVICE", "/dev/video983"},
                       {"KINEMA_V4L2_STEREO", "1"},
                       {"KINEMA_V4L2_FRAMES", folder / "pairs"}});
  }

  // The recorded images are those of the device, all of them.
  void expect_all_images() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder / "copy/depth")) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    ASSERT_EQ(files.size(), static_cast<std::size_t>(frames));
    for (int i = 0; i < frames; ++i) {
      EXPECT_EQ(io::read_depth_image(files[static_cast<std::size_t>(i)]).units,
                io::read_depth_image(depth_of(recording(), i)).units)
          << i;
    }
  }
};

TEST_F(V4l2, DepthIsRecordedAsTheDeviceGivesIt) {
  expect_one_line(record(), 1, "/dev/video983: gives no more frames: No such device; it did not come back within 1 s");
  expect_all_images();
  EXPECT_EQ(tracked(folder / "copy").size(), static_cast<std::size_t>(frames));
}

TEST_F(V4l2, AStereoCameraIsRecordedAsItGivesItsPairs) {
  const Outcome outcome = record_pairs(pairs_of(recording("stereo")), {"--reconnect", "1"});
  expect_one_line(outcome, 1, "stereo:983: gives no more frames; it did not come back within 1 s");
  for (const char* side : {"left", "right"}) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder / "copy" / side)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    ASSERT_EQ(files.size(), 2u);  // OpenCV skips the first picture of a camera, which is often bad
    for (std::size_t i = 0; i < files.size(); ++i) {
      const fs::path original = recording("stereo") / side / fmt::format("{:06d}.png", i + 1);
      EXPECT_EQ(io::read_picture(files[i]).bgr, io::read_picture(original).bgr) << i;
    }
  }
}

TEST_F(V4l2, SaysThatThePicturesOfRecordedPairsAreExchanged) {
  const Outcome outcome = record_pairs(pairs_of(recording("stereo"), "right", "left"), {"--frames", "1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("body track will refuse these pairs: the pictures of the pair are exchanged"),
            std::string::npos)
      << outcome.err;
}

TEST_F(V4l2, ADeviceThatIsUnpluggedAndComesBackGoesOn) {
  expect_one_line(record({{"KINEMA_V4L2_PULLED", "5"}}), 1, "it did not come back within 1 s");
  expect_all_images();
}

TEST_F(V4l2, AnotherSizeThanTheCameraFileSaysIsRefused) {
  json camera = json::parse(bytes_of(recording() / "camera.json"));
  camera["width"] = 320;
  camera["height"] = 240;
  camera["cx"] = 160;
  camera["cy"] = 120;
  std::ofstream(folder / "camera.json") << camera.dump();
  expect_one_line(record({}, "camera.json"), 2, "gives depth of 640 x 480 pixels, where");
}

}  // namespace
}  // namespace kinema::app
