#include "io/face_picture.h"

#include "io/input_file.h"
#include "io/opencv_quiet.h"
#include "io/png_structure.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <string>

namespace kinema::io {
namespace {

cv::Mat decode(const std::string& bytes) {
  if (is_png(bytes)) check_png(bytes);
  // a JPEG says in itself how it is to be turned, which only the reader of colour heeds
  const bool jpeg = bytes.size() > 2 && bytes[0] == '\xff' && bytes[1] == '\xd8';
  const QuietOpenCV quiet;
  cv::Mat image;
  try {
    const cv::Mat data(1, static_cast<int>(bytes.size()), CV_8UC1, const_cast<char*>(bytes.data()));
    image = cv::imdecode(data, jpeg ? cv::IMREAD_COLOR : cv::IMREAD_UNCHANGED);
  } catch (const cv::Exception& error) {
    throw Error(fmt::format("cannot be decoded: {}", one_line(error.err)));
  }
  if (image.empty()) throw Error("is no picture that OpenCV can decode, or is damaged");
  return image;
}

cv::Mat eight_bits(const cv::Mat& image) {
  if (image.depth() == CV_8U) return image;
  double brightest = 0;
  cv::minMaxLoc(image.reshape(1), nullptr, &brightest);
  cv::Mat result;
  if (image.depth() == CV_16U) {
    double scale = 1;
    while (brightest * scale >= 256) scale /= 2;
    image.convertTo(result, CV_8U, scale);
  } else if (image.depth() == CV_32F || image.depth() == CV_64F) {
    image.convertTo(result, CV_8U, brightest > 0 && brightest <= 1 ? 255 : 1);
  } else {
    throw Error("holds pixels of a type that no camera gives: save it with 8 or 16 bits");
  }
  return result;
}

// What is transparent shows a middle grey. Transparency is not brightness: each keeps its own range.
cv::Mat over_grey(const cv::Mat& image) {
  std::vector<cv::Mat> planes;
  cv::split(image, planes);
  cv::Mat alpha = planes.back(), colour;
  planes.pop_back();
  cv::merge(planes, colour);
  colour = eight_bits(colour);
  if (alpha.depth() == CV_16U) alpha.convertTo(alpha, CV_8U, 1.0 / 257);
  for (int y = 0; y < image.rows; ++y) {
    for (int x = 0; x < image.cols; ++x) {
      const int cover = alpha.at<std::uint8_t>(y, x);
      for (int c = 0; c < 3; ++c) {
        std::uint8_t& value = colour.at<cv::Vec3b>(y, x)[c];
        value = static_cast<std::uint8_t>((value * cover + 128 * (255 - cover) + 127) / 255);
      }
    }
  }
  return colour;
}

cv::Mat colour_of(const cv::Mat& image) {
  if (image.channels() == 4 && (image.depth() == CV_8U || image.depth() == CV_16U)) return over_grey(image);
  cv::Mat result = eight_bits(image);
  if (result.channels() == 1) cv::cvtColor(result, result, cv::COLOR_GRAY2BGR);
  if (result.channels() != 3) throw Error(fmt::format("has {} channels; a picture has 1, 3 or 4", image.channels()));
  return result.isContinuous() ? result : result.clone();
}

}  // namespace

Picture read_face_picture(const std::filesystem::path& path) {
  try {
    const std::string bytes = read_bytes(path);
    if (bytes.size() > std::size_t{1} << 30) throw Error("is larger than any picture");
    const cv::Mat image = colour_of(decode(bytes));
    return {image.cols, image.rows, {image.data, image.data + image.total() * 3}};
  } catch (const Error& error) {
    throw about(path, error);
  } catch (const cv::Exception& error) {
    throw about(path, Error(fmt::format("cannot be converted: {}", one_line(error.err))));
  }
}

}  // namespace kinema::io
