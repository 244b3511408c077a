#include "body/foreground/foreground_gate.h"

#include "body/foreground/constants_foreground.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kinema::body {
namespace {

constexpr std::size_t most_cells = std::size_t{1} << 22;

std::size_t cells_over(float length, float cell) { return static_cast<std::size_t>(length / cell) + 1; }

// The cells of one axis that an interval overlaps.
struct Range {
  std::size_t first, last;
};
Range range(float low, float high, float origin, float scale, std::size_t count) {
  const float top = static_cast<float>(count) - 1;
  const float first = std::clamp(std::floor((low - origin) * scale), 0.0f, top);
  const float last = std::clamp(std::floor((high - origin) * scale), 0.0f, top);
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(last)};
}

// The effect of a capsule on the levels.
struct CapsuleReach {
  Vec3f a, axis;
  float per_length, per_side;  // 1 over the squared length of the axis, and of its projection along a row
  float far, near;             // squares of the distances
  Range xs, ys, zs;

  // The cells of a row whose points are at (px, py, pz) from a. `levels` holds their results.
  void raise(const CellGrid& grid, float py, float pz, std::uint8_t* row, std::int32_t* levels) const {
    // seen along the row, no point of the axis is nearer than this one
    const float foot = std::clamp((py * axis.y + pz * axis.z) * per_side, 0.0f, 1.0f);
    const float ey = py - foot * axis.y, ez = pz - foot * axis.z;
    const float left_over = far * 1.0001f - (ey * ey + ez * ez);
    if (left_over <= 0) return;
    const float half = std::sqrt(left_over);
    const Range cells = range(a.x + std::min(0.0f, axis.x) - half, a.x + std::max(0.0f, axis.x) + half, grid.low.x,
                              grid.scale, grid.nx);
    const std::size_t first = std::max(xs.first, cells.first), end = std::min(xs.last, cells.last) + 1;

    // without branches and with local variables only, so that compilers vectorise it
    const auto [ax, ay, az] = axis;
    const float begin = grid.low.x, cell = grid.cell, from = a.x, outer = far, inner = near, scale = per_length;
    const float by = py * ay, bz = pz * az;
    const auto count = static_cast<std::int32_t>(end);
    for (auto x = static_cast<std::int32_t>(first); x < count; ++x) {
      const float px = begin + (static_cast<float>(x) + 0.5f) * cell - from;
      const float along = (px * ax + by + bz) * scale;
      const float low = along > 0 ? along : 0.0f, t = low < 1 ? low : 1.0f;
      const float dx = px - t * ax, dy = py - t * ay, dz = pz - t * az;
      const float d = dx * dx + dy * dy + dz * dz;
      levels[x] = static_cast<std::int32_t>(d < outer) + static_cast<std::int32_t>(d < inner);
    }
    for (auto x = static_cast<std::int32_t>(first); x < count; ++x) {
      const auto level = static_cast<std::uint8_t>(levels[x]);
      row[x] = row[x] > level ? row[x] : level;
    }
  }
};

}  // namespace

CellGrid CellGrid::around(Vec3f low, Vec3f high, float cell, float bend) {
  CellGrid grid;
  grid.bend = bend;
  const Vec3f size = high - low;
  const float longest = std::max({size.x, size.y, size.z});
  // in a thin box the cube root says too little; a long box is limited to 1000 cells
  cell = std::max(cell, longest / 1000);
  while (static_cast<double>(cells_over(size.x, cell)) * static_cast<double>(cells_over(size.y, cell)) *
             static_cast<double>(cells_over(size.z, cell)) >
         static_cast<double>(most_cells))
    cell *= 1.2f;
  grid.low = low;
  grid.cell = cell;
  grid.scale = 1 / cell;
  grid.nx = cells_over(size.x, cell);
  grid.ny = cells_over(size.y, cell);
  grid.nz = cells_over(size.z, cell);
  grid.end_x = static_cast<float>(grid.nx);
  grid.end_y = static_cast<float>(grid.ny);
  grid.end_z = static_cast<float>(grid.nz);
  return grid;
}

