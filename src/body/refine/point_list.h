// The points of a frame in blocks of neighbours, for SIMD: few capsules of the skin matter to a block.
#pragma once

#include "core/geometry.h"

#include <cstddef>
#include <vector>

namespace kinema::body {

/// About `most` of them, evenly chosen.
std::vector<Vec3f> thinned(std::vector<Vec3f> points, std::size_t most);

/// Points processed together, and the neighbours among them.
inline constexpr std::size_t contact_block = 64, contact_part = 16;

/// Past the last point, the last one is repeated.
struct alignas(64) PointBlock {
  float x[contact_block], y[contact_block], z[contact_block];

  struct Bounds {
    Vec3f middle;  ///< of places or directions
    float reach;   ///< their greatest distance from it
  };
  Bounds parts[contact_block / contact_part];
};

class PointList {
public:
  /// What makes neighbours: where points are, or their directions from the camera, unit vectors.
  enum class Neighbours { in_space, in_direction };

  PointList() = default;
  /// Reorders the points.
  PointList(std::vector<Vec3f> points, Neighbours neighbours);

  std::size_t size() const { return size_; }
  Vec3f operator[](std::size_t i) const {
    const PointBlock& block = blocks_[i / contact_block];
    const std::size_t at = i % contact_block;
    return {block.x[at], block.y[at], block.z[at]};
  }

  const std::vector<PointBlock>& blocks() const { return blocks_; }

  /// About `most` of them, evenly chosen.
  PointList thinned(std::size_t most) const;

private:
  void make_blocks(const std::vector<Vec3f>& points);

  std::size_t size_ = 0;
  Neighbours neighbours_ = Neighbours::in_space;
  std::vector<PointBlock> blocks_;
};

}  // namespace kinema::body
