// Recordings of depth images and stereo pairs: metres, gaps with their reasons, background, colour, refusals.
#include "kinema/recording.h"

#include "io/files/output_file.h"
#include "io/pictures/image_file.h"
#include "refusal.h"
#include "scratch_folder.h"
#include "textured_pair.h"

#include <cmath>

namespace kinema::io {
namespace {

const std::string camera_json =
    R"({"width":4,"height":3,"fx":5,"fy":5,"cx":1.5,"cy":1,"fps":10,"depth_scale":0.001,"baseline":0.1})";

DepthImage flat(int width, int height, std::uint16_t units) {
  return {width, height, std::vector<std::uint16_t>(static_cast<std::size_t>(width) * height, units)};
}

std::vector<Frame> frames_of(Recording& recording) {
  std::vector<Frame> frames;
  for (Frame frame; recording.next(frame);) frames.push_back(frame);
  return frames;
}

TEST(DepthRecording, HasMetresGapsBackgroundAndColour) {
  const ScratchFolder folder;
  for (const char* name : {"depth", "colour"}) make_folder(folder / name);
  folder.write("camera.json", camera_json);
  folder.write("skeleton.json", "{}");
  write_depth_png(folder / "background.png", flat(4, 3, 5000));
  write_depth_png(folder / "depth/000000.png", flat(4, 3, 1500));
  write_depth_png(folder / "depth/000002.png", flat(5, 3, 1500));
  write_picture_png(folder / "depth/000003.png", {4, 3, std::vector<std::uint8_t>(36, 9)});
  folder.write("depth/000004.png", "");
  write_depth_png(folder / "depth/000005.png", flat(4, 3, 0));
  write_depth_png(folder / "depth/000006.png", flat(4, 3, 65535));
  write_picture_png(folder / "colour/000000.png", {4, 3, std::vector<std::uint8_t>(36, 9)});
  write_picture_png(folder / "colour/000006.png", {8, 6, std::vector<std::uint8_t>(144, 9)});

  const auto recording = open_recording({folder.path().string()});
  EXPECT_EQ(recording->camera().camera.width, 4);
  EXPECT_EQ(recording->background(), std::vector<float>(12, 5.0f));
  EXPECT_EQ(recording->skeleton(), folder / "skeleton.json");
  const auto frames = frames_of(*recording);
  ASSERT_EQ(frames.size(), 7u);
  EXPECT_EQ(frames[0].depth, std::vector<float>(12, 1.5f));
  EXPECT_EQ(frames[0].colour.width, 4);
  EXPECT_NE(frames[1].gap.find("000001.png: is missing"), std::string::npos);
  EXPECT_NE(frames[2].gap.find("has 5 x 3 pixels, where the camera has 4 x 3"), std::string::npos);
  EXPECT_NE(frames[3].gap.find("holds 8-bit pixels"), std::string::npos);
  EXPECT_NE(frames[4].gap.find("is empty"), std::string::npos);
  EXPECT_NE(frames[5].gap.find("every pixel is 0"), std::string::npos);
  for (int i = 1; i < 6; ++i) EXPECT_TRUE(frames[i].depth.empty());
  EXPECT_EQ(frames[6].depth, std::vector<float>(12, 65.535f));
  EXPECT_EQ(frames[6].colour.width, 4) << "of the camera's size";
  EXPECT_DOUBLE_EQ(frames[6].time, 0.6);
}

TEST(DepthRecording, IsRefusedForAWrongCameraOrBackground) {
  const ScratchFolder folder;
  make_folder(folder / "depth");
  write_depth_png(folder / "depth/000000.png", flat(4, 3, 1500));
  const auto open = [&] { open_recording({folder.path().string()}); };
  expect_refusal(folder.path(), "has no camera.json", open);
  folder.write("camera.json", R"({"width":8,"height":6,"fx":5,"fy":5,"cx":1.5,"cy":1,"fps":10,"depth_scale":0.001})");
  expect_refusal(folder / "depth/000000.png", "has 4 x 3 pixels, where the camera has 8 x 6", open);
  folder.write("camera.json", camera_json);
  write_depth_png(folder / "background.png", flat(8, 6, 1500));
  expect_refusal(folder / "background.png", "has 8 x 6 pixels", open);
}

TEST(DepthRecording, TakesItsCameraFromACalibration) {
  const ScratchFolder folder;
  write_depth_png(folder / "7.png", flat(4, 3, 1500));
  write_depth_png(folder / "8.png", flat(4, 3, 1500));
  RecordingSettings settings;
  settings.camera_files = {folder.write("k.yml",
                                        "%YAML:1.0\n---\nK: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n   "
                                        "data: [5., 0., 1.5, 0., 5., 1., 0., 0., 1.]\n")};
  const auto open = [&] { return open_recording({(folder / "%d.png").string()}, settings); };
  expect_refusal(folder / "k.yml", "--fps", open);
  settings.fps = 5;
  expect_refusal(folder / "k.yml", "--depth-scale", open);
  settings.depth_scale = 0.002;
  const auto recording = open();
  EXPECT_EQ(recording->camera().camera.width, 4) << "from the frames, since the calibration does not say";
  EXPECT_EQ(frames_of(*recording)[0].depth, std::vector<float>(12, 3.0f));
}

class StereoRecording : public testing::Test {
protected:
  void SetUp() override {
    for (const char* name : {"left", "right"}) make_folder(folder / name);
    folder.write("camera.json",
                 R"({"width":320,"height":240,"fx":300,"fy":300,"cx":159.5,"cy":119.5,"fps":10,"baseline":0.1})");
    for (const char* name : {"000000.png", "000001.png", "000003.png"}) {
      write_picture_png(folder / (std::string("left/") + name), pair.picture(false));
      write_picture_png(folder / (std::string("right/") + name), pair.picture(true));
    }
  }

