// What a few bytes may claim: pictures, videos, cameras and streams of too many pixels are refused before anything is decoded.
#include "io/cameras/camera_file.h"
#include "io/files/checksum.h"
#include "io/files/input_file.h"
#include "io/pictures/image_file.h"
#include "io/pictures/video_capture.h"
#include "io/sources/stream_format.h"

#include "refusal.h"
#include "scratch_folder.h"

#include <fmt/format.h>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio.hpp>

#include <span>

namespace kinema::io {
namespace {

std::string number(std::uint32_t value, int bytes, bool big_endian) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * (big_endian ? bytes - 1 - i : i) & 255);
  return text;
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string sum = type + data;
  return number(static_cast<std::uint32_t>(data.size()), 4, true) + sum +
         number(crc32(std::as_bytes(std::span(sum))), 4, true);
}

// Black and white, with as many bytes as could hold it.
std::string png(std::uint32_t width, std::uint32_t height) {
  const std::size_t compressed = std::size_t{width} * height / 8 / 1000 + 100;
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR", number(width, 4, true) + number(height, 4, true) + std::string("\1\0\0\0\0", 5)) +
         chunk("IDAT", std::string(compressed, 'x')) + chunk("IEND", "");
}

// A comment, a fill byte, and the frame.
std::string jpeg(std::uint32_t width, std::uint32_t height) {
  return std::string("\xff\xd8\xff\xfe\0\4\xff\xc0", 8) + std::string("\xff\xff\xc2\0\x0b\x08", 6) +
         number(height, 2, true) + number(width, 2, true) + std::string("\1\1\x11\0", 4);
}

// `more`: another entry of the directory, such as the size of tiles.
std::string tiff(std::uint32_t width, std::uint32_t height, bool big_endian, int bytes = 4,
                 std::pair<std::uint32_t, std::uint32_t> more = {258, 8}) {
  const auto two = [&](std::uint32_t value) { return number(value, 2, big_endian); };
  const auto entry = [&](std::uint32_t tag, std::uint32_t value) {
    return two(tag) + two(bytes == 4 ? 4 : 3) + number(1, 4, big_endian) + number(value, bytes, big_endian) +
           std::string(static_cast<std::size_t>(4 - bytes), '\0');
  };
  return (big_endian ? "MM" : "II") + two(42) + number(8, 4, big_endian) + two(3) + entry(256, width) +
         entry(257, height) + entry(more.first, more.second) + number(0, 4, big_endian);
}

std::string bmp(std::uint32_t width, std::uint32_t height) {
  return "BM" + std::string(12, '\0') + number(40, 4, false) + number(width, 4, false) + number(height, 4, false);
}

std::string old_bmp(std::uint32_t width, std::uint32_t height) {
  return "BM" + std::string(12, '\0') + number(12, 4, false) + number(width, 2, false) + number(height, 2, false);
}

TEST(PixelLimit, IsFoundInTheHeaderOfEachFormat) {
  const std::string says = "has 30000 x 20000 pixels, where at most 128 million are read: scale it down";
  const std::string pictures[] = {
      png(30000, 20000),
      jpeg(30000, 20000),
      tiff(30000, 20000, false),
      tiff(30000, 20000, true),
      tiff(30000, 20000, true, 2),
      tiff(30000, 20, false, 2, {323, 20000}),
      bmp(30000, 20000),
      bmp(30000, static_cast<std::uint32_t>(-20000)),
      old_bmp(30000, 20000),
      "P5\n30000 20000\n255\n",
      "P6 # 1 1\n\t30000 # 1\n20000 255\n",
      "P4\n30000 20000\n",
  };
  for (const std::string& bytes : pictures) {
    const std::string start = printable(bytes, 8);
    EXPECT_EQ(refusal_of([&] { check_picture(bytes); }), says) << start;
    EXPECT_EQ(refusal_of([&] { decoded_picture(bytes); }), says) << start;
    EXPECT_EQ(refusal_of([&] { decoded_depth(bytes); }), says) << start;
  }
  // one phone's, and the largest
  EXPECT_EQ(refusal_of([&] { check_picture(jpeg(12000, 9000)); }), "");
  EXPECT_EQ(refusal_of([&] { check_picture(bmp(128'000'000, 1)); }), "");
  EXPECT_NE(refusal_of([&] { check_picture(bmp(128'000'001, 1)); }), "");
  EXPECT_NE(refusal_of([&] { check_picture(tiff(0xffffffff, 0xffffffff, false)); }), "");
}