Gate Gate::around_capsules(std::span<const float> capsules, float reach, float touch, const Threads& threads) {
  Vec3f low{std::numeric_limits<float>::max(), std::numeric_limits<float>::max(), std::numeric_limits<float>::max()};
  Vec3f high = -1.0f * low;
  const auto count = capsules.size() / 7;
  for (std::size_t k = 0; k < count; ++k) {
    const float* c = capsules.data() + 7 * k;
    const float r = c[3] + reach;
    low = {std::min({low.x, c[0] - r, c[4] - r}), std::min({low.y, c[1] - r, c[5] - r}),
           std::min({low.z, c[2] - r, c[6] - r})};
    high = {std::max({high.x, c[0] + r, c[4] + r}), std::max({high.y, c[1] + r, c[5] + r}),
            std::max({high.z, c[2] + r, c[6] + r})};
  }
  Gate gate;
  gate.grid_ = CellGrid::around(low, high, constants::gate::gate_cell);
  const CellGrid& grid = gate.grid_;
  gate.levels_.assign(grid.size() + 1, outside);

  std::vector<CapsuleReach> reaches;
  for (std::size_t k = 0; k < count; ++k) {
    const float* c = capsules.data() + 7 * k;
    const Vec3f a{c[0], c[1], c[2]}, b{c[4], c[5], c[6]}, axis = b - a;
    const float r = c[3], outer = r + reach, length = dot(axis, axis);
    const float side = axis.y * axis.y + axis.z * axis.z;
    reaches.push_back({a, axis, length > 0 ? 1 / length : 0, side > 0 ? 1 / side : 0, outer * outer,
                       (r + touch) * (r + touch),
                       range(std::min(a.x, b.x) - outer, std::max(a.x, b.x) + outer, grid.low.x, grid.scale, grid.nx),
                       range(std::min(a.y, b.y) - outer, std::max(a.y, b.y) + outer, grid.low.y, grid.scale, grid.ny),
                       range(std::min(a.z, b.z) - outer, std::max(a.z, b.z) + outer, grid.low.z, grid.scale, grid.nz)});
  }
  threads.for_each(grid.nz, [&](std::size_t z) {
    std::vector<std::int32_t> levels(grid.nx);
    for (const CapsuleReach& of_capsule : reaches) {
      const Range &ys = of_capsule.ys, &zs = of_capsule.zs;
      if (z < zs.first || z > zs.last) continue;
      const float pz = grid.low.z + (static_cast<float>(z) + 0.5f) * grid.cell - of_capsule.a.z;
      for (std::size_t y = ys.first; y <= ys.last; ++y) {
        const float py = grid.low.y + (static_cast<float>(y) + 0.5f) * grid.cell - of_capsule.a.y;
        of_capsule.raise(grid, py, pz, gate.levels_.data() + grid.index(0, y, z), levels.data());
      }
    }
  });
  return gate;
}

Gate Gate::around_cells(const CellGrid& grid, std::span<const std::size_t> cells, std::size_t margin) {
  struct Cell {
    std::size_t x, y, z;
  };
  std::vector<Cell> places;
  places.reserve(cells.size());
  Cell low{grid.nx, grid.ny, grid.nz}, high{0, 0, 0};
  for (const std::size_t i : cells) {
    const Cell c{i % grid.nx, i / grid.nx % grid.ny, i / (grid.nx * grid.ny)};
    places.push_back(c);
    low = {std::min(low.x, c.x), std::min(low.y, c.y), std::min(low.z, c.z)};
    high = {std::max(high.x, c.x), std::max(high.y, c.y), std::max(high.z, c.z)};
  }
  Gate gate;
  if (places.empty()) return gate;
  // wide enough for the rays beside the person
  const auto around =
      std::max(margin, static_cast<std::size_t>(std::lround(constants::gate::gate_surroundings / grid.cell)));
  const float shift = static_cast<float>(around) * grid.cell;
  CellGrid& own = gate.grid_;
  own = grid;
  own.nx = high.x - low.x + 1 + 2 * around;
  own.ny = high.y - low.y + 1 + 2 * around;
  own.nz = high.z - low.z + 1 + 2 * around;
  own.low = {grid.low.x + static_cast<float>(low.x) * grid.cell - shift,
             grid.low.y + static_cast<float>(low.y) * grid.cell - shift,
             grid.low.z + static_cast<float>(low.z) * grid.cell - shift};
  own.end_x = static_cast<float>(own.nx);
  own.end_y = static_cast<float>(own.ny);
  own.end_z = static_cast<float>(own.nz);
  gate.levels_.assign(own.size() + 1, outside);
  for (const Cell& c : places) {
    const std::size_t x = c.x - low.x + around, y = c.y - low.y + around, z = c.z - low.z + around;
    for (std::size_t nz = z - margin; nz <= z + margin; ++nz)
      for (std::size_t ny = y - margin; ny <= y + margin; ++ny)
        for (std::size_t nx = x - margin; nx <= x + margin; ++nx) {
          std::uint8_t& level = gate.levels_[own.index(nx, ny, nz)];
          level = std::max<std::uint8_t>(level, inside);
        }
    gate.levels_[own.index(x, y, z)] = touching;
  }
  return gate;
}

bool Gate::stands_before(float x, float y, float depth) const {
  if (grid_.bent(depth) < grid_.low.z) return true;
  const float end = grid_.low.z + grid_.end_z * grid_.cell;
  const float step = 2 * grid_.cell;
  for (float t = grid_.bent(depth) + step; t < end; t += step) {
    const float z = grid_.straight(t);
    if (at(x * z, y * z, z) != outside) return true;
  }
  return false;
}

Gate::View Gate::view() const {
  if (grid_.low.z + grid_.end_z * grid_.cell <= 0) return {1, -1, 1, -1};
  // nearer than this a box fills the picture anyway
  const float near = std::max(grid_.straight(grid_.low.z), 0.1f);
  const float far = std::max(end(), near);
  const float right = grid_.low.x + grid_.end_x * grid_.cell, bottom = grid_.low.y + grid_.end_y * grid_.cell;
  return {std::min(grid_.low.x / near, grid_.low.x / far), std::max(right / near, right / far),
          std::min(grid_.low.y / near, grid_.low.y / far), std::max(bottom / near, bottom / far)};
}

}  // namespace kinema::body
