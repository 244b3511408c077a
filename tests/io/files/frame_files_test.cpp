// Files come in the order of their numbers, and a number that is missing is there as a missing frame.
#include "io/files/frame_files.h"

#include "refusal.h"
#include "scratch_folder.h"

#include <fmt/format.h>

namespace kinema::io {
namespace {

void write(const ScratchFolder& folder, std::initializer_list<const char*> names) {
  for (const char* name : names) folder.write(name, "x");
}

// "0:a.png 1!b.png", ! for a missing one
std::string text(const FrameSequence& sequence) {
  std::string all;
  for (const FrameFile& frame : sequence.frames) {
    if (!all.empty()) all += ' ';
    all += fmt::format("{}{}{}", frame.index, frame.missing ? '!' : ':', frame.path.filename().string());
  }
  return all;
}

TEST(FrameFiles, AreOrderedByNumberWithWhatIsMissing) {
  const ScratchFolder folder;
  write(folder, {"000002.png", "000005.png", "000003.png", ".hidden.png", "notes.txt", "Thumbs.db"});
  const FrameSequence sequence = list_folder(folder.path(), FileKind::picture);
  EXPECT_TRUE(sequence.numbered);
  EXPECT_EQ(text(sequence), "2:000002.png 3:000003.png 4!000004.png 5:000005.png");
}

TEST(FrameFiles, NeedNoLeadingZeros) {
  const ScratchFolder folder;
  write(folder, {"scan9.ply", "scan10.ply", "scan12.ply"});
  EXPECT_EQ(text(list_folder(folder.path(), FileKind::cloud)), "9:scan9.ply 10:scan10.ply 11!scan11.ply 12:scan12.ply");
}

TEST(FrameFiles, OfALongSequenceMayStepByMoreThanOne) {
  const ScratchFolder folder;
  for (int i = 0; i < 10; ++i) folder.write(fmt::format("{}.npy", 100 + 5 * i), "x");
  std::filesystem::remove(folder / "115.npy");
  const FrameSequence sequence = list_folder(folder.path(), FileKind::cloud);
  ASSERT_EQ(sequence.frames.size(), 10u);
  EXPECT_EQ(sequence.frames[3].index, 115);
  EXPECT_TRUE(sequence.frames[3].missing);
  EXPECT_FALSE(sequence.frames[4].missing);
}

TEST(FrameFiles, WithoutNumbersComeByName) {
  const ScratchFolder folder;
  write(folder, {"b.xyz", "a.xyz", "c.xyz"});
  EXPECT_EQ(text(list_folder(folder.path(), FileKind::cloud)), "0:a.xyz 1:b.xyz 2:c.xyz");
}

TEST(FrameFiles, MayBeStampedInSeconds) {
  const ScratchFolder folder;
  write(folder, {"1341846093.125.png", "1341846092.000000.png", "1341846092.5.png"});
  const FrameSequence sequence = list_folder(folder.path(), FileKind::picture);
  ASSERT_TRUE(sequence.stamped);
  EXPECT_EQ(text(sequence), "0:1341846092.000000.png 1:1341846092.5.png 2:1341846093.125.png");
  EXPECT_EQ(sequence.frames[2].stamp, 1.125);
}

TEST(FrameFiles, OfTwoSequencesInOneFolderAreRefused) {
  const ScratchFolder folder;
  write(folder, {"000_depth.png", "001_depth.png", "000_mask.png", "001_mask.png"});
  expect_refusal(folder.path(), "holds several sequences, %03d_depth.png and %03d_mask.png",
                 [&] { list_folder(folder.path(), FileKind::picture); });
  EXPECT_EQ(text(list_pattern((folder / "%03d_depth.png").string())), "0:000_depth.png 1:001_depth.png");
}

TEST(FrameFiles, OfOneNumberTwiceAreRefused) {
  const ScratchFolder folder;
  write(folder, {"1.npy", "2.npy", "2.ply"});
  expect_refusal(folder / "2.ply", "has the same number as 2.npy",
                 [&] { list_folder(folder.path(), FileKind::cloud); });
}

TEST(FrameFiles, FarApartAreNoSequence) {
  const ScratchFolder folder;
  write(folder, {"1.npy", "2.npy", "900000000000.npy"});
  expect_refusal(folder / "900000000000.npy", "follows number 2", [&] { list_folder(folder.path(), FileKind::cloud); });
}

TEST(FrameFiles, OfAPattern) {
  const ScratchFolder folder;
  write(folder, {"a0_d.png", "a1_d.png", "a3_d.png", "a03_d.png", "a4_e.png", "b2_d.png", "50%7.png"});
  EXPECT_EQ(text(list_pattern((folder / "a%d_d.png").string())), "0:a0_d.png 1:a1_d.png 2!a2_d.png 3:a3_d.png");
  EXPECT_EQ(text(list_pattern((folder / "50%%%d.png").string())), "7:50%7.png");
  for (const char* wrong : {"%s.png", "%d_%d.png", "%6d.png", "%", "100%", "%0d1%x.png", "%09999d.png"}) {
    const auto pattern = folder / wrong;
    expect_refusal(pattern, "is not a pattern", [&] { list_pattern(pattern.string()); });
  }
  expect_refusal(folder / "c%d.png", "no file has such a name", [&] { list_pattern((folder / "c%d.png").string()); });
}

TEST(FrameFiles, AsGivenKeepTheirGaps) {
  const ScratchFolder folder;
  write(folder, {"01.npy", "02.npy", "04.npy", "a.npy"});
  EXPECT_EQ(text(list_files({folder / "01.npy", folder / "02.npy", folder / "04.npy"})),
            "1:01.npy 2:02.npy 3!03.npy 4:04.npy");
  EXPECT_EQ(text(list_files({folder / "04.npy", folder / "01.npy"})), "0:04.npy 1:01.npy");
  EXPECT_EQ(text(list_files({folder / "04.npy", folder / "a.npy"})), "0:04.npy 1:a.npy");
  expect_refusal(folder / "05.npy", "there is no such file", [&] { list_files({folder / "05.npy"}); });
}

}  // namespace
}  // namespace kinema::io
