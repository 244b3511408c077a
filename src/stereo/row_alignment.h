// Whether the rows of a pair agree: how far down the right picture lies, as far as the pictures themselves tell.
//
// Edges that lie almost along the rows turn a tenth of a pixel of misalignment into a pixel of disparity, so even what a
// good calibration leaves is worth removing.
#pragma once

#include "kinema/stereo.h"

#include <array>
#include <vector>

namespace kinema::stereo {

/// Learns the shift from pairs and their disparities.
class RowAlignment {
public:
  RowAlignment(int width, int height) : width_(width), height_(height) {}

  /// Begins with a shift that is known roughly.
  void begin_at(const RowShift& shift) { shift_ = shift; }

  /// Adds a pair that was matched with shift().
  void add(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right, const Disparities& disparities);

  /// The shift by all pairs so far; 0 while too few squares tell.
  const RowShift& shift() const { return shift_; }

  /// Pairs added, and squares of them that told something.
  int pairs() const { return pairs_; }
  std::size_t squares() const { return squares_; }

  /// Half of the squares lie within this many rows of the shift: large where the pair does not fit together.
  double spread() const { return spread_; }

private:
  int width_, height_, pairs_ = 0;
  std::size_t squares_ = 0;
  double spread_ = 0;
  RowShift shift_;
  struct Square {
    double below, weight, x, y;  ///< rows, and where: -1 to 1
  };
  std::vector<Square> seen_;
};

}  // namespace kinema::stereo
