// In a build without OpenCV but with libpng, recordings of PNG files are read and written; other pictures are refused.
#include "io/pictures/image_file.h"
#include "refusal.h"
#include "scratch_folder.h"

namespace kinema::io {
namespace {

DepthImage slope(int width, int height) {
  DepthImage image{width, height, {}};
  for (int i = 0; i < width * height; ++i) image.units.push_back(static_cast<std::uint16_t>(i * 257));
  return image;
}

TEST(PlainPng, GivesDepthBack) {
  const ScratchFolder folder;
  const DepthImage image = slope(37, 11);
  write_depth_png(folder / "depth.png", image);
  check_png(bytes_of(folder / "depth.png"));
  const DepthImage read = read_depth_image(folder / "depth.png");
  EXPECT_EQ(read.width, image.width);
  EXPECT_EQ(read.height, image.height);
  EXPECT_EQ(read.units, image.units);
}

TEST(PlainPng, GivesColoursBack) {
  Picture picture{5, 3, {}};
  for (int i = 0; i < 5 * 3 * 3; ++i) picture.bgr.push_back(static_cast<std::uint8_t>(5 * i));
  const Picture read = decoded_picture(encoded_png(picture));
  EXPECT_EQ(read.width, 5);
  EXPECT_EQ(read.height, 3);
  EXPECT_EQ(read.bgr, picture.bgr);
}

// the upper byte of each value, three times, as OpenCV has it
TEST(PlainPng, ReadsDepthAsAGreyPicture) {
  const DepthImage image = slope(4, 2);
  const Picture read = decoded_picture(encoded_png(image));
  for (std::size_t i = 0; i < image.units.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(read.bgr[3 * i + c], image.units[i] >> 8);
}

TEST(PlainPng, RefusesEightBitsAsDepth) {
  const std::string bytes = encoded_png(Picture{1, 1, {1, 2, 3}});
  EXPECT_NE(refusal_of([&] { decoded_depth(bytes); }).find("depth needs one channel of 16 bits"), std::string::npos);
}

TEST(PlainPng, RefusesWhatIsCutShortOrNone) {
  const std::string bytes = encoded_png(slope(8, 8));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(refusal_of([&] { decoded_depth(bytes.substr(0, size)); }), "") << size;
  EXPECT_NE(refusal_of([] { decoded_picture("\xff\xd8\xff\xe0"); }).find("this build has no OpenCV"),
            std::string::npos);
}

TEST(PlainPng, RefusesToWriteWhatIsNoImage) {
  EXPECT_NE(refusal_of([] { encoded_png(Picture{2, 2, {1, 2, 3}}); }), "");
  EXPECT_NE(refusal_of([] { encoded_png(DepthImage{}); }), "");
}

}  // namespace
}  // namespace kinema::io
