// The integer part of matching on the CPU, from brightness to whole disparities: plain loops over bytes, compiled for
// every SIMD level.
//
// Lanes are successive disparities of a pixel: so all that a row reads and writes lies in the order in which it is visited.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kinema::stereo {

/// Pixels around a picture, repeated from its border, that the census reads.
inline constexpr int picture_margin = 5;

/// Bytes that vectors of the widest kind read and write beyond the ends of a row.
inline constexpr int byte_margin = 64;

/// Rows of a picture smoothed by (1 2 1) both ways, in sixteenths of grey levels, and its census in three planes of
/// eight bits, which is complete from column `left` to below `right`.
struct CensusImage {
  int width = 0, top = 0, bottom = 0;   ///< rows top to below bottom
  int left = 0, right = 0;              ///< columns of the census
  std::vector<std::uint16_t> smooth;    ///< with margins: see smooth_row()
  std::vector<std::uint8_t> census[3];  ///< with margins before the first row and behind the last

  std::size_t stride() const { return static_cast<std::size_t>(width) + 2 * picture_margin; }
  std::uint16_t* smooth_row(int y) {
    return smooth.data() + static_cast<std::size_t>(y - top + picture_margin) * stride() + picture_margin;
  }
  const std::uint16_t* smooth_row(int y) const { return const_cast<CensusImage*>(this)->smooth_row(y); }
  std::uint8_t* census_row(int plane, int y) {
    return census[plane].data() + margin() + static_cast<std::size_t>(y - top) * static_cast<std::size_t>(width);
  }
  const std::uint8_t* census_row(int plane, int y) const {
    return const_cast<CensusImage*>(this)->census_row(plane, y);
  }
  /// A row is read from a disparity before its start on.
  std::size_t margin() const { return static_cast<std::size_t>(width) + byte_margin; }
};

/// out = (1 2 1) both ways of the middle one of three rows; `width` pixels, borders repeated.
void smooth_row(const std::uint8_t* above, const std::uint8_t* middle, const std::uint8_t* below, int width,
                std::uint16_t* out);

/// The census of a row whose smoothed neighbours are complete, margins included.
void census_row(const CensusImage& image, int y, std::uint8_t* const planes[3]);

/// A window of a pair, and disparities from `first` on.
struct PathProblem {
  const CensusImage *left, *right;
  int x = 0, y = 0, columns = 0, rows = 0, first = 0, disparities = 0;
  const std::uint8_t* large_step;  ///< see Plan
  int small_step = 0;
  double uniqueness = 0;

  /// Of a number for each pixel of a row and disparity.
  std::size_t row_bytes() const { return static_cast<std::size_t>(columns) * static_cast<std::size_t>(disparities); }
};

/// Penalties of a large step between neighbours of the window: of a pixel and the one to its left, above it, above to its left
/// and above to its right. One row more than the window has, with margins.
class PathPenalties {
public:
  enum Way { across, falling, down, rising };
  void resize(const PathProblem& problem);
  void compute_row(const PathProblem& problem, int row);
  const std::uint8_t* at(Way way, int row) const {
    return planes_[way].data() + static_cast<std::size_t>(row) * pitch_ + byte_margin;
  }

private:
  std::size_t pitch_ = 0;
  std::array<std::vector<std::uint8_t>, 4> planes_;
};

/// What is computed of one row of the window.
struct RowMemory {
  /// Costs of all matches.
  void match_costs(const PathProblem& problem, int row);

  /// Sums the two paths along it, by column and disparity; its costs are known.
  void follow_row(const PathProblem& problem, const PathPenalties& penalties, int row, std::uint8_t* sums);

  std::vector<std::uint8_t> costs;      ///< by column and disparity, with margins
  std::vector<std::uint8_t> right[3];   ///< census of the right picture, from right to left
  std::vector<std::uint8_t> values[2];  ///< of the paths, with margins
};

/// The three paths that come from the row above (or, not `forward`, from the row below): their values in the last row.
class ColumnPaths {
public:
  void start(const PathProblem& problem, bool forward);

  /// Sums them at the next row, by column and disparity; its costs are known.
  void follow(const PathProblem& problem, const PathPenalties& penalties, const RowMemory& memory, std::uint8_t* sums);

  /// Where a path at the next row begins. Slanting paths move on by a pixel with each row, so that a pixel finds its
  /// predecessor's values in its own place.
  std::size_t place(int path) const {
    const int right = (path - 1) * (forward ? done : -done);
    return static_cast<std::size_t>(right + ((path == 0) == forward && path != 1 ? rows : 0));
  }

  bool forward = true;
  int row = 0, rows = 0, done = 0;      ///< the next one; of the window; how many were followed
  std::vector<std::uint8_t> values[3];  ///< from behind, from above, from ahead: by pixel and disparity, with margins
  std::vector<std::uint8_t> least[3];   ///< the smallest value of each pixel
};

}  // namespace kinema::stereo
