// The step of an inverse compositional stage by one block of threads: the equations for shape and texture together, their
// solution, and the warp composed with the inverse of the displacement it gives.
#pragma once

#include "face/descent_works.h"
#include "face/shape_works.h"

#include <cmath>

namespace kinema::face {

struct StepWork {
  /// The affine map of a triangle's mean shape to its current one: places of its first corner, and the matrix.
  struct Affine {
    double from_x, from_y, to_x, to_y;
    double xx, xy, yx, yy;
  };

  /// The inverse of two pivots, which is symmetric.
  struct Pivots {
    double xx, xy, yy;
  };

  static constexpr int threads = 704;
  ShapeTable shape;
  LevelTable level;
  FitBatch batch;

  /// What is read from memory, all of it at once, to the block's own.
  struct Tables {
    const double *points, *basis;
    const float* mean;
    const int* vertex_first;
    const double* vertex_share;
    // of a simultaneous stage
    const double *J, *difference, *expected, *prior, *by_mean, *by_one;
  };

  /// `take(from, count)` gives the place of a copy.
  template <class Take>
  KINEMA_HD Tables tables_of(int face, Take&& take) const {
    Tables tables{};
    tables.points = take(of_face(batch.shape, face, shape.size), shape.size);
    tables.basis = basis_is_near(shape) ? take(shape.basis, shape.all * shape.size) : shape.basis;
    tables.mean = take(shape.mean, shape.size);
    tables.vertex_first = take(shape.vertex_first, shape.landmarks + 1);
    tables.vertex_share = take(shape.vertex_share, shape.landmarks);
    if (!level.simultaneous) return tables;
    tables.J = take(of_face(batch.descent, face, batch.sizes.descent), descent_columns(level) * shape.all);
    tables.difference = take(of_face(batch.difference, face, batch.sizes.rows), level.modes);
    tables.expected = take(of_face(batch.expected, face, batch.sizes.modes), shape.modes);
    tables.prior = take(level.prior, shape.all);
    tables.by_mean = take(level.by_mean, level.modes + 1);
    tables.by_one = take(level.by_one, level.modes + 1);
    return tables;
  }

  // the tables, and what follows from them
  KINEMA_HD std::size_t step_bytes() const { return shared_size<double>(shape.all); }
  KINEMA_HD std::size_t affine_bytes() const { return shared_size<Affine>(shape.triangles); }
  std::size_t equation_bytes() const {
    if (!level.simultaneous) return 0;
    const int all = shape.all;
    return shared_size<double>(all * (all + 1)) + shared_size<double>(4 * all) + shared_size<int>(elements()) +
           shared_size<double>(3 * shape_strands * all) + shared_size<Pivots>((all + 1) / 2);
  }
  std::size_t shared_bytes() const {
    std::size_t bytes = ShapeScratch::bytes(shape) + step_bytes() + affine_bytes() + equation_bytes();
    tables_of(0, [&bytes]<class T>(const T* from, int count) {
      bytes += shared_size<T>(count);
      return from;
    });
    return bytes;
  }
  /// Of the lower triangle and the right side.
  KINEMA_HD int elements() const { return shape.all * (shape.all + 1) / 2 + shape.all; }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y();
    if (!is_running(batch, face)) return;
    const ShapeScratch scratch = ShapeScratch::in(block, shape);
    std::size_t from = ShapeScratch::bytes(shape);
    auto* dq = block.template shared<double>(from);
    from += step_bytes();
    auto* affine = block.template shared<Affine>(from);
    from += affine_bytes();
    const Tables tables = tables_of(face, [&]<class T>(const T* table, int count) {
      auto* to = block.template shared<T>(from);
      from += shared_size<T>(count);
      fetch(block, table, to, count);
      return static_cast<const T*>(to);
    });
    ShapeTable near = shape;
    near.basis = tables.basis, near.mean = tables.mean;
    const FaceState& state = batch.states[face];
    const Similarity to_source = state.to_source;
    const double by_mean = state.by_mean, by_one = state.by_one;
    block.wait_fetched();
    copy(block, tables.points, scratch.points, shape.size);
    if (level.simultaneous) {
      solve(block, face, from, tables, by_mean, by_one, affine, dq);
    } else {
      copy(block, of_face(batch.difference, face, batch.sizes.rows) + level.modes, dq, shape.all);
      block.wait();
      find_affines(block, tables, affine);
    }
    compose_warp(block, tables, dq, affine, scratch);
    project_on_model(block, near, scratch);
    copy(block, scratch.points, of_face(batch.next, face, shape.size), shape.size);
    transform(block, to_source, scratch.points, of_face(batch.placed, face, shape.size), shape.landmarks);
  }

private:
  // The composition of Matthews and Baker, as WarpComposition has it, of the shape in scratch.points, where all threads see the
  // result.
  template <class Block>
  KINEMA_HD void compose_warp(Block& block, const Tables& tables, const double* dq, const Affine* affine,
                              const ShapeScratch& scratch) const {
    double *displaced = scratch.unit, *points = scratch.points;
#pragma unroll 1
    for (int i = block.thread(); i < shape.size; i += block.threads()) {
      const double moved = sum_in_strands<12>(
          0, shape.all, 1, [&](int k) { return dq[k] * tables.basis[static_cast<std::size_t>(k) * shape.size + i]; });
      displaced[i] = tables.mean[i] - moved;
    }
    block.wait();
#pragma unroll 1
    for (int vertex = block.thread(); vertex < shape.landmarks; vertex += block.threads()) {
      const double px = displaced[2 * vertex], py = displaced[2 * vertex + 1];
      const int first = tables.vertex_first[vertex], last = tables.vertex_first[vertex + 1];
      double x = 0, y = 0;
      in_batches<8>(
          first, last, 1, [&](int e) { return int{shape.vertex_triangles[e]}; },
          [&](int triangle, int) {
            const Affine& of = affine[triangle];
            const double dx = px - of.from_x, dy = py - of.from_y;
            x += std::fma(of.xx, dx, std::fma(of.xy, dy, of.to_x));
            y += std::fma(of.yx, dx, std::fma(of.yy, dy, of.to_y));
          });
      const double share = tables.vertex_share[vertex];
      points[2 * vertex] = share > 0 ? x * share : points[2 * vertex] + px - tables.mean[2 * vertex];
      points[2 * vertex + 1] = share > 0 ? y * share : points[2 * vertex + 1] + py - tables.mean[2 * vertex + 1];
    }
    block.wait();
  }

