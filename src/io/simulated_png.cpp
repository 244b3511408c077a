#include "io/simulated_png.h"

#include "kinema/error.h"

#include <opencv2/imgcodecs.hpp>

namespace kinema::io {
namespace {

std::string encoded(const cv::Mat& image) {
  std::vector<unsigned char> bytes;
  if (!cv::imencode(".png", image, bytes)) throw Error("a picture could not be encoded as PNG", Error::Cause::running);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

// OpenCV takes no const data; imencode only reads them.
std::string png_of_depth(ImageView<const std::uint16_t> depth) {
  return encoded(cv::Mat(static_cast<int>(depth.height), static_cast<int>(depth.width), CV_16UC1,
                         const_cast<std::uint16_t*>(depth.data), depth.stride * sizeof(std::uint16_t)));
}

std::string png_of_picture(const Picture& picture) {
  return encoded(cv::Mat(picture.height, picture.width, CV_8UC3, const_cast<std::uint8_t*>(picture.bgr.data())));
}

}  // namespace kinema::io
