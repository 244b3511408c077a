#include "io/cameras/calibration_board.h"

#include "io/cameras/charuco.h"
#include "io/files/input_file.h"
#include "io/pictures/image_file.h"
#include "io/pictures/opencv_quiet.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <opencv2/calib3d.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kinema::io {
namespace {

using Corners = std::vector<cv::Point2f>;

// Fewer common corners of a ChArUco board say little about a view.
constexpr std::size_t fewest_corners = 8;

std::vector<float> floats_of(const Corners& points) {
  std::vector<float> xy;
  for (const cv::Point2f& point : points) xy.insert(xy.end(), {point.x, point.y});
  return xy;
}

std::optional<Corners> chessboard_corners(const cv::Mat& grey, const CalibrationBoard& board) {
  Corners corners;
  // finds corners to a twentieth of a pixel, where corners refined by gradients keep half of their error
  const int flags = cv::CALIB_CB_NORMALIZE_IMAGE | cv::CALIB_CB_ACCURACY;
  if (!cv::findChessboardCornersSB(grey, {board.columns, board.rows}, corners, flags)) return std::nullopt;
  return corners;
}

std::optional<BoardView> find_chessboard(const cv::Mat& left, const cv::Mat& right, const CalibrationBoard& board) {
  const std::optional<Corners> first = chessboard_corners(left, board);
  if (!first) return std::nullopt;
  std::optional<Corners> second = chessboard_corners(right, board);
  if (!second) return std::nullopt;
  // one of them may begin at the other end of the board
  const cv::Point2f along = first->back() - first->front(), other = second->back() - second->front();
  if (along.dot(other) < 0) std::reverse(second->begin(), second->end());
  BoardView view{std::vector<int>(first->size()), floats_of(*first), floats_of(*second), {}};
  std::iota(view.corners.begin(), view.corners.end(), 0);
  return view;
}

std::optional<BoardView> find_charuco(const cv::Mat& left, const cv::Mat& right, const CalibrationBoard& board) {
  const std::vector<NumberedCorner> first = charuco_corners(left, board);
  if (first.size() < fewest_corners) return std::nullopt;
  BoardView view;
  for (const NumberedCorner& other : charuco_corners(right, board)) {
    const auto own =
        std::find_if(first.begin(), first.end(), [&](const auto& one) { return one.number == other.number; });
    if (own == first.end()) continue;
    view.corners.push_back(other.number);
    view.left.insert(view.left.end(), {own->x, own->y});
    view.right.insert(view.right.end(), {other.x, other.y});
  }
  if (view.corners.size() < fewest_corners) return std::nullopt;
  // corners of one row determine no view
  const auto [low, high] = std::minmax_element(view.corners.begin(), view.corners.end());
  if (*high / board.columns == *low / board.columns) return std::nullopt;
  return view;
}

// Calls f(i, j) for each corner that is the i-th of one view and the j-th of the other; how many there are.
template <class F>
std::size_t for_common(const BoardView& view, const BoardView& other, const F& f) {
  std::size_t common = 0;
  for (std::size_t i = 0; i < view.corners.size(); ++i) {
    const auto same = std::find(other.corners.begin(), other.corners.end(), view.corners[i]);
    if (same == other.corners.end()) continue;
    f(i, static_cast<std::size_t>(same - other.corners.begin()));
    ++common;
  }
  return common;
}

}  // namespace

void check_board(const CalibrationBoard& board) {
  if (board.marker == 0) return;
  if (!(board.marker < board.square)) throw Error("a marker must be smaller than the square that it lies in");
  check_charuco(board);
}

std::optional<BoardView> find_board(const Picture& left, const Picture& right, const CalibrationBoard& board) {
  const QuietOpenCV quiet;
  try {
    GreyImage one = grey_of(left), other = grey_of(right);
    const cv::Mat first(one.height, one.width, CV_8UC1, one.grey.data());
    const cv::Mat second(other.height, other.width, CV_8UC1, other.grey.data());
    return board.marker > 0 ? find_charuco(first, second, board) : find_chessboard(first, second, board);
  } catch (const cv::Exception& error) {
    throw Error(fmt::format("OpenCV cannot look for the board: {}", one_line(error.err)));
  }
}

std::optional<double> moved_down(const BoardView& before, const BoardView& view) {
  double sum = 0;
  const std::size_t common = for_common(view, before, [&](std::size_t i, std::size_t j) {
    sum += static_cast<double>(view.left[2 * i + 1] - before.left[2 * j + 1]);
  });
  if (common == 0) return {};
  return sum / static_cast<double>(common);
}

bool is_another_view(const BoardView& view, std::span<const BoardView> views, int width) {
  const double enough = 0.04 * width;
  return std::none_of(views.begin(), views.end(), [&](const BoardView& other) {
    double sum = 0;
    const std::size_t common = for_common(view, other, [&](std::size_t i, std::size_t j) {
      sum += std::hypot(view.left[2 * i] - other.left[2 * j], view.left[2 * i + 1] - other.left[2 * j + 1]);
    });
    // another part of the board is another view
    return 2 * common > view.corners.size() && sum / static_cast<double>(common) < enough;
  });
}

double BoardCoverage::share() const {
  return static_cast<double>(std::count(seen.begin(), seen.end(), true)) / static_cast<double>(seen.size());
}

BoardCoverage coverage_of(std::span<const BoardView> views, int width, int height) {
  BoardCoverage coverage;
  const auto part = [](float share) {
    constexpr auto side = static_cast<float>(BoardCoverage::side);
    return static_cast<std::size_t>(std::clamp(share * side, 0.0F, side - 1));
  };
  for (const BoardView& view : views) {
    for (std::size_t i = 0; i + 1 < view.left.size(); i += 2) {
      const std::size_t column = part(view.left[i] / static_cast<float>(width));
      coverage.seen[part(view.left[i + 1] / static_cast<float>(height)) * BoardCoverage::side + column] = true;
    }
  }
  return coverage;
}

}  // namespace kinema::io
