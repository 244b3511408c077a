// A symmetric system of equations, solved by a block of threads.
#pragma once

#include "core/thread_block.h"

#include <cmath>

namespace kinema::face {

/// A positive semidefinite matrix in tiles of 2 x 2, those of its lower triangle row by row; the right side is the row of tiles
/// after the last. Gauss-Jordan elimination with pivots of 2 x 2: with as many threads as tiles, equations before the pivots
/// cost no time, and there is no back substitution.
class SymmetricSystem {
public:
  template <class Arrays>
  KINEMA_HD static SymmetricSystem in(Arrays& arrays, int unknowns) {
    SymmetricSystem system;
    system.n_ = unknowns, system.pairs_ = (unknowns + 1) / 2;
    system.tiles_ = arrays.template take<Tile>(system.tiles());
    system.pivots_ = arrays.template take<Tile>(system.pairs_);
    return system;
  }

  /// What tiles have beyond the equations. All threads see it after the next wait.
  template <class Block>
  KINEMA_HD void clear_padding(Block& block) const {
#pragma unroll 1
    for (int c = block.thread(); c < pairs_; c += block.threads()) {
      Tile& right = tile(pairs_, c);
      right.at[2] = right.at[3] = 0;
      if (n_ % 2 == 0) continue;  // otherwise there is an unknown too many: its equation is x = 0
      Tile& last = tile(pairs_ - 1, c);
      last.at[2] = 0, last.at[3] = c == pairs_ - 1 ? 1 : 0;
      if (c == pairs_ - 1) right.at[1] = 0;
    }
  }

  /// An element with row >= column.
  KINEMA_HD double& at(int row, int column) const { return tile(row / 2, column / 2).at[2 * (row % 2) + column % 2]; }
  KINEMA_HD double& right(int row) const { return tile(pairs_, row / 2).at[row % 2]; }

  /// x for a matrix that all threads see; all threads see the result.
  template <class Block>
  KINEMA_HD void solve(Block& block, double* x) const {
    const int own = block.thread(), count = tiles();
    const TrianglePlace place = triangle_place(own);
    if (own == 0 && n_ > 0) pivots_[0] = inverse_of(tile(0, 0));
    block.wait();
#pragma unroll 1
    for (int j = 0; j < pairs_; ++j) {
      if (own < count) eliminate(j, place, tiles_[own]);
#pragma unroll 1
      for (int t = own + block.threads(); t < count; t += block.threads()) eliminate(j, triangle_place(t), tiles_[t]);
      block.wait();
    }
#pragma unroll 1
    for (int i = own; i < n_; i += block.threads()) {
      const double* by = pivots_[i / 2].at + 2 * (i % 2);
      const double* of = tile(pairs_, i / 2).at;
      x[i] = std::fma(by[0], of[0], by[1] * of[1]);
    }
    block.wait();
  }

private:
  /// Row by row. Of one on the diagonal, the upper element is not used.
  struct alignas(16) Tile {
    double at[4];
  };

  KINEMA_HD int tiles() const { return pairs_ * (pairs_ + 1) / 2 + pairs_; }
  KINEMA_HD Tile& tile(int row, int column) const { return tiles_[row * (row + 1) / 2 + column]; }

  // To 12 digits on a device, where every step of the elimination waits for one: the equations have 7.
  KINEMA_HD static double reciprocal(double x) {
#ifdef __CUDA_ARCH__
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return std::fma(y, std::fma(-x, y, 1.0), y);
#else
    return 1 / x;
#endif
  }

  // Of two pivots, with one division.
  KINEMA_HD static Tile inverse_of(const Tile& of) {
    const double d0 = of.at[0], l = of.at[2], d1 = of.at[3], determinant = std::fma(d0, d1, -(l * l));
    if (determinant != 0) {
      const double share = reciprocal(determinant);
      return {{d1 * share, -l * share, -l * share, d0 * share}};
    }
    return {{d0 != 0 ? 1 / d0 : 0, 0, 0, d1 != 0 ? 1 / d1 : 0}};
  }

  // The unknowns of pair j from a tile; the next pivots are inverted on the way.
  KINEMA_HD void eliminate(int j, const TrianglePlace& place, Tile& here) const {
    const auto [row, column] = place;
    if (row <= j || column == j) return;
    const Tile by = pivots_[j], a = tile(row, j), b = column > j ? tile(column, j) : tile(j, column);
    // the inverse of the pivots times the row's tile, transposed
    const double w00 = std::fma(by.at[0], a.at[0], by.at[1] * a.at[1]);
    const double w01 = std::fma(by.at[0], a.at[2], by.at[1] * a.at[3]);
    const double w10 = std::fma(by.at[2], a.at[0], by.at[3] * a.at[1]);
    const double w11 = std::fma(by.at[2], a.at[2], by.at[3] * a.at[3]);
    const double b01 = column > j ? b.at[2] : b.at[1], b10 = column > j ? b.at[1] : b.at[2];
    Tile result = here;
    result.at[0] = std::fma(-b.at[0], w00, std::fma(-b10, w10, result.at[0]));
    result.at[1] = std::fma(-b01, w00, std::fma(-b.at[3], w10, result.at[1]));
    result.at[2] = std::fma(-b.at[0], w01, std::fma(-b10, w11, result.at[2]));
    result.at[3] = std::fma(-b01, w01, std::fma(-b.at[3], w11, result.at[3]));
    here = result;
    if (row == column && row == j + 1) pivots_[row] = inverse_of(result);
  }

  int n_ = 0, pairs_ = 0;
  Tile* tiles_ = nullptr;
  Tile* pivots_ = nullptr;  // inverses
};

}  // namespace kinema::face