  // The affine maps of the current shape, which all threads see; by the last threads, since the first are busy elsewhere.
  template <class Block>
  KINEMA_HD void find_affines(Block& block, const Tables& tables, Affine* affine) const {
    const double* points = tables.points;
#pragma unroll 1
    for (int t = block.threads() - 1 - block.thread(); t < shape.triangles; t += block.threads()) {
      const int a = 2 * shape.corners[3 * t], b = 2 * shape.corners[3 * t + 1], c = 2 * shape.corners[3 * t + 2];
      const double* inverse = shape.inverse_edges + 4 * t;
      const double bx = points[b] - points[a], cx = points[c] - points[a];
      const double by = points[b + 1] - points[a + 1], cy = points[c + 1] - points[a + 1];
      affine[t] = {tables.mean[a],
                   tables.mean[a + 1],
                   points[a],
                   points[a + 1],
                   bx * inverse[0] + cx * inverse[2],
                   bx * inverse[1] + cx * inverse[3],
                   by * inverse[0] + cy * inverse[2],
                   by * inverse[1] + cy * inverse[3]};
    }
  }

  // J minus its projection on U = [Pg; g0; 1] is J - W U, W = [J Pg^T, wg, w1]: with it H = J J^T - J Pg^T (J Pg^T)^T and terms
  // of a few vectors, which are 0 unless textures are normalised.
  template <class Block>
  KINEMA_HD void solve(Block& block, int face, std::size_t from, const Tables& tables, double by_mean, double by_one,
                       Affine* affine, double* dq) const {
    const int all = shape.all, modes = level.modes;
    // column by column, the right side as row `all`
    auto* matrix = block.template shared<double>(from);
    from += shared_size<double>(all * (all + 1));
    auto* by_g0 = block.template shared<double>(from);  // wg
    double *by_1 = by_g0 + all, *along_g0 = by_1 + all, *along_1 = along_g0 + all;
    from += shared_size<double>(4 * all);
    auto* places = block.template shared<int>(from);
    from += shared_size<int>(elements());
    auto* strands = block.template shared<double>(from);  // 3 x all x strands
    from += shared_size<double>(3 * shape_strands * all);
    auto* pivots = block.template shared<Pivots>(from);           // of pairs
    const double *J = tables.J, *difference = tables.difference;  // J: columns x all
    list_elements(block, places);
    find_affines(block, tables, affine);

    const double *c_mean = tables.by_mean, *c_one = tables.by_one;  // Pg g0, Pg 1
    const double g0_g0 = c_mean[modes], g0_1 = c_one[modes], one_1 = level.values;
    const double by_values = level.by_values, by_square = level.by_square;
#pragma unroll 1
    for (int t = block.thread(); t < shape_strands * all; t += block.threads()) {
      const int i = t % all, strand = t / all;
      double along_mean = 0, along_one = 0, along_d = 0;
      struct Products {
        double by_mean, by_one, by_d;
      };
      in_batches<5>(
          strand, modes, shape_strands,
          [&](int k) {
            return Products{c_mean[k], c_one[k], difference[k]};
          },
          [&](const Products& of, int k) {
            const double w = J[k * all + i];
            along_mean = std::fma(w, of.by_mean, along_mean), along_one = std::fma(w, of.by_one, along_one);
            along_d = std::fma(w, of.by_d, along_d);
          });
      double* to = strands + i * shape_strands + strand;
      to[0] = along_mean, to[all * shape_strands] = along_one, to[2 * all * shape_strands] = along_d;
    }
    block.wait();
#pragma unroll 1
    for (int i = block.thread(); i < all; i += block.threads()) {
      const double* of = strands + i * shape_strands;
      const double along_mean = sum_of_shape_strands(of), along_one = sum_of_shape_strands(of + all * shape_strands);
      const double along_d = sum_of_shape_strands(of + 2 * all * shape_strands);
      // first the mean is projected out, then g0
      double w1 = 0, wg = 0;
      if (level.photometric) {
        w1 = (J[(modes + 1) * all + i] - along_one) * by_values;
        wg = (J[modes * all + i] - (along_mean + w1 * g0_1)) * by_square;
      }
      by_1[i] = w1, by_g0[i] = wg;
      along_g0[i] = along_mean, along_1[i] = along_one;
      double right = J[(modes + 2) * all + i] - (along_d + wg * by_mean + w1 * by_one);
      if (i >= 4) right += tables.prior[i] * tables.expected[i - 4];
      matrix[i * (all + 1) + all] = right;
    }
    block.wait();
    const int count = hessian_parts(level, shape.landmarks), triangle = all * (all + 1) / 2;
    const double* parts = hessian_part(batch, face, 0, all);
#pragma unroll 1
    for (int t = block.thread(); t < triangle; t += block.threads()) {
      const auto [i, j] = triangle_place(t);
      double value = sum_in_strands<16>(0, count, 1, [&](int part) { return parts[part * triangle + t]; });
      if (level.photometric) {
        const double *jg = J + modes * all, *j1 = jg + all;
        value -= by_g0[i] * jg[j] + jg[i] * by_g0[j] + by_1[i] * j1[j] + j1[i] * by_1[j];
        value += along_g0[i] * by_g0[j] + by_g0[i] * along_g0[j] + along_1[i] * by_1[j] + by_1[i] * along_1[j];
        value += g0_g0 * by_g0[i] * by_g0[j] + one_1 * by_1[i] * by_1[j];
        value += g0_1 * (by_g0[i] * by_1[j] + by_1[i] * by_g0[j]);
      }
      matrix[j * (all + 1) + i] = value;
    }
    block.wait();
    const double trace = sum_in_strands<12>(0, all, 1, [&](int i) { return matrix[i * (all + 1) + i]; });
    block.wait();
#pragma unroll 1
    for (int i = block.thread(); i < all; i += block.threads())
      matrix[i * (all + 1) + i] += 1e-6 * trace / static_cast<double>(all) + tables.prior[i];
    block.wait();
    solve_symmetric(block, matrix, places, pivots, dq);

    double* lambda = of_face(batch.lambda, face, batch.sizes.texture_modes);
#pragma unroll 1
    for (int k = block.threads() - 1 - block.thread(); k < modes; k += block.threads()) {  // the first threads go on
      double sum = 0;
      in_batches<12>(
          0, all, 1, [&](int i) { return J[k * all + i]; }, [&](double j, int i) { sum = std::fma(j, dq[i], sum); });
      lambda[k] = difference[k] - sum;
    }
  }

