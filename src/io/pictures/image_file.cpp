#include "io/pictures/image_file.h"

#include "io/files/input_file.h"
#include "io/files/output_file.h"
#include "io/pictures/opencv_quiet.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <string>

namespace kinema::io {
namespace {

constexpr std::size_t largest_image_file = std::size_t{1} << 30;

cv::Mat decode(const std::string& bytes, int flags) {
  check_picture(bytes);
  const QuietOpenCV quiet;
  cv::Mat image;
  try {
    // OpenCV takes no const data, but does not modify it
    const cv::Mat data(1, static_cast<int>(bytes.size()), CV_8UC1, const_cast<char*>(bytes.data()));
    image = cv::imdecode(data, flags);
  } catch (const cv::Exception& error) {
    throw Error(fmt::format("cannot be decoded: {}", one_line(error.err)));
  }
  if (image.empty()) throw Error("is not a picture that OpenCV can decode, or is damaged");
  return image;
}

cv::Mat read_image(const std::filesystem::path& path, int flags) {
  return naming(path, [&] { return decode(read_bytes(path, largest_image_file), flags); });
}

template <class T>
std::vector<T> elements(const cv::Mat& image) {
  const cv::Mat whole = image.isContinuous() ? image : image.clone();
  const auto* first = reinterpret_cast<const T*>(whole.data);
  return {first, first + whole.total() * static_cast<std::size_t>(whole.channels())};
}

cv::Mat view(const Picture& picture) {
  return {picture.height, picture.width, CV_8UC3, const_cast<std::uint8_t*>(picture.bgr.data())};
}

std::string encoded(const cv::Mat& image, const char* format, const std::vector<int>& parameters = {}) {
  std::vector<unsigned char> bytes;
  try {
    if (!cv::imencode(format, image, bytes, parameters)) {
      throw Error("OpenCV cannot encode it", Error::Cause::running);
    }
  } catch (const cv::Exception& error) {
    throw Error(fmt::format("cannot be encoded: {}", one_line(error.err)), Error::Cause::running);
  }
  return {bytes.begin(), bytes.end()};
}

void write_png(const std::filesystem::path& path, const cv::Mat& image) {
  OutputFile file(path);
  naming(path, [&] { file.write(encoded(image, ".png")); });
  file.commit();
}

void check_size(std::size_t have, int width, int height, std::size_t channels) {
  if (width < 1 || height < 1 ||
      have != static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * channels) {
    throw Error(fmt::format("{} numbers are no image of {} x {} pixels", have, width, height));
  }
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

// Transparent pixels become middle grey. Alpha is not brightness: each keeps its own range.
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

DepthImage read_depth_image(const std::filesystem::path& path) {
  return naming(path, [&] { return decoded_depth(read_bytes(path, largest_image_file)); });
}

Picture read_picture(const std::filesystem::path& path) {
  const cv::Mat image = read_image(path, cv::IMREAD_COLOR);
  return {image.cols, image.rows, elements<std::uint8_t>(image)};
}

Picture read_face_picture(const std::filesystem::path& path) {
  try {
    const std::string bytes = read_bytes(path, largest_image_file);
    // a JPEG stores its orientation, which only the colour reader applies
    const bool jpeg = bytes.size() > 2 && bytes[0] == '\xff' && bytes[1] == '\xd8';
    const cv::Mat image = colour_of(decode(bytes, jpeg ? cv::IMREAD_COLOR : cv::IMREAD_UNCHANGED));
    return {image.cols, image.rows, {image.data, image.data + image.total() * 3}};
  } catch (const Error& error) {
    throw about(path, error);
  } catch (const cv::Exception& error) {
    throw about(path, Error(fmt::format("cannot be converted: {}", one_line(error.err))));
  }
}

Picture resized(const Picture& picture, int width, int height) {
  Picture result{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width) * height * 3)};
  cv::Mat to(height, width, CV_8UC3, result.bgr.data());
  cv::resize(view(picture), to, to.size(), 0, 0, width < picture.width ? cv::INTER_AREA : cv::INTER_LINEAR);
  return result;
}

void write_depth_png(const std::filesystem::path& path, const DepthImage& image) {
  check_size(image.units.size(), image.width, image.height, 1);
  write_png(path, {image.height, image.width, CV_16UC1, const_cast<std::uint16_t*>(image.units.data())});
}

void write_picture_png(const std::filesystem::path& path, const Picture& picture) {
  check_size(picture.bgr.size(), picture.width, picture.height, 3);
  write_png(path, view(picture));
}

Picture decoded_picture(const std::string& bytes) {
  const cv::Mat image = decode(bytes, cv::IMREAD_COLOR);
  return {image.cols, image.rows, elements<std::uint8_t>(image)};
}

DepthImage decoded_depth(const std::string& bytes) {
  const cv::Mat image = decode(bytes, cv::IMREAD_UNCHANGED);
  if (image.type() != CV_16UC1) {
    const char* type = image.depth() == CV_8U ? "8-bit" : image.depth() == CV_16U ? "16-bit" : "other";
    throw Error(fmt::format("holds {} pixels of {} channel{}; depth needs one channel of 16 bits: save it as uint16",
                            type, image.channels(), image.channels() == 1 ? "" : "s"));
  }
  return {image.cols, image.rows, elements<std::uint16_t>(image)};
}

std::string encoded_png(const DepthImage& image) {
  check_size(image.units.size(), image.width, image.height, 1);
  return encoded({image.height, image.width, CV_16UC1, const_cast<std::uint16_t*>(image.units.data())}, ".png");
}

std::string encoded_png(const Picture& picture) {
  check_size(picture.bgr.size(), picture.width, picture.height, 3);
  return encoded(view(picture), ".png");
}

std::string encoded_jpeg(const Picture& picture) {
  check_size(picture.bgr.size(), picture.width, picture.height, 3);
  return encoded(view(picture), ".jpg", {cv::IMWRITE_JPEG_QUALITY, 95});
}

}  // namespace kinema::io