  ScratchFolder folder;
  TexturedPair pair{7.5, 20};
};

TEST_F(StereoRecording, HasPairsAndGapsForHalvesThatAreMissing) {
  std::filesystem::remove(folder / "right/000001.png");
  write_picture_png(folder / "right/000004.png", pair.picture(true));
  const auto recording = open_recording({folder.path().string()});
  const auto frames = frames_of(*recording);
  ASSERT_EQ(frames.size(), 5u);
  EXPECT_EQ(frames[0].pair.left, grey_of(pair.picture(false)).grey);
  EXPECT_EQ(frames[0].pair.right, grey_of(pair.picture(true)).grey);
  EXPECT_EQ(frames[0].pair.seen, nullptr);
  EXPECT_EQ(frames[0].colour.bgr, pair.picture(false).bgr);
  EXPECT_NE(frames[1].gap.find("right/000001.png: is missing"), std::string::npos);
  EXPECT_TRUE(frames[1].pair.empty());
  EXPECT_NE(frames[2].gap.find("000002.png: is missing"), std::string::npos);
  EXPECT_EQ(frames[3].gap, "");
  EXPECT_NE(frames[4].gap.find("left/000004.png: is missing"), std::string::npos);
}

TEST_F(StereoRecording, IsTakenAsAPairOfPatterns) {
  const std::string left = (folder / "left/%06d.png").string(), right = (folder / "right/%06d.png").string();
  const auto frames = frames_of(*open_recording({left + "," + right}));
  ASSERT_EQ(frames.size(), 4u);
  EXPECT_EQ(frames[0].pair.left.size(), 320u * 240u);
  EXPECT_NE(frames[2].gap, "");
}

TEST_F(StereoRecording, IsRefusedWithoutABaselineOrWithADistortion) {
  const auto open = [&] { open_recording({folder.path().string()}); };
  folder.write("camera.json", R"({"width":320,"height":240,"fx":300,"fy":300,"cx":159.5,"cy":119.5,"fps":10})");
  expect_refusal(folder / "camera.json", "has no \"baseline\"", open);
  folder.write("camera.json", R"({"width":320,"height":240,"fx":300,"fy":300,"cx":159.5,"cy":119.5,"fps":10,)"
                              R"("baseline":0.1,"distortion":[0.1,0,0,0]})");
  expect_refusal(folder / "camera.json", "has a distortion", open);
}

TEST(VideoRecording, IsRefusedWhereItIsNoVideo) {
  const ScratchFolder folder;
  folder.write("camera.json", camera_json);
  const auto video = folder.write("v.mp4", "no video");
  expect_refusal(video, "is not a video", [&] { open_recording({video.string()}); });
  const auto other = folder.write("w.mp4", "none either");
  expect_refusal(video, "one video at a time", [&] { open_recording({video.string(), other.string()}); });
  expect_refusal(video, "is not a video", [&] { open_recording({video.string() + "," + other.string()}); });
}

}  // namespace
}  // namespace kinema::io