  // Row and column of each element, column by column, so that those to the right of a column are at the end.
  template <class Block>
  KINEMA_HD void list_elements(Block& block, int* places) const {
    const int n = shape.all;
#pragma unroll 1
    for (int k = block.thread(); k < n; k += block.threads())
      for (int i = k; i <= n; ++i) places[first_of_column(k) + i - k] = i << 16 | k;
  }
  KINEMA_HD int first_of_column(int k) const { return k * (shape.all + 1) - k * (k - 1) / 2; }

  // The inverse of the pivots j and j + 1 together: one division for two. Past the last unknown there is nothing.
  KINEMA_HD static Pivots inverse_of(double d0, double l, double d1) {
    const double determinant = std::fma(d0, d1, -(l * l));
    if (determinant != 0) {
      const double share = 1 / determinant;
      return {d1 * share, -l * share, d0 * share};
    }
    return {d0 != 0 ? 1 / d0 : 0, 0, d1 != 0 ? 1 / d1 : 0};
  }

  // An element in row i of column k after the columns j and j + 1, whose pivots have this inverse.
  KINEMA_HD static double eliminated(const double* c0, const double* c1, const Pivots& by, int i, int k,
                                     double before) {
    const double w0 = std::fma(by.xx, c0[k], by.xy * c1[k]), w1 = std::fma(by.xy, c0[k], by.yy * c1[k]);
    return std::fma(-c0[i], w0, std::fma(-c1[i], w1, before));
  }

