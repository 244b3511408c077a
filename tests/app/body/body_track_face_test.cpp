// kinema body track --face: colour pictures are needed, and without a face in them nothing changes.
#include "io/faces/face_detector.h"
#include "tracked.h"

#include <filesystem>

namespace kinema::app {
namespace {

using nlohmann::json;

class BodyTrackFace : public TrackTest {
protected:
  void SetUp() override {
    if (!pictures()) GTEST_SKIP() << "this build has no OpenCV";
    if (io::find_face_cascade().empty()) GTEST_SKIP() << "no face detector is installed (opencv-data)";
  }
};

TEST_F(BodyTrackFace, PicturesWithoutAFaceChangeNothing) {
  const auto joints = [&](const Arguments& more) {
    std::string all;
    for (const json& line : tracked(recording(), more)) all += without_times(line);
    return all;
  };
  // the simulated person has no face
  EXPECT_EQ(joints({"--face", "--frames", "4"}), joints({"--frames", "4"}));
  const Outcome outcome = track(recording(), {"--face", "--frames", "2", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  EXPECT_EQ(result["faces"], 0);
  EXPECT_TRUE(result["ms"].contains("face"));
}

TEST_F(BodyTrackFace, ARecordingWithoutPicturesIsRefused) {
  const char* says = "has no colour pictures, which --face needs: name them with --colour, or leave --face out";
  refuses(copy(), {"--face"}, says);
  refuses(copy("cloud", "points"), {"--face"}, says);
}

}  // namespace
}  // namespace kinema::app
