// The text of picture_words.h by OpenCV; no_opencv.cpp replaces it in builds without OpenCV.
#include "io/overlays/picture_words.h"

#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace kinema::io {
namespace {

const cv::Scalar amber{60, 170, 250};

// Hershey fonts are ASCII only.
std::string ascii(std::string_view text) {
  std::string shown;
  for (char c : text.substr(0, 90)) shown += (c >= ' ' && c <= '~') ? c : '?';
  return shown;
}

// The size of letters that fit: smaller ones in narrow images.
double letter_size(const std::string& words, double wanted, int width) {
  int baseline = 0;
  const cv::Size extent = cv::getTextSize(words, cv::FONT_HERSHEY_SIMPLEX, wanted, 1, &baseline);
  return extent.width > width ? wanted * width / extent.width : wanted;
}

}  // namespace

void draw_words(Picture& picture, std::string_view caption, std::string_view alarm) {
  cv::Mat image(picture.height, picture.width, CV_8UC3, picture.bgr.data());
  const double unit = std::max(1.0, std::max(picture.width, picture.height) / 640.0);
  const int margin = static_cast<int>(std::lround(5 * unit));
  int baseline = 0;
  if (!caption.empty()) {
    const std::string words = ascii(caption);
    const double size = letter_size(words, 0.36 * unit, picture.width - 2 * margin);
    const cv::Size extent = cv::getTextSize(words, cv::FONT_HERSHEY_SIMPLEX, size, 1, &baseline);
    const int height = extent.height + 2 * margin;
    cv::Mat under =
        image(cv::Rect(0, image.rows - height, image.cols, height) & cv::Rect(0, 0, image.cols, image.rows));
    under.convertTo(under, -1, 0.35, 6);
    cv::putText(image, words, {margin, image.rows - margin}, cv::FONT_HERSHEY_SIMPLEX, size, {240, 240, 240}, 1,
                cv::LINE_AA);
  }
  if (alarm.empty()) return;
  const std::string words = ascii(alarm);
  const double size = letter_size(words, 0.6 * unit, picture.width - 4 * margin);
  const cv::Size extent = cv::getTextSize(words, cv::FONT_HERSHEY_SIMPLEX, size, 1, &baseline);
  cv::rectangle(image, {margin, margin, extent.width + 2 * margin, extent.height + baseline + margin}, amber,
                cv::FILLED);
  cv::putText(image, words, {2 * margin, margin + margin / 2 + extent.height + baseline / 2}, cv::FONT_HERSHEY_SIMPLEX,
              size, {25, 25, 25}, 1, cv::LINE_AA);
  cv::rectangle(image, {0, 0, image.cols, image.rows}, amber, std::max(1, static_cast<int>(std::lround(2 * unit))));
}

}  // namespace kinema::io
