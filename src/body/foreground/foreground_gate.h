// The gate: the region of space whose points are the person's, as a grid of cells, so that a point costs one lookup.
#pragma once

#include "core/geometry.h"
#include "core/threads.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace kinema::body {

/// A box of cells in space, of a size that fits in memory. Beyond the depth `bend` the depth of cells grows with the
/// square of depth, as the quantisation of a sensor does: a distant person then stays connected.
struct CellGrid {
  Vec3f low{};  // its depth bent
  float cell = 0;
  float bend = std::numeric_limits<float>::max();
  std::size_t nx = 0, ny = 0, nz = 0;

  /// Cells of the requested size, or larger ones where the box is too large for them. Depths of the corners are bent.
  static CellGrid around(Vec3f low, Vec3f high, float cell, float bend = std::numeric_limits<float>::max());

  /// The coordinate in which cells are equally deep, and its inverse.
  static float bent(float z, float bend) { return z <= bend ? z : 2 * bend - bend * (bend / z); }
  float bent(float z) const { return bent(z, bend); }
  float straight(float t) const { return t <= bend ? t : bend * (bend / std::max(2 * bend - t, 1e-3f * bend)); }

  std::size_t size() const { return nx * ny * nz; }
  std::size_t index(std::size_t x, std::size_t y, std::size_t z) const { return (z * ny + y) * nx + x; }

  /// The cell that contains a point, or size() where none does. NaN is in none.
  std::size_t find(float x, float y, float z) const {
    const float fx = (x - low.x) * scale, fy = (y - low.y) * scale, fz = (bent(z) - low.z) * scale;
    if (!(fx >= 0 && fy >= 0 && fz >= 0 && fx < end_x && fy < end_y && fz < end_z)) return size();
    return index(static_cast<std::size_t>(fx), static_cast<std::size_t>(fy), static_cast<std::size_t>(fz));
  }

  float scale = 0, end_x = 0, end_y = 0, end_z = 0;  // 1/cell; nx, ny, nz
};

class Gate {
public:
  enum Level : std::uint8_t {
    outside = 0,
    inside = 1,
    touching = 2,  ///< so near to the skin that floor and person cannot be distinguished
  };

  Gate() = default;

  /// Within `reach` of the skin; touching within `touch`.
  static Gate around_capsules(std::span<const float> capsules, float reach, float touch, const Threads& threads);

  /// The given cells of a grid (touching), and all within `margin` cells of them.
  static Gate around_cells(const CellGrid& grid, std::span<const std::size_t> cells, std::size_t margin);

  bool empty() const { return levels_.empty(); }
  Level at(float x, float y, float z) const { return static_cast<Level>(levels_[grid_.find(x, y, z)]); }

  /// Whether the hit of a ray (x, y, 1) at `depth` stands before the gate: nearer than all of it, or such that the ray
  /// would meet it further on.
  bool stands_before(float x, float y, float depth) const;

  /// The depth beyond which there is nothing of it.
  float end() const { return grid_.straight(grid_.low.z + grid_.end_z * grid_.cell); }

  /// The image of the gate, as directions; low above high where it lies behind the camera.
  struct View {
    float x_low, x_high, y_low, y_high;
  };
  View view() const;

private:
  CellGrid grid_;
  std::vector<std::uint8_t> levels_;  // of the cells, and one more for outside
};

}  // namespace kinema::body
