// A symmetric system of equations, solved by a block of threads.
#pragma once

#include "core/thread_block.h"

#include <cmath>

namespace kinema::face {

/// The lower triangle of a matrix without negative eigenvalues lies row by row; the right side is the row after the last. Two
/// unknowns at a time are eliminated from all other equations, those before them too (Gauss and Jordan): nothing is left to
/// substitute back, and with as many threads as elements a step takes no longer.
class SymmetricSystem {
public:
  template <class Arrays>
  KINEMA_HD static SymmetricSystem in(Arrays& arrays, int unknowns) {
    SymmetricSystem system;
    system.n_ = unknowns;
    system.matrix_ = arrays.template take<double>((unknowns + 1) * system.stride());
    system.pivots_ = arrays.template take<Pivots>((unknowns + 1) / 2);
    system.places_ = arrays.template take<int>(system.elements());
    return system;
  }

  /// Row and column of each element; all threads see them after the next wait.
  template <class Block>
  KINEMA_HD void list_places(Block& block) const {
#pragma unroll 1
    for (int row = block.thread(); row <= n_; row += block.threads())
      for (int i = 0; i <= row && i < n_; ++i) places_[first_of_row(row) + i] = row << 16 | i;
  }

  /// An element with row >= column.
  KINEMA_HD double& at(int row, int column) const { return matrix_[row * stride() + column]; }
  KINEMA_HD double& right(int row) const { return at(n_, row); }

  /// x for a matrix that all threads see; all threads see the result.
  template <class Block>
  KINEMA_HD void solve(Block& block, double* x) const {
    // A thread goes ahead: it finds the next pivots and their inverse, which take longest, while the others bring the rest up
    // to date. Its neighbours, which would hold it up, have nothing else to do.
    const bool ahead = block.thread() == 0;
    const int idle = block.threads() > 32 ? 32 : 0;
    if (ahead && n_ > 0) pivots_[0] = n_ > 1 ? inverse_of(at(0, 0), at(1, 0), at(1, 1)) : inverse_of(at(0, 0), 0, 1);
    block.wait();
#pragma unroll 1
    for (int j = 0; j < n_; j += 2) {
      const bool pair = j + 1 < n_;
      const int next = j + 2 < n_ ? j + 2 : n_;
      const Pivots by = pivots_[j / 2];
      if (ahead && next < n_) pivots_[next / 2] = next_pivots(j, by);
#pragma unroll 1
      for (int e = first_of_row(next) + block.thread() - idle; e < elements(); e += block.threads() - idle) {
        if (block.thread() < idle) break;
        const int row = places_[e] >> 16, i = places_[e] & 0xffff;
        if (i == j || i == j + 1) continue;             // the pivots' own equations
        if (row <= next + 1 && row < n_ && i >= next) continue;  // the next pivots
        const double a0 = i < j ? at(j, i) : at(i, j), c0 = at(row, j);
        const double a1 = !pair ? 0 : i < j ? at(j + 1, i) : at(i, j + 1), c1 = pair ? at(row, j + 1) : 0;
        at(row, i) = eliminated(by, a0, a1, c0, c1, at(row, i));
      }
      block.wait();
    }
#pragma unroll 1
    for (int i = block.thread(); i < n_; i += block.threads()) {
      const Pivots by = pivots_[i / 2];
      const double r0 = right(i / 2 * 2), r1 = i / 2 * 2 + 1 < n_ ? right(i / 2 * 2 + 1) : 0;
      x[i] = i % 2 == 0 ? std::fma(by.xx, r0, by.xy * r1) : std::fma(by.xy, r0, by.yy * r1);
    }
    block.wait();
  }

private:
  /// The inverse of two pivots, which is symmetric.
  struct Pivots {
    double xx, xy, yy;
  };

  KINEMA_HD int stride() const { return n_ | 1; }  // odd, so that a column has elements in all banks of memory
  KINEMA_HD int elements() const { return n_ * (n_ + 1) / 2 + n_; }
  KINEMA_HD static int first_of_row(int row) { return row * (row + 1) / 2; }

  // One division for both. Past the last unknown there is nothing.
  KINEMA_HD static Pivots inverse_of(double d0, double l, double d1) {
    const double determinant = std::fma(d0, d1, -(l * l));
    if (determinant != 0) {
      const double share = 1 / determinant;
      return {d1 * share, -l * share, d0 * share};
    }
    return {d0 != 0 ? 1 / d0 : 0, 0, d1 != 0 ? 1 / d1 : 0};
  }

  KINEMA_HD static double eliminated(const Pivots& by, double a0, double a1, double c0, double c1, double before) {
    const double w0 = std::fma(by.xx, c0, by.xy * c1), w1 = std::fma(by.xy, c0, by.yy * c1);
    return std::fma(-a0, w0, std::fma(-a1, w1, before));
  }

  // Those after j and j + 1, whose inverse is given.
  KINEMA_HD Pivots next_pivots(int j, const Pivots& by) const {
    const int next = j + 2, after = j + 3;
    const double c0 = at(next, j), c1 = at(next, j + 1);
    const double d0 = eliminated(by, c0, c1, c0, c1, at(next, next));
    if (after >= n_) return inverse_of(d0, 0, 1);
    const double e0 = at(after, j), e1 = at(after, j + 1);
    return inverse_of(d0, eliminated(by, e0, e1, c0, c1, at(after, next)),
                      eliminated(by, e0, e1, e0, e1, at(after, after)));
  }

  int n_ = 0;
  double* matrix_ = nullptr;
  Pivots* pivots_ = nullptr;
  int* places_ = nullptr;
};

}  // namespace kinema::face
