// Recordings of point clouds: frames in order with their times, gaps with their reasons, refusals by name.
#include "kinema/recording.h"

#include "io/files/output_file.h"
#include "refusal.h"
#include "scratch_folder.h"

namespace kinema::io {
namespace {

std::vector<Frame> frames_of(Recording& recording) {
  std::vector<Frame> frames;
  for (Frame frame; recording.next(frame);) frames.push_back(frame);
  return frames;
}

TEST(Recording, OfCloudsKeepsNumbersTimesAndGaps) {
  const ScratchFolder folder;
  make_folder(folder / "points");
  folder.write("camera.json", R"({"fps":10})");
  folder.write("truth.jsonl", "{}\n");
  folder.write("points/000000.xyz", "1 2 3\n4 5 6\n");
  folder.write("points/000001.xyz", "1 2 3\nnan 0 0\n");
  folder.write("points/000003.ply", "broken");
  folder.write("points/000004.xyz", "# nothing\n");
  const auto recording = open_recording({folder.path().string()});
  EXPECT_EQ(recording->size(), 5u);
  EXPECT_TRUE(recording->holds_points());
  EXPECT_EQ(recording->truth(), folder / "truth.jsonl");
  EXPECT_TRUE(recording->skeleton().empty());
  const auto frames = frames_of(*recording);
  ASSERT_EQ(frames.size(), 5u);
  for (long i = 0; i < 5; ++i) {
    EXPECT_EQ(frames[i].index, i);
    EXPECT_DOUBLE_EQ(frames[i].time, 0.1 * static_cast<double>(i));
  }
  EXPECT_EQ(frames[0].points, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(frames[0].gap, "");
  EXPECT_EQ(frames[0].name, "000000.xyz");
  EXPECT_EQ(frames[1].points.size(), 3u);
  EXPECT_EQ(frames[1].dropped, 1u);
  EXPECT_EQ(frames[2].gap, (folder / "points/000002.ply").string() + ": is missing in the sequence");
  EXPECT_NE(frames[3].gap.find("does not start with 'ply'"), std::string::npos);
  EXPECT_NE(frames[4].gap.find("holds no point"), std::string::npos);
  for (int i : {2, 3, 4}) EXPECT_TRUE(frames[i].points.empty());
}

TEST(Recording, OfCloudsByPatternFilesOrFolder) {
  const ScratchFolder folder;
  folder.write("a1.xyz", "1 2 3\n");
  folder.write("a2.xyz", "1 2 3\n");
  RecordingSettings settings;
  settings.fps = 20;
  const std::string one = (folder / "a1.xyz").string(), two = (folder / "a2.xyz").string();
  const std::vector<std::string> inputs[] = {{folder.path().string()}, {(folder / "a%d.xyz").string()}, {one, two}};
  for (const auto& input : inputs) {
    const auto frames = frames_of(*open_recording(input, settings));
    ASSERT_EQ(frames.size(), 2u);
    EXPECT_EQ(frames[1].index, 2);
    EXPECT_DOUBLE_EQ(frames[1].time, 0.1);
  }
  // one frame needs no frames per second
  EXPECT_EQ(frames_of(*open_recording({one})).size(), 1u);
  expect_refusal(folder.path(), "give them with --fps", [&] { open_recording({folder.path().string()}); });
}

TEST(Recording, IsRefusedWhereThereIsNone) {
  const ScratchFolder folder;
  const std::string path = folder.path().string();
  const auto open = [&] { open_recording({path}); };
  expect_refusal(folder.path(), "holds no frames", open);
  make_folder(folder / "points");
  expect_refusal(folder / "points", "holds no point cloud", open);
  folder.write("points/000000.xyz", "1 2 3\n");
  expect_refusal(folder.path(), "has no camera.json", open);
  folder.write("camera.json", R"({"fps":-1})");
  expect_refusal(folder / "camera.json", "\"fps\" is -1", open);
  folder.write("camera.json", R"({"fps":30})");
  EXPECT_EQ(open_recording({path})->size(), 1u);
  make_folder(folder / "depth");
  expect_refusal(folder.path(), "more than one of", open);
  std::filesystem::remove(folder / "depth");
  make_folder(folder / "left");
  expect_refusal(folder.path(), "more than one of", open);
  std::filesystem::remove_all(folder / "points");
  expect_refusal(folder.path(), "has a left/ and no right/", open);

  EXPECT_NE(refusal_of([] { open_recording({}); }), "");
  EXPECT_NE(refusal_of([] { open_recording({""}); }), "");
  expect_refusal(folder / "none", "there is no such file", [&] { open_recording({(folder / "none").string()}); });
  folder.write("frames.docx", "x");
  expect_refusal(folder / "frames.docx", "is not a source of frames",
                 [&] { open_recording({(folder / "frames.docx").string()}); });
}

TEST(Recording, OfWhichNoFrameCanBeUsedIsRefusedByItsFirst) {
  const ScratchFolder folder;
  make_folder(folder / "points");
  folder.write("camera.json", R"({"fps":10})");
  folder.write("points/000000.ply", "broken");
  folder.write("points/000001.ply", "broken too");
  expect_refusal(folder / "points/000000.ply", "and none of the other 1 frames can be used",
                 [&] { open_recording({folder.path().string()}); });
}

}  // namespace
}  // namespace kinema::io
