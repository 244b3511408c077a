// Rays past a person in depth images that measured nothing else: recordings from which the person was cut out, and
// scenes whose walls are out of range. There, pixels without a measurement beside the outline saw past the person.
#pragma once

#include "body/foreground/foreground_cloud.h"
#include "body/foreground/foreground_gate.h"
#include "core/geometry.h"
#include "kinema/camera.h"
#include "kinema/image.h"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace kinema::body {

class Exterior {
public:
  /// Blocks of pixels that are empty, as are their neighbours, and connected with the border of the image by such:
  /// holes inside the outline are hair or dark cloth that reflects nothing. `nearest`: of a valid depth, metres.
  void find(ImageView<const float> depth, float nearest);

  /// Whether nearly everything that was measured is `of_people`; `columns` and `rows` are the directions of pixels.
  static bool people_alone(ImageView<const float> depth, float nearest, const std::function<bool(Vec3f)>& of_people,
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

/// Pixels between two sampled rays.
struct RayLattice {
  std::size_t across, down;
};

/// A body is connected: one that does not reach a border of the image is not beyond it either. Adds rays past the person there,
/// which end at `far`, to the last part.
void look_beyond_border(const Camera& camera, std::span<const float> columns, std::span<const float> rows, float far,
                        RayLattice lattice, std::span<GatedPoints> parts);

}  // namespace kinema::body
