// Rays past a person in depth images that measured nothing else: recordings from which the person was cut out, and
// scenes whose walls are out of range. There, pixels without a measurement beside the outline saw past the person.
#pragma once

#include "body/foreground/foreground_gate.h"
#include "kinema/image.h"

#include <cstddef>
#include <span>
#include <vector>

namespace kinema::body {

class Exterior {
public:
  /// Blocks of pixels that are empty, as are their neighbours, and connected with the border of the image by such:
  /// holes inside the outline are hair or dark cloth that reflects nothing. `nearest`: of a valid depth, metres.
  void find(ImageView<const float> depth, float nearest);

  /// Whether nearly everything that was measured lies in the gate; `columns` and `rows` are the directions of pixels.
  static bool person_alone(ImageView<const float> depth, float nearest, const Gate& gate,
                           std::span<const float> columns, std::span<const float> rows);

  /// Calls take(column, row) with the middle pixel of every such block in a part of the image.
  template <class Take>
  void for_each(std::size_t left, std::size_t right, std::size_t top, std::size_t bottom, Take&& take) const {
    for (std::size_t y = top / side_; y < rows_ && y * side_ < bottom; ++y) {
      for (std::size_t x = left / side_; x < columns_ && x * side_ < right; ++x) {
        if (outside_[y * columns_ + x] != 0) take(x * side_ + side_ / 2, y * side_ + side_ / 2);
      }
    }
  }

private:
  std::size_t side_ = 1, columns_ = 0, rows_ = 0;  // pixels of a block; blocks
  std::vector<unsigned char> outside_;
  std::vector<std::size_t> waiting_;
};

}  // namespace kinema::body
