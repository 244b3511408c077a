// Boards that a stereo pair is calibrated with: a chessboard, which must be seen whole, or a ChArUco board, whose squares
// hold markers that tell which part of it is seen. Without OpenCV all of it throws.
#pragma once

#include "kinema/picture.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kinema::io {

struct CalibrationBoard {
  int columns = 9, rows = 6;  ///< inner corners, where four squares meet
  double square = 0.025;      ///< side of a square, metres

  /// Side of a marker of a ChArUco board, metres; 0: a chessboard.
  double marker = 0;
  std::string dictionary = "5x5_100";  ///< of the markers, as OpenCV names it without DICT_
};

/// Corners of the board that both pictures show.
struct BoardView {
  std::vector<int> corners;        ///< numbers, row by row
  std::vector<float> left, right;  ///< pairs x, y for each, pixels
  std::optional<double> down;      ///< how far the left board has moved down since the pair before, pixels
};

/// Throws Error if this build cannot find such a board, or there is none.
void check_board(const CalibrationBoard& board);

/// Nothing if the pictures have too few corners in common: a chessboard must be whole in both.
std::optional<BoardView> find_board(const Picture& left, const Picture& right, const CalibrationBoard& board);

/// How far down the left board has moved from one view to the next, by the corners that both have; nothing if there are none.
std::optional<double> moved_down(const BoardView& before, const BoardView& view);

/// Whether the board is elsewhere than in all views so far: somebody who holds it still adds nothing.
bool is_another_view(const BoardView& view, std::span<const BoardView> views, int width);

/// Which parts of the left picture boards have covered, row by row.
struct BoardCoverage {
  static constexpr std::size_t side = 4;
  std::array<bool, side * side> seen{};
  double share() const;
};
BoardCoverage coverage_of(std::span<const BoardView> views, int width, int height);

}  // namespace kinema::io
