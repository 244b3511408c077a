// The choice of whole disparities from the sums of paths, one row at a time; lanes are pixels, as in paths_kernel.h.
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

  // by disparity and column, with `none` for `lead` columns on both sides
  std::size_t lead = 0, pitch = 0;
  std::vector<std::int16_t> totals;
  // by column: the smallest total and its disparity, what no other total may lie below, and how many do
  std::vector<std::int16_t> least, chosen, limit, below;
  // by column of the right picture, from `lead` to the left of the window: the disparity with the smallest total
  std::vector<std::int16_t> seen;

private:
  std::vector<std::int16_t> limits_;  // by the smallest total
};

}  // namespace kinema::stereo