TEST(PixelLimit, AHeaderThatStatesNoSizeIsRefused) {
  const std::string pictures[] = {
      jpeg(30000, 20000).substr(0, 16),  // ends within its frame
      std::string("\xff\xd8\xff\xda\0\2", 6) + jpeg(2, 2).substr(8),
      "\xff\xd8\xff",
      tiff(2, 2, false).substr(0, 20),
      tiff(2, 2, false, 4, {258, 0}).replace(4, 4, "\xff\xff\xff\xff"),
      "BM",
      "P5\n2",
      "P5\n2 2#9\n",
      "P5\n2 99999999999 255\n",
      "P5 #",
  };
  for (const std::string& bytes : pictures) {
    EXPECT_NE(refusal_of([&] { check_picture(bytes); }), "") << printable(bytes);
  }
  for (const std::string& bytes :
       {std::string("P7\n2 2\n"), std::string("RIFF1234WEBPVP8 "), std::string("P5x2 2 255\n")})
    EXPECT_NE(refusal_of([&] { check_picture(bytes); }).find("is not a picture that kinema reads"), std::string::npos);
}

// The headers of OpenCV's own files are read as OpenCV reads them.
TEST(PixelLimit, PicturesAsTheyAreWrittenPass) {
  const cv::Mat grey(3, 5, CV_8U, cv::Scalar(7)), deep(3, 5, CV_16U, cv::Scalar(700));
  for (const char* ending : {".png", ".jpg", ".tif", ".bmp", ".pgm"}) {
    for (const cv::Mat& image : {grey, deep}) {
      std::vector<unsigned char> bytes;
      if (!cv::imencode(ending, image, bytes)) continue;
      const Picture picture = decoded_picture({bytes.begin(), bytes.end()});
      EXPECT_EQ(picture.width, 5) << ending;
      EXPECT_EQ(picture.height, 3) << ending;
    }
  }
}

TEST(PixelLimit, HoldsForVideos) {
  const ScratchFolder folder;
  const auto film = [&](const char* name, cv::Size size) {
    cv::VideoWriter writer((folder / name).string(), cv::CAP_FFMPEG, cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 10,
                           size);
    EXPECT_TRUE(writer.isOpened());
    writer.write(cv::Mat(size, CV_8UC3, cv::Scalar(9, 9, 9)));
    return folder / name;
  };
  const auto large = film("large.avi", {8000, 5008});
  expect_refusal(large, "has 8000 x 5008 pixels, where at most 40 million are read: scale it down",
                 [&] { VideoFile(large, VideoFile::Content::colour); });
  const auto usual = film("usual.avi", {640, 480});
  EXPECT_EQ(VideoFile(usual, VideoFile::Content::colour).width(), 640);
}

TEST(PixelLimit, HoldsForCamerasAndStreams) {
  const ScratchFolder folder;
  const auto path = folder.write(
      "camera.json", R"({"width":16384,"height":16384,"fx":9,"fy":9,"cx":1,"cy":1,"fps":30,"depth_scale":0.001})");
  expect_refusal(path, "has 16384 x 16384 pixels, where at most 40 million are read: scale it down",
                 [&] { read_camera_json(path, CameraUse::depth); });
  for (const std::string& holds :
       {std::string(R"("colour":"bgr")"),
        std::string(R"("depth":"uint16","fx":9,"fy":9,"cx":1,"cy":1,"depth_scale":0.001)")}) {
    StreamParser parser;
    EXPECT_EQ(
        refusal_of([&] { parser.add(fmt::format("{{\"kinema\":1,\"width\":16384,\"height\":16384,{}}}\n", holds)); }),
        "the header has 16384 x 16384 pixels, where at most 40 million are read: scale it down");
  }
}

}  // namespace
}  // namespace kinema::io
