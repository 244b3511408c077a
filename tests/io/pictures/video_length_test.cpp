// The size that a video says it has, against what is there.
#include "io/pictures/video_capture.h"
#include "scratch_folder.h"

#include <gtest/gtest.h>

#include <fstream>

namespace kinema::io {
namespace {

namespace fs = std::filesystem;

const std::string header_name("\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c", 16);
const std::string properties_name("\xa1\xdc\xab\x8c\x47\xa9\xcf\x11\x8e\xe4\x00\xc0\x0c\x20\x53\x65", 16);

std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 255);
  return text;
}

// A header with an object that is nothing, then the file's properties.
std::string asf(std::uint64_t size, std::uint32_t flags) {
  const std::string other = std::string(16, 'x') + number(24 + 5, 8) + "12345";
  const std::string properties = properties_name + number(104, 8) + std::string(16, 'f') + number(size, 8) +
                                 std::string(40, '\0') + number(flags, 4) + std::string(12, '\0');
  return header_name + number(30 + other.size() + properties.size(), 8) + number(2, 4) + "\x01\x02" + other +
         properties;
}

class VideoLength : public ::testing::Test {
protected:
  fs::path file(const std::string& bytes) const {
    const fs::path path = folder / "video.wmv";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  ScratchFolder folder;
};

TEST_F(VideoLength, IsWhatAnAsfHeaderSays) { EXPECT_EQ(declared_video_bytes(file(asf(2205500, 2))), 2205500u); }

TEST_F(VideoLength, OfAStreamIsNotKnown) { EXPECT_FALSE(declared_video_bytes(file(asf(2205500, 1)))); }

TEST_F(VideoLength, OfAnythingElseIsNotKnown) {
  const std::string whole = asf(1000, 2);
  for (std::size_t bytes = 0; bytes < whole.size() - 12; ++bytes)
    EXPECT_FALSE(declared_video_bytes(file(whole.substr(0, bytes)))) << bytes;
  EXPECT_FALSE(declared_video_bytes(file(std::string(5000, 'x'))));
  EXPECT_FALSE(declared_video_bytes(file(header_name + std::string(5000, '\0'))));  // objects of no length
  EXPECT_FALSE(declared_video_bytes(folder / "nothing.wmv"));
}

}  // namespace
}  // namespace kinema::io
