#include "serve/messages/feed.h"

#include <gtest/gtest.h>

namespace kinema::serve {
namespace {

TEST(PicturePart, ASmallPictureOnlyChangesItsOrder) {
  const io::Picture picture{2, 1, {1, 2, 3, 4, 5, 6}};
  const RgbPicture rgb = rgb_picture(picture, 320);
  EXPECT_EQ(rgb.width, 2U);
  EXPECT_EQ(rgb.rgb, (std::vector<std::uint8_t>{3, 2, 1, 6, 5, 4}));
}

TEST(PicturePart, ALargePictureBecomesTheMeanOfBlocks) {
  io::Picture picture{5, 3, std::vector<std::uint8_t>(45, 0)};
  picture.bgr[0] = 200;  // blue of the first pixel
  const RgbPicture rgb = rgb_picture(picture, 2);
  EXPECT_EQ(rgb.width, 1U);
  EXPECT_EQ(rgb.height, 1U);
  EXPECT_EQ(rgb.rgb, (std::vector<std::uint8_t>{0, 0, 200 / 9}));
}

}  // namespace
}  // namespace kinema::serve
