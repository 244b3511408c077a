// Degrees of skin on a coarse grid of blocks over a frame, as an integral image, so that the mean over any box costs
// four reads: it yields candidate positions of the head before the precise search.
#pragma once

#include "head/moments/pixel_reader.h"
#include "kinema/head.h"
#include "kinema/head_calibration.h"

#include <cstddef>
#include <vector>

namespace kinema::head {

/// The degree of single colours, 0...1.
class Degrees {
public:
  explicit Degrees(const Classifier& classifier);
  float operator()(Rgb colour) const {
    if (table_ != nullptr) {
      return static_cast<float>(
                 table_[(std::size_t{colour.r} << 16) | (std::size_t{colour.g} << 8) | std::size_t{colour.b}]) *
             (1.0f / 255);
    }
    const float value = r_ * colour.r + g_ * colour.g + b_ * colour.b + d_;
    return value < 0 ? 0 : value > 1 ? 1 : value;
  }

private:
  const std::uint8_t* table_ = nullptr;
  float r_ = 0, g_ = 0, b_ = 0, d_ = 0;
};

/// A part of a frame, [left, right) x [top, bottom) in pixels.
struct Part {
  std::size_t left = 0, top = 0, right = 0, bottom = 0;
};

/// The part of a frame covered by a box given by centre and half sides.
Part part_of(const ColourView& frame, double cx, double cy, double half_width, double half_height);

class DegreeMap {
public:
  /// Blocks of `step` x `step` pixels, of which at most 16 each are sampled. `mask`: see Weighing.
  DegreeMap(const ColourView& frame, const Degrees& degrees, const Part& part, std::size_t step,
            const ImageView<const std::uint8_t>& mask);

  /// The mean degree in a box around a position, in pixels of the frame; outside the map it counts as 0.
  double mean(double cx, double cy, double half_width, double half_height) const;

  /// Positions with more skin inside an oval of these radii than around it, the best first, at least about a radius
  /// apart.
  struct Place {
    double x = 0, y = 0;
    double inside = 0, around = 0;
    double contrast() const { return inside - around; }
  };
  std::vector<Place> places(double rx, double ry, std::size_t most) const;

private:
  double sum(double left, double top, double right, double bottom) const;

  Part part_;
  std::size_t step_, columns_, rows_;
  std::vector<double> integral_;  // (rows + 1) x (columns + 1): sums of the mean degrees of blocks
};

}  // namespace kinema::head