  // L D L^T with D of blocks of two, from left to right; L D stays in place. One thread goes ahead: it finds the next pivots and
  // their inverse, which take longest, while the others bring the rest up to date. All threads see the result.
  template <class Block>
  KINEMA_HD void solve_symmetric(Block& block, double* matrix, const int* places, Pivots* pivots, double* x) const {
    const int n = shape.all, rows = n + 1, count = elements();
    const bool ahead = block.thread() == block.threads() - 1;
    if (ahead && n > 0)
      pivots[0] = n > 1 ? inverse_of(matrix[0], matrix[1], matrix[rows + 1]) : inverse_of(matrix[0], 0, 1);
    block.wait();
    for (int j = 0; j + 2 < n; j += 2) {
      const double *c0 = matrix + j * rows, *c1 = c0 + rows;
      const Pivots by = pivots[j / 2];
      const int next = j + 2, after = j + 3;
      if (ahead) {
        const double d0 = eliminated(c0, c1, by, next, next, matrix[next * rows + next]);
        double l = 0, d1 = 1;
        if (after < n) {
          l = eliminated(c0, c1, by, after, next, matrix[next * rows + after]);
          d1 = eliminated(c0, c1, by, after, after, matrix[after * rows + after]);
        }
        pivots[next / 2] = inverse_of(d0, l, d1);
      }
#pragma unroll 1
      for (int e = first_of_column(next) + block.thread(); e < count; e += block.threads()) {
        const int i = places[e] >> 16, k = places[e] & 0xffff;
        if (i > after || i == n) matrix[k * rows + i] = eliminated(c0, c1, by, i, k, matrix[k * rows + i]);
      }
      block.wait();
    }
    // from the last unknowns to the first, four at a time: every thread that has a row left finds these itself
    for (int high = (n - 1) / 2 * 2; high >= 0; high -= 4) {
      const int low = high - 2;
      const bool whole = high + 1 < n;
      const auto right = [&](int k) -> double& { return matrix[k * rows + n]; };
      double x0 = 0, x1 = 0, y0 = 0, y1 = 0;
      if (block.thread() < low || block.thread() == 0) {
        find_pair(pivots[high / 2], right(high), whole ? right(high + 1) : 0, x0, x1);
        if (low >= 0)
          find_pair(pivots[low / 2], left_of(matrix + low * rows, high, whole, x0, x1, right(low)),
                    left_of(matrix + (low + 1) * rows, high, whole, x0, x1, right(low + 1)), y0, y1);
      }
#pragma unroll 1
      for (int k = block.thread(); k < low; k += block.threads()) {
        const double* column = matrix + k * rows;
        const double left = left_of(column, high, whole, x0, x1, right(k));
        right(k) = std::fma(-column[low], y0, std::fma(-column[low + 1], y1, left));
      }
      if (block.thread() == 0) {
        x[high] = x0;
        if (whole) x[high + 1] = x1;
        if (low >= 0) x[low] = y0, x[low + 1] = y1;
      }
      block.wait();
    }
  }

  KINEMA_HD static void find_pair(const Pivots& by, double r0, double r1, double& x0, double& x1) {
    x0 = std::fma(by.xx, r0, by.xy * r1), x1 = std::fma(by.xy, r0, by.yy * r1);
  }
  // What the unknowns at `high` leave of a right side.
  KINEMA_HD static double left_of(const double* column, int high, bool whole, double x0, double x1, double right) {
    const double left = std::fma(-column[high], x0, right);
    return whole ? std::fma(-column[high + 1], x1, left) : left;
  }
};

}  // namespace kinema::face
