#include "io/cameras/charuco.h"

#include "io/files/input_file.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <opencv2/aruco.hpp>
#include <opencv2/aruco/charuco.hpp>

#include <array>
#include <utility>

namespace kinema::io {
namespace {

constexpr std::array<std::pair<const char*, int>, 17> dictionaries{{
    {"4x4_50", cv::aruco::DICT_4X4_50},
    {"4x4_100", cv::aruco::DICT_4X4_100},
    {"4x4_250", cv::aruco::DICT_4X4_250},
    {"4x4_1000", cv::aruco::DICT_4X4_1000},
    {"5x5_50", cv::aruco::DICT_5X5_50},
    {"5x5_100", cv::aruco::DICT_5X5_100},
    {"5x5_250", cv::aruco::DICT_5X5_250},
    {"5x5_1000", cv::aruco::DICT_5X5_1000},
    {"6x6_50", cv::aruco::DICT_6X6_50},
    {"6x6_100", cv::aruco::DICT_6X6_100},
    {"6x6_250", cv::aruco::DICT_6X6_250},
    {"6x6_1000", cv::aruco::DICT_6X6_1000},
    {"7x7_50", cv::aruco::DICT_7X7_50},
    {"7x7_100", cv::aruco::DICT_7X7_100},
    {"7x7_250", cv::aruco::DICT_7X7_250},
    {"7x7_1000", cv::aruco::DICT_7X7_1000},
    {"original", cv::aruco::DICT_ARUCO_ORIGINAL},
}};

cv::Ptr<cv::aruco::Dictionary> dictionary_of(const CalibrationBoard& board) {
  for (const auto& [name, number] : dictionaries) {
    if (board.dictionary == name) return cv::aruco::getPredefinedDictionary(number);
  }
  throw Error(fmt::format("'{}' is not a dictionary of markers: OpenCV has 4x4_50 to 7x7_1000, such as 5x5_100",
                          printable(board.dictionary)));
}

cv::Ptr<cv::aruco::CharucoBoard> charuco_board(const CalibrationBoard& board) {
  return cv::aruco::CharucoBoard::create(board.columns + 1, board.rows + 1, static_cast<float>(board.square),
                                         static_cast<float>(board.marker), dictionary_of(board));
}

}  // namespace

void check_charuco(const CalibrationBoard& board) {
  const int markers = (board.columns + 1) * (board.rows + 1) / 2, known = dictionary_of(board)->bytesList.rows;
  if (markers > known) {
    throw Error(
        fmt::format("the board has {} markers, and the dictionary {} only {}", markers, board.dictionary, known));
  }
}

std::vector<NumberedCorner> charuco_corners(const cv::Mat& grey, const CalibrationBoard& board) {
  const cv::Ptr<cv::aruco::CharucoBoard> charuco = charuco_board(board);
  std::vector<std::vector<cv::Point2f>> markers, rejected;
  std::vector<int> ids, numbers;
  cv::aruco::detectMarkers(grey, charuco->dictionary, markers, ids, cv::aruco::DetectorParameters::create(), rejected);
  if (ids.empty()) return {};
  cv::aruco::refineDetectedMarkers(grey, charuco, markers, ids, rejected);
  std::vector<cv::Point2f> corners;
  cv::aruco::interpolateCornersCharuco(markers, ids, grey, charuco, corners, numbers);
  std::vector<NumberedCorner> found;
  for (std::size_t i = 0; i < numbers.size(); ++i) found.push_back({numbers[i], corners[i].x, corners[i].y});
  return found;
}

}  // namespace kinema::io
