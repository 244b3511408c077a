// What is not a BVH file is refused with one line that names the file and the line in it.
#include "io/motion/bvh.h"

#include "kinema/error.h"
#include "mutation.h"
#include "refusal.h"
#include "scratch_folder.h"
#include "small_bvh.h"

#include <gtest/gtest.h>

namespace kinema::io {
namespace {

std::string message_of(const std::filesystem::path& path) {
  try {
    read_bvh(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.cause(), Error::Cause::input);
    const std::string message = error.what();
    EXPECT_EQ(message.rfind(path.string() + ":", 0), 0u) << message;
    EXPECT_LT(message.size(), path.string().size() + 300) << message;
    return message.substr(path.string().size());
  }
  return "";
}

struct Refusal {
  const char* name;
  std::string text;
  std::string says;
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

class BvhRefuses : public testing::TestWithParam<Refusal> {};

TEST_P(BvhRefuses, WithTheLine) {
  const ScratchFolder folder;
  const std::string message = message_of(folder.write("clip.bvh", GetParam().text));
  EXPECT_NE(message.find(GetParam().says), std::string::npos) << "says: " << message;
}

std::string joints(const std::string& what, const std::string& with) {
  return replaced(small_hierarchy, what, with) + small_motion;
}
std::string motion(const std::string& what, const std::string& with) {
  return small_hierarchy + replaced(small_motion, what, with);
}
std::string nested(int depth) {
  std::string text = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\n";
  for (int i = 0; i < depth; ++i) text += "JOINT b\n{\nOFFSET 0 0 0\nCHANNELS 0\n";
  return text;
}

const Refusal refusals[] = {
    {"Empty", "", ": is empty"},
    {"OtherFormat", "; FBX 7.3.0 project file\n", ":1: is not a BVH file"},
    {"Binary", std::string("Kaydara FBX Binary  \0\x1a\0", 23), ":1: is not a BVH file"},
    {"NoRoot", "HIERARCHY\nMOTION\n", ":2: needs 'ROOT' after HIERARCHY, not 'MOTION'"},
    {"NoName", "HIERARCHY\nROOT\n{\n", ":2: a joint has no name"},
    {"NoBrace", "HIERARCHY\nROOT Hips\nOFFSET 0 0 0\n", ":3: needs '{' after joint Hips"},
    {"EndsInJoints", "HIERARCHY\nROOT Hips\n{\n", "the file ends within joint Hips"},
    {"SecondRoot", joints("  JOINT Spine", "  ROOT Spine"), ":6: 'ROOT' is not expected in joint Hips"},
    {"NoOffset", joints("    OFFSET 0 2 0\n", ""), "joint Spine has no OFFSET"},
    {"TwoOffsets", joints("    OFFSET 0 2 0\n", "    OFFSET 0 2 0\n    OFFSET 0 2 0\n"),
     ":9: 'OFFSET' is not expected"},
    {"ShortOffset", joints("OFFSET 0 2 0", "OFFSET 0 2"), ":8: OFFSET needs three numbers"},
    {"OffsetIsWord", joints("OFFSET 0 2 0", "OFFSET 0 two 0"), ":8: OFFSET is 'two', which is not a number"},
    {"OffsetIsNan", joints("OFFSET 0 2 0", "OFFSET 0 nan 0"), ":8: OFFSET is nan: it must be finite"},
    {"OffsetIsHuge", joints("OFFSET 0 2 0", "OFFSET 0 1e300 0"), ":8: OFFSET is 1e300"},
    {"DecimalComma", joints("OFFSET 0 2 0", "OFFSET 0 2,0 0"), ":8: OFFSET is '2,0'"},
    {"NoChannels", joints("    CHANNELS 3 Zrotation Yrotation Xrotation\n", ""), "joint Spine has no CHANNELS"},
    {"ManyChannels", joints("CHANNELS 3 Z", "CHANNELS 99999999999 Z"),
     ":9: 99999999999 CHANNELS: a joint has at most 6"},
    {"NegativeChannels", joints("CHANNELS 3 Z", "CHANNELS -3 Z"), ":9: the number of CHANNELS is '-3'"},
    {"FewChannels", joints("CHANNELS 3 Z", "CHANNELS 4 Z"), ":9: names 3 of 4 CHANNELS"},
    {"MoreChannels", joints("CHANNELS 3 Z", "CHANNELS 2 Z"), ":9: goes on with 'Xrotation' after 2 CHANNELS"},
    {"OddChannel", joints("Zrotation", "Wrotation"), ":5: channel 'Wrotation' is not known"},
    {"ChannelTwice", joints("CHANNELS 3 Zrotation Y", "CHANNELS 3 Yrotation Y"), ":9: channel Yrotation stands twice"},
    {"OddEndSite", joints("      {\n        OFFSET", "      {\n        CHANNELS"),
     ":16: needs 'OFFSET' in an End Site"},
    {"ManyJoints", nested(1100), "more than 1024 joints"},
    {"DeepAndOpen", nested(900), "the file ends within joint b"},
    {"NothingMoves", nested(0) + "}\nMOTION\nFrames: 1\nFrame Time: 1\n0\n", "none of the joints has a channel"},
    {"NoMotion", small_hierarchy, "needs 'MOTION' after the joints, not 'the end'"},
    {"NoFrames", motion("Frames: 2\n", ""), "needs 'Frames:' after MOTION, not 'Frame'"},
    {"ZeroFrames", motion("Frames: 2", "Frames: 0"), "has no Frames"},
    {"NegativeFrames", motion("Frames: 2", "Frames: -1"), "the number of Frames is '-1'"},
    {"AbsurdFrames", motion("Frames: 2", "Frames: 18446744073709551615"), "cut short: 18446744073709551615 frames"},
    {"FramesPast64Bits", motion("Frames: 2", "Frames: 99999999999999999999999"), "which is not a whole number"},
    {"FewFrames", motion("Frames: 2", "Frames: 3"), "cut short"},
    {"MoreFrames", motion("Frames: 2", "Frames: 1"), ":25: goes on after its 1 frames"},
    {"NoFrameTime", motion("Frame Time: .0083333", "Frame Time:"), "the Frame Time is ''"},
    {"ZeroFrameTime", motion(".0083333", "0"), ":23: the Frame Time is 0"},
    {"NegativeFrameTime", motion(".0083333", "-1"), "the Frame Time is -1"},
    {"ShortFrame", motion("1 2 3 90 0 0 0 0 90 0 0 0", "1 2 3 90 0 0 0 0 90 0 0"),
     ":25: frame 1 has 11 numbers where 12 channels are declared"},
    {"LongFrame", motion("1 2 3 0", "1 2 3 4 0"), ":24: frame 0 has more than the 12 numbers"},
    {"FrameWithNan", motion("1 2 3 0", "1 nan 3 0"), ":24: a number of this frame is nan: it must be finite"},
    {"FrameWithInfinity", motion("1 2 3 0", "1 -inf 3 0"), ":24: a number of this frame is -inf"},
    {"FrameWithWord", motion("1 2 3 0", "1 - 3 0"), ":24: a number of this frame is '-', which is not a number"},
    {"CutWithinANumber", (small_hierarchy + small_motion).substr(0, (small_hierarchy + small_motion).size() - 4),
     "cut short"},
};

INSTANTIATE_TEST_SUITE_P(Bvh, BvhRefuses, testing::ValuesIn(refusals),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(BvhRefusal, OfWhatIsNoFile) {
  const ScratchFolder folder;
  EXPECT_EQ(message_of(folder / "none.bvh"), ": there is no such file");
  EXPECT_EQ(message_of(folder.path()), ": is a folder, not a file");
  EXPECT_NE(message_of("/dev/null").find("is not an ordinary file"), std::string::npos);
}

// Whatever stands in a file: a motion that fills what it declares, or an Error of one printable line.
TEST(BvhRefusal, MutatedFilesAreReadConsistentlyOrRefused) {
  const ScratchFolder folder;
  Mutation mutation(4242);
  const std::string pieces[] = {
      "{", "}", "\n",  " ",     "JOINT x\n{\n", "End Site",           "OFFSET 1 2 3\n",     "CHANNELS",
      "9", "-", "nan", "1e999", "MOTION",       "Frames: 4294967296", std::string(1, '\0'), "\xff"};
  std::size_t read = 0, refused = 0;
  for (int round = 0; round < 3000; ++round) {
    const auto path = folder.write("m.bvh", mutation.of(small_hierarchy + small_motion, pieces));
    try {
      const Bvh bvh = read_bvh(path);
      ASSERT_EQ(bvh.values.size(), bvh.frames * bvh.channels);
      for (double value : bvh.values) ASSERT_TRUE(std::isfinite(value));
      for (std::size_t j = 0; j < bvh.joints.size(); ++j) ASSERT_LT(bvh.joints[j].parent, static_cast<int>(j));
      bvh_places(bvh, 0.5);
      ++read;
    } catch (const Error& error) {
      expect_line_about(path, error.what());
      ++refused;
    }
  }
  EXPECT_GT(read, 40u);
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace kinema::io
