// Depth images and pictures come back as they were written, and what is neither is refused.
#include "io/pictures/image_file.h"

#include "refusal.h"
#include "scratch_folder.h"

#include <limits>
#include <numeric>

namespace kinema::io {
namespace {

DepthImage ramp(int width, int height) {
  DepthImage image{width, height, std::vector<std::uint16_t>(static_cast<std::size_t>(width) * height)};
  std::iota(image.units.begin(), image.units.end(), static_cast<std::uint16_t>(65000));
  return image;
}

TEST(ImageFile, KeepsAllSixteenBitsOfDepth) {
  const ScratchFolder folder;
  const DepthImage image = ramp(37, 29);  // past 65535 and on from 0
  write_depth_png(folder / "d.png", image);
  const DepthImage read = read_depth_image(folder / "d.png");
  EXPECT_EQ(read.width, 37);
  EXPECT_EQ(read.height, 29);
  EXPECT_EQ(read.units, image.units);
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(ImageFile, KeepsPictures) {
  const ScratchFolder folder;
  Picture picture{5, 4, std::vector<std::uint8_t>(60)};
  std::iota(picture.bgr.begin(), picture.bgr.end(), static_cast<std::uint8_t>(100));
  write_picture_png(folder / "p.png", picture);
  const Picture read = read_picture(folder / "p.png");
  EXPECT_EQ(read.width, 5);
  EXPECT_EQ(read.bgr, picture.bgr);
}

TEST(ImageFile, TurnsMetresToUnitsAndBack) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> metres = {0, 1.5f, 0.0014f, -2, nan, 70};
  const DepthImage image = units_of(metres, 3, 2, 0.001);
  EXPECT_EQ(image.units, (std::vector<std::uint16_t>{0, 1500, 1, 0, 0, 0}));
  EXPECT_EQ(metres_of(image, 0.001), (std::vector<float>{0, 1.5f, 0.001f, 0, 0, 0}));
  EXPECT_NE(refusal_of([&] { units_of(metres, 4, 2, 0.001); }), "");
}

TEST(ImageFile, RefusesDepthOfEightBits) {
  const ScratchFolder folder;
  write_picture_png(folder / "p.png", {2, 2, std::vector<std::uint8_t>(12, 7)});
  expect_refusal(folder / "p.png", "holds 8-bit pixels of 3 channels", [&] { read_depth_image(folder / "p.png"); });
}

TEST(ImageFile, RefusesWhatIsCutShortDamagedOrNoPicture) {
  const ScratchFolder folder;
  write_depth_png(folder / "right.png", ramp(64, 48));
  const std::string bytes = bytes_of(folder / "right.png");
  std::string damaged = bytes, huge = bytes;
  damaged[bytes.size() / 2] = static_cast<char>(damaged[bytes.size() / 2] ^ 4);
  // 2^30 x 48 pixels, with the checksum that goes with it
  huge.replace(16, 4, std::string("\x40\0\0\0", 4));
  const struct {
    std::string content, says;
  } wrong[] = {{"", "is empty"},
               {bytes.substr(0, bytes.size() / 2), "is cut short"},
               {bytes.substr(0, bytes.size() - 1), "is cut short"},
               {bytes.substr(0, 8), "is cut short"},
               {damaged, "is damaged"},
               {huge, "is damaged"},
               {"no picture at all", "is not a picture"}};
  for (const auto& [content, says] : wrong) {
    const auto path = folder.write("d.png", content);
    expect_refusal(path, says, [&] { read_depth_image(path); });
    expect_refusal(path, says, [&] { read_picture(path); });
  }
  expect_refusal(folder / "none.png", "there is no such file", [&] { read_picture(folder / "none.png"); });
  expect_refusal(folder.path(), "is a folder", [&] { read_depth_image(folder.path()); });
}

}  // namespace
}  // namespace kinema::io
