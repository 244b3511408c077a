// The framing of frames from other programs: what is read, in pieces of any size, and what is refused.
#include "io/sources/stream_format.h"

#include "kinema/error.h"
#include "stream_bytes.h"

#include <gtest/gtest.h>

namespace kinema::io {
namespace {

std::vector<RawFrame> frames_of(const std::string& bytes, std::size_t piece) {
  StreamParser parser;
  std::vector<RawFrame> frames;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    parser.add(std::string_view(bytes).substr(at, piece));
    while (auto frame = parser.next()) frames.push_back(std::move(*frame));
  }
  return frames;
}

std::string refusal(const std::string& bytes) {
  try {
    frames_of(bytes, bytes.size());
  } catch (const Error& error) {
    EXPECT_EQ(error.cause(), Error::Cause::input);
    return error.what();
  }
  return "";
}

std::vector<std::uint16_t> ramp(std::uint16_t first) {
  std::vector<std::uint16_t> units(12);
  for (std::size_t i = 0; i < units.size(); ++i) units[i] = static_cast<std::uint16_t>(first + 257 * i);
  return units;
}

TEST(StreamFormat, DepthComesInPiecesOfAnySize) {
  std::string bytes = stream_header(R"(,"fps":25,"depth":"uint16","depth_scale":0.001,"live":true)");
  bytes += "{\"time\":0.1}\n" + raw_bytes(ramp(1));
  bytes += "{\"time\":0.2,\"taken\":1700000000.5,\"frame\":7}\n" + raw_bytes(ramp(2));
  for (std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{100}, bytes.size()}) {
    const std::vector<RawFrame> frames = frames_of(bytes, piece);
    ASSERT_EQ(frames.size(), 2u) << piece;
    EXPECT_EQ(frames[0].time, 0.1);
    EXPECT_EQ(frames[0].taken, 0);
    EXPECT_FALSE(frames[0].index);
    EXPECT_EQ(frames[0].depth.units, ramp(1));
    EXPECT_EQ(frames[1].taken, 1700000000.5);
    EXPECT_EQ(frames[1].index, 7);
    EXPECT_EQ(frames[1].depth.units, ramp(2));
  }
  StreamParser parser;
  parser.add(bytes);
  ASSERT_TRUE(parser.header());
  EXPECT_TRUE(parser.header()->live);
  EXPECT_EQ(parser.header()->camera.fps, 25);
  EXPECT_EQ(parser.header()->frame_bytes(), 24u);
}

TEST(StreamFormat, RefusesNumbersThatDoNotIncrease) {
  const auto frame = [](const std::string& number) { return "{\"time\":1" + number + "}\n" + raw_bytes(ramp(1)); };
  const std::string header = stream_header(R"(,"depth":"uint16","depth_scale":0.001)");
  const std::string seven = R"(,"frame":7)", eight = R"(,"frame":8)";
  EXPECT_EQ(refusal(header + frame(seven) + frame(eight) + frame("")), "");
  EXPECT_NE(refusal(header + frame(seven) + frame(seven)).find("frame 1 /frame: must be above 7"), std::string::npos);
  EXPECT_NE(refusal(header + frame(eight) + frame(seven)).find("must be above 8"), std::string::npos);
  // one without a number follows the one before
  EXPECT_NE(refusal(header + frame(seven) + frame("") + frame(eight)).find("must be above 8"), std::string::npos);
}

TEST(StreamFormat, MetresColourAndPairs) {
  const std::vector<float> metres(12, 1.25f);
  const std::vector<std::uint8_t> rgb = [] {
    std::vector<std::uint8_t> pixels(36);
    for (std::size_t i = 0; i < 36; ++i) pixels[i] = static_cast<std::uint8_t>(i);
    return pixels;
  }();
  auto frames = frames_of(
      stream_header(R"(,"depth":"float32","colour":"rgb")") + "{\"time\":1}\n" + raw_bytes(metres) + raw_bytes(rgb),
      50);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].metres, metres);
  EXPECT_EQ(frames[0].colour.bgr[0], 2);
  EXPECT_EQ(frames[0].colour.bgr[2], 0);

  const std::vector<std::uint8_t> left(12, 10), right(12, 20);
  frames = frames_of(
      stream_header(R"(,"pair":"grey","baseline":0.1)") + "{\"time\":1}\n" + raw_bytes(left) + raw_bytes(right), 1000);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].left.bgr, std::vector<std::uint8_t>(36, 10));
  EXPECT_EQ(frames[0].right.bgr, std::vector<std::uint8_t>(36, 20));

  frames = frames_of("{\"kinema\":1,\"width\":4,\"height\":3,\"colour\":\"bgr\"}\n{\"time\":1}\n" + raw_bytes(rgb), 9);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].colour.bgr, rgb);
}

TEST(StreamFormat, SaysWhereItEndedEarly) {
  StreamParser parser;
  parser.add(stream_header(R"(,"depth":"uint16")"));
  EXPECT_FALSE(parser.inside_frame());
  parser.add("{\"time\":1}\n123");
  EXPECT_FALSE(parser.next());
  EXPECT_TRUE(parser.inside_frame());
  parser.add(std::string(21, ' '));
  EXPECT_TRUE(parser.next());
  EXPECT_FALSE(parser.inside_frame());
  parser.add("{\"end\":true}\nwhatever");
  EXPECT_FALSE(parser.next());
  EXPECT_TRUE(parser.ended());
  EXPECT_FALSE(parser.inside_frame());
}

TEST(StreamFormat, RefusesWhatIsNoStream) {
  const auto says = [](const std::string& bytes, const std::string& words) {
    const std::string message = refusal(bytes);
    EXPECT_NE(message.find(words), std::string::npos) << "wanted: " << words << "\nsays: " << message;
  };
  says("\x89PNG\r\n\x1a\n", "the header is not JSON");
  says("{}\n", "the header begins with something else");
  says(std::string(70000, 'x'), "no line of JSON within");
  says("{\"kinema\":2}\n", "must be 1");
  says(stream_header(""), "none of \"depth\", \"pair\" and \"colour\"");
  says(stream_header(R"(,"depth":"uint16","pair":"grey")"), "both \"depth\" and \"pair\"");
  says(stream_header(R"(,"depth":"int8")"), "must be \"uint16\" or \"float32\"");
  says(stream_header(R"(,"depth":"uint16","dpeth_scale":0.001)"), "dpeth_scale");
  says(stream_header(R"(,"depth":"uint16","fps":-1)"), "must be from 0");
  says(stream_header(R"(,"pair":"yuv")"), "must be \"grey\", \"bgr\" or \"rgb\"");
  says("{\"kinema\":1,\"width\":0,\"height\":3,\"colour\":\"bgr\"}\n", "must be from 1 to 16384");
  says("{\"kinema\":1,\"width\":4,\"height\":3,\"depth\":\"uint16\"}\n", "has no \"fx\"");
  const std::string header = stream_header(R"(,"depth":"uint16")"), frame = "{\"time\":1}\n" + std::string(24, ' ');
  says(header + frame + "{}\n", "frame 1 has no \"time\"");
  says(header + "{\"time\":\"now\"}\n", "frame 0 /time: is text");
  says(header + "{\"time\":1,\"frame\":-4}\n", "must be from 0");
  says(header + "[]\n", "frame 0 begins with no JSON object");
}

}  // namespace
}  // namespace kinema::io
