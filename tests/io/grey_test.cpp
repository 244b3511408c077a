// The library's luma is that of OpenCV to the bit, so that pictures are fitted as before in builds with and without it.
#include "io/pictures/image_file.h"

#include <gtest/gtest.h>
#include <opencv2/imgproc.hpp>

namespace kinema::io {
namespace {

TEST(GreyOf, IsThatOfOpenCvForEveryColour) {
  Picture picture{256, 256, std::vector<std::uint8_t>(3 * 256 * 256)};
  for (int red = 0; red < 256; ++red) {
    for (std::size_t i = 0; i < 256 * 256; ++i) {
      picture.bgr[3 * i] = static_cast<std::uint8_t>(i % 256);
      picture.bgr[3 * i + 1] = static_cast<std::uint8_t>(i / 256);
      picture.bgr[3 * i + 2] = static_cast<std::uint8_t>(red);
    }
    const cv::Mat from(256, 256, CV_8UC3, picture.bgr.data());
    cv::Mat to;
    cv::cvtColor(from, to, cv::COLOR_BGR2GRAY);
    ASSERT_EQ(grey_of(picture).grey, std::vector<std::uint8_t>(to.datastart, to.dataend)) << "red " << red;
  }
}

}  // namespace
}  // namespace kinema::io
