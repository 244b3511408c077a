// The choice of whole disparities from the sums of paths, one row at a time; lanes are disparities, as in paths_kernel.h.
#pragma once

#include "stereo/paths_kernel.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kinema::stereo {

/// Chooses the disparities of successive rows of a window; its memory is reused.
class Choice {
public:
  void start(const PathProblem& problem);

  /// The disparities of a row of the window, 0 where unknown, from the sums of its paths: along the row, down and up.
  void choose(const PathProblem& problem, const std::uint8_t* along, const std::uint8_t* down, const std::uint8_t* up,
              float* disparity);

  /// More than any sum of eight paths.
  static constexpr std::int16_t none = 0x7fff;

  std::vector<std::int16_t> totals;  ///< of a pixel, by disparity
  std::vector<std::int16_t> limits;  ///< by the smallest total: what no other may lie below
  std::vector<std::int16_t> chosen;  ///< by column; 0: none
  // by column of the right picture, from right to left: the smallest total and its disparity
  std::vector<std::int16_t> seen_least, seen;
};

}  // namespace kinema::stereo
