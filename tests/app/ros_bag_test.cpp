// Bags of ROS 1, written by its own rosbag in Python: the same joints as from the folder.
#include "io/pictures/image_file.h"
#include "live.h"
#include "tracked.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Debian's, which has the modules of ROS; another python3 may come first on the path.
constexpr const char* python = "/usr/bin/python3";

class RosBag : public TrackTest {
protected:
  void SetUp() override {
    if (!KINEMA_ROSBAG) GTEST_SKIP() << "this build has no librosbag-storage";
    if (!pictures()) GTEST_SKIP() << "this build has no OpenCV";
    if (run_program(python, {"-c", "import rosbag, sensor_msgs.msg"}, folder.folder()).exit_code != 0) {
      GTEST_SKIP() << "there is no python3-rosbag or python3-sensor-msgs";
    }
    fs::create_directories(folder / "same/depth");
    fs::copy(recording() / "camera.json", folder / "same");
    std::string units;
    for (int i = 0; i < 4; ++i) {
      const io::DepthImage image = io::read_depth_image(depth_of(recording(), i));
      const double time = std::round(i * 1000 / 30.0) / 1000;
      io::write_depth_png(folder / fmt::format("same/depth/0000{:.3f}.png", time), image);
      units.append(reinterpret_cast<const char*>(image.units.data()), 2 * image.units.size());
    }
    std::ofstream(folder / "same/units", std::ios::binary) << units;
  }

  void write_bag(const std::string& name, const std::string& kind, const std::string& compression = "none") const {
    const Outcome outcome = run_program(python, {KINEMA_WRITE_BAG, "same", name, kind, compression}, folder.folder());
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }

  std::vector<std::string> poses_of(const fs::path& input) const {
    std::vector<std::string> lines;
    for (const json& line : tracked(input)) lines.push_back(without_times(line));
    return lines;
  }
};

TEST_F(RosBag, DepthGivesTheJointsOfTheFolder) {
  const std::vector<std::string> expected = poses_of(folder / "same");
  ASSERT_EQ(expected.size(), 4u);
  for (const auto& [kind, compression] :
       {std::pair{"16UC1", "none"}, {"16UC1", "bz2"}, {"16UC1", "lz4"}, {"png", "none"}, {"colour", "none"}}) {
    write_bag("walk.bag", kind, compression);
    EXPECT_EQ(poses_of(folder / "walk.bag"), expected) << kind << " " << compression;
  }
  // units times 0.001 in double precision, rounded to float once, as for the folder
  for (const char* compression : {"none", "lz4"}) {
    write_bag("walk.bag", "32FC1", compression);
    EXPECT_EQ(poses_of(folder / "walk.bag"), expected) << "32FC1 " << compression;
  }
}

TEST_F(RosBag, OneOfSeveralTopicsIsNamed) {
  write_bag("walk.bag", "two");
  refuses(folder / "walk.bag", {}, "has images of depth on several topics; name one, as in");
  refuses(folder / "walk.bag:/camera/ir", {},
          "has no images of depth on /camera/ir; it has them on: /camera/aligned/image_raw");
  EXPECT_EQ(tracked(folder / "walk.bag:/camera/depth/image_raw").size(), 4u);
}

TEST_F(RosBag, OneWithoutItsCameraTakesACameraFile) {
  write_bag("walk.bag", "bare");
  refuses(folder / "walk.bag", {}, "has images of 640 x 480 pixels, and their camera 1920 x 1080");
  EXPECT_EQ(tracked(folder / "walk.bag", {"--camera-file", folder / "same/camera.json"}).size(), 4u);
}

TEST_F(RosBag, DamagedOnesAreRefused) {
  refuses(folder / "none.bag", {}, "none.bag: ");
  std::ofstream(folder / "text.bag") << "not a bag\n";
  refuses(folder / "text.bag", {}, "text.bag: cannot be read");
  write_bag("walk.bag", "16UC1");
  const auto size = fs::file_size(folder / "walk.bag");
  for (const double share : {0.3, 0.9, 0.999}) {
    fs::resize_file(folder / "walk.bag", static_cast<std::uintmax_t>(share * static_cast<double>(size)));
    refuses(folder / "walk.bag", {}, "walk.bag: ");
  }
}

TEST(RosBagMissing, ABuildWithoutTheLibraryNamesThePackage) {
  if (KINEMA_ROSBAG) GTEST_SKIP() << "this build has librosbag-storage";
  const Problem scratch(1, 1);
  expect_one_line(run_kinema({"body", "track", "--input", "walk.bag", "--out", "poses.jsonl"}, scratch.folder()), 2,
                  "install it (Debian: librosbag-storage-dev)");
}

}  // namespace
}  // namespace kinema::app
