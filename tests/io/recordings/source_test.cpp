// Colour frames from folders, patterns and files, and what happens where one of them is bad.
#include "kinema/source.h"

#include "io/pictures/image_file.h"
#include "io/pictures/picture_sink.h"
#include "kinema/error.h"
#include "scratch_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace kinema::io {
namespace {

namespace fs = std::filesystem;

Picture plain(int width, int height, std::uint8_t level) {
  return {width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width * height * 3), level)};
}

fs::path folder_of_pictures(const ScratchFolder& scratch, int count) {
  const fs::path folder = scratch.path() / "clip";
  fs::create_directories(folder);
  for (int i = 0; i < count; ++i) {
    write_picture_png(folder / fmt::format("{:04}.png", i + 7), plain(16, 12, static_cast<std::uint8_t>(10 * i)));
  }
  return folder;
}

std::string refusal(const std::vector<std::string>& input, const ColourSettings& settings = {}) {
  try {
    const auto source = open_colour(input, settings);
    Frame frame;
    while (source->next(frame)) {
    }
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "";
}

TEST(Source, AFolderComesInTheOrderOfItsNumbers) {
  const ScratchFolder scratch;
  const fs::path folder = folder_of_pictures(scratch, 3);
  for (const std::string& input : {folder.string(), (folder / "%04d.png").string()}) {
    const auto source = open_colour({input}, {10});
    EXPECT_EQ(source->size(), 3u);
    EXPECT_FALSE(source->guessed_fps());
    Frame frame;
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(source->next(frame));
      EXPECT_EQ(frame.index, i + 7);
      EXPECT_DOUBLE_EQ(frame.time, (i + 7) / 10.0);
      EXPECT_EQ(frame.colour.bgr[0], 10 * i);
      EXPECT_EQ(frame.view().stride, 48u);
    }
    EXPECT_FALSE(source->next(frame));
  }
  EXPECT_TRUE(open_colour({folder.string()})->guessed_fps());
}

TEST(Source, APictureThatCannotBeReadIsAGap) {
  const ScratchFolder scratch;
  const fs::path folder = folder_of_pictures(scratch, 4);
  scratch.write("clip/0008.png", "this is not a picture");
  fs::remove(folder / "0009.png");
  const auto source = open_colour({folder.string()});
  Frame frame;
  std::vector<std::string> gaps;
  while (source->next(frame)) gaps.push_back(frame.gap);
  ASSERT_EQ(gaps.size(), 4u);
  EXPECT_EQ(gaps[0], "");
  EXPECT_NE(gaps[1].find("0008.png"), std::string::npos);
  EXPECT_NE(gaps[2].find("is missing in the sequence"), std::string::npos);
  EXPECT_EQ(gaps[3], "");
}

TEST(Source, AFrameOfAnotherSizeIsAGapInASequence) {
  const ScratchFolder scratch;
  const fs::path folder = folder_of_pictures(scratch, 4);
  write_picture_png(folder / "0008.png", plain(20, 12, 5));
  const auto source = open_colour({folder.string()});
  EXPECT_EQ(source->kind(), SourceKind::sequence);
  Frame frame;
  std::vector<std::string> gaps;
  while (source->next(frame)) {
    gaps.push_back(frame.gap);
    EXPECT_EQ(frame.colour.empty(), !frame.gap.empty());
  }
  ASSERT_EQ(gaps.size(), 4u);
  EXPECT_NE(gaps[1].find("0008.png: has 20 x 12 pixels, where the frames before have 16 x 12"), std::string::npos);
  EXPECT_EQ(gaps[2], "");
}

TEST(Source, UnrelatedPicturesHaveAnySizeAndCountFromZero) {
  const ScratchFolder scratch;
  const fs::path folder = folder_of_pictures(scratch, 3);
  write_picture_png(folder / "0008.png", plain(20, 12, 5));
  write_picture_png(folder / "holiday.png", plain(8, 8, 5));
  fs::remove(folder / "0009.png");
  const auto source = open_colour({folder.string()}, {.sequence = false});
  EXPECT_EQ(source->kind(), SourceKind::pictures);
  EXPECT_FALSE(source->guessed_fps());
  std::vector<std::string> names;
  Frame frame;
  while (source->next(frame)) {
    EXPECT_EQ(frame.gap, "");
    EXPECT_EQ(frame.index, static_cast<long>(names.size()));
    names.push_back(frame.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"0007.png", "0008.png", "holiday.png"}));
}

TEST(Source, VideosAreReadToTheirEnd) {
  const ScratchFolder scratch;
  const fs::path path = scratch.path() / "clip.avi";
  try {
    PictureSink sink(path, 25);
    for (int i = 0; i < 20; ++i) sink.add(plain(64, 48, static_cast<std::uint8_t>(10 * i)), i);
    sink.commit();
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  const auto source = open_colour({path.string()});
  EXPECT_DOUBLE_EQ(source->fps(), 25);
  Frame frame;
  int count = 0;
  while (source->next(frame)) {
    EXPECT_EQ(frame.index, count++);
    EXPECT_EQ(frame.colour.width, 64);
  }
  EXPECT_EQ(count, 20);

  // half of it: refused at once, or read as far as it goes and then refused
  fs::resize_file(path, fs::file_size(path) / 2);
  EXPECT_NE(refusal({path.string()}).find("clip.avi"), std::string::npos);
  scratch.write("noise.mp4", "this is not a video");
  EXPECT_NE(refusal({(scratch.path() / "noise.mp4").string()}).find("is not a video"), std::string::npos);
}

TEST(Source, RefusesWhatHasNoFrames) {
  const ScratchFolder scratch;
  const auto at = [&](const char* name) { return (scratch.path() / name).string(); };
  fs::create_directories(scratch.path() / "hollow");
  scratch.write("notes.txt", "hello");
  scratch.write("broken.png", "no");
  EXPECT_NE(refusal({}).find("no input"), std::string::npos);
  EXPECT_NE(refusal({""}).find("no input"), std::string::npos);
  EXPECT_NE(refusal({at("nowhere")}).find("there is no such file"), std::string::npos);
  EXPECT_NE(refusal({at("nowhere.mp4")}).find("there is no such file"), std::string::npos);
  EXPECT_NE(refusal({at("hollow")}).find("holds no pictures"), std::string::npos);
  EXPECT_NE(refusal({at("notes.txt")}).find("is not a picture or video"), std::string::npos);
  EXPECT_NE(refusal({at("broken.png")}).find("broken.png"), std::string::npos);
  EXPECT_NE(refusal({at("no%04d.png")}).find("no file has such a name"), std::string::npos);
  EXPECT_NE(refusal({"camera:x"}).find("is not a camera"), std::string::npos);
  EXPECT_NE(refusal({"camera:987"}).find("there is no such camera"), std::string::npos);
  EXPECT_NE(refusal({"987"}).find("there is no such camera"), std::string::npos);
  EXPECT_NE(refusal({at("broken.png")}, {-3}).find("frames per second"), std::string::npos);
}

}  // namespace
}  // namespace kinema::io
