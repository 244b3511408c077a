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

  static constexpr int threads = 512;
  ShapeTable shape;
  LevelTable level;
  FitBatch batch;

  // J's products, the equations, and what follows from them
  KINEMA_HD std::size_t step_bytes() const { return shared_size<double>(shape.all); }
  KINEMA_HD std::size_t affine_bytes() const { return shared_size<Affine>(shape.triangles); }
  std::size_t equation_bytes() const {
    if (!level.simultaneous) return 0;
    const int all = shape.all, columns = descent_columns(level);
    return shared_size<double>(all * (all + 1)) + shared_size<double>(5 * all) + shared_size<int>(elements()) +
           shared_size<double>(3 * shape_strands * all) + shared_size<double>(columns * all);
  }
  std::size_t shared_bytes() const {
    return ShapeScratch::bytes(shape) + step_bytes() + affine_bytes() + equation_bytes();
  }
  /// Of the lower triangle and the right side.
  KINEMA_HD int elements() const { return shape.all * (shape.all + 1) / 2 + shape.all; }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y();
    if (face >= *batch.count || batch.states[face].running == 0) return;
    const ShapeScratch scratch = ShapeScratch::in(block, shape);
    std::size_t from = ShapeScratch::bytes(shape);
    auto* dq = block.template shared<double>(from);
    from += step_bytes();
    auto* affine = block.template shared<Affine>(from);
    from += affine_bytes();
    copy(block, of_face(batch.shape, face, shape.size), scratch.points, shape.size);
    if (level.simultaneous) {
      solve(block, face, from, scratch, dq);
    } else {
      copy(block, of_face(batch.difference, face, batch.sizes.rows) + level.modes, dq, shape.all);
      block.wait();
    }
    compose_warp(block, dq, affine, scratch);
    project_on_model(block, shape, scratch);
    copy(block, scratch.points, of_face(batch.next, face, shape.size), shape.size);
    transform(block, batch.states[face].to_source, scratch.points, of_face(batch.placed, face, shape.size),
              shape.landmarks);
  }

private:
  // The composition of Matthews and Baker, as WarpComposition has it, of the shape in scratch.points, where all threads see the
  // result.
  template <class Block>
  KINEMA_HD void compose_warp(Block& block, const double* dq, Affine* affine, const ShapeScratch& scratch) const {
    double *displaced = scratch.unit, *points = scratch.points;
#pragma unroll 1
    for (int i = block.thread(); i < shape.size; i += block.threads()) {
      double at = shape.mean[i];
      in_batches<18>(
          0, shape.all, 1, [&](int k) { return shape.basis[static_cast<std::size_t>(k) * shape.size + i]; },
          [&](double mode, int k) { at = std::fma(-dq[k], mode, at); });
      displaced[i] = at;
    }
#pragma unroll 1
    for (int t = block.thread(); t < shape.triangles; t += block.threads()) {
      const int a = 2 * shape.corners[3 * t], b = 2 * shape.corners[3 * t + 1], c = 2 * shape.corners[3 * t + 2];
      const double* inverse = shape.inverse_edges + 4 * t;
      const double bx = points[b] - points[a], cx = points[c] - points[a];
      const double by = points[b + 1] - points[a + 1], cy = points[c + 1] - points[a + 1];
      affine[t] = {shape.mean[a],
                   shape.mean[a + 1],
                   points[a],
                   points[a + 1],
                   bx * inverse[0] + cx * inverse[2],
                   bx * inverse[1] + cx * inverse[3],
                   by * inverse[0] + cy * inverse[2],
                   by * inverse[1] + cy * inverse[3]};
    }
    block.wait();
#pragma unroll 1
    for (int vertex = block.thread(); vertex < shape.landmarks; vertex += block.threads()) {
      const double px = displaced[2 * vertex], py = displaced[2 * vertex + 1];
      const int first = shape.vertex_first[vertex], last = shape.vertex_first[vertex + 1];
      double x = 0, y = 0;
      in_batches<8>(
          first, last, 1, [&](int e) { return int{shape.vertex_triangles[e]}; },
          [&](int triangle, int) {
            const Affine& of = affine[triangle];
            const double dx = px - of.from_x, dy = py - of.from_y;
            x += std::fma(of.xx, dx, std::fma(of.xy, dy, of.to_x));
            y += std::fma(of.yx, dx, std::fma(of.yy, dy, of.to_y));
          });
      const double share = shape.vertex_share[vertex];
      points[2 * vertex] = share > 0 ? x * share : points[2 * vertex] + px - shape.mean[2 * vertex];
      points[2 * vertex + 1] = share > 0 ? y * share : points[2 * vertex + 1] + py - shape.mean[2 * vertex + 1];
    }
    block.wait();
  }

  // J minus its projection on U = [Pg; g0; 1] is J - W U, W = [J Pg^T, wg, w1]: with it H = J J^T - J Pg^T (J Pg^T)^T and terms
  // of a few vectors, which are 0 unless textures are normalised.
  template <class Block>
  KINEMA_HD void solve(Block& block, int face, std::size_t from, const ShapeScratch& scratch, double* dq) const {
    const int all = shape.all, modes = level.modes, columns = descent_columns(level);
    // column by column, the right side as row `all`
    auto* matrix = block.template shared<double>(from);
    from += shared_size<double>(all * (all + 1));
    auto* by_g0 = block.template shared<double>(from);  // wg
    double *by_1 = by_g0 + all, *along_g0 = by_1 + all, *along_1 = along_g0 + all, *shares = along_1 + all;
    from += shared_size<double>(5 * all);
    auto* places = block.template shared<int>(from);
    from += shared_size<int>(elements());
    auto* strands = block.template shared<double>(from);  // 3 x all x strands
    from += shared_size<double>(3 * shape_strands * all);
    auto* J = block.template shared<double>(from);  // columns x all
    const FaceState& state = batch.states[face];
    const double* difference = of_face(batch.difference, face, batch.sizes.rows);
    copy(block, of_face(batch.descent, face, batch.sizes.descent), J, columns * all);
    list_elements(block, places);

    // the prior: b of the current shape
    block.wait();
    const Similarity pose = pose_of(block, shape, scratch.points, scratch.sums);
    transform(block, inverse(pose), scratch.points, scratch.unit, shape.landmarks);
    block.wait();
    parameters_of(block, shape, scratch.unit, false, scratch.parts, scratch.parameters);

    const double *c_mean = level.by_mean, *c_one = level.by_one;  // Pg g0, Pg 1
    const double g0_g0 = level.by_mean[modes], g0_1 = level.by_one[modes], one_1 = level.values;
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
      double right = J[(modes + 2) * all + i] - (along_d + wg * state.by_mean + w1 * state.by_one);
      if (i >= 4) right += level.prior[i] * scratch.parameters[i - 4];
      matrix[i * (all + 1) + all] = right;
    }
    block.wait();
    const int count = hessian_parts(level, shape.landmarks), triangle = all * (all + 1) / 2;
    const double* parts = hessian_part(batch, face, 0, all);
#pragma unroll 1
    for (int t = block.thread(); t < triangle; t += block.threads()) {
      const auto [i, j] = triangle_place(t);
      double value = sum_in_batches<10>(0, count, 1, [&](int part) { return parts[part * triangle + t]; });
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
    const double trace = sum_in_batches<6>(0, all, 1, [&](int i) { return matrix[i * (all + 1) + i]; });
    block.wait();
#pragma unroll 1
    for (int i = block.thread(); i < all; i += block.threads())
      matrix[i * (all + 1) + i] += 1e-6 * trace / static_cast<double>(all) + level.prior[i];
    block.wait();
    solve_symmetric(block, matrix, places, shares, dq);

    double* lambda = of_face(batch.lambda, face, batch.sizes.texture_modes);
#pragma unroll 1
    for (int k = block.thread(); k < modes; k += block.threads()) {
      double sum = 0;
      in_batches<6>(
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

  // All threads see the result.
  template <class Block>
  KINEMA_HD void solve_symmetric(Block& block, double* matrix, const int* places, double* shares, double* x) const {
    const int n = shape.all, rows = n + 1, count = elements();
    // L D L^T from left to right; L_ij D_j stays in place
    for (int j = 0; j < n; ++j) {
      const double* column = matrix + j * rows;
      const double share = column[j] != 0 ? 1 / column[j] : 0;
#pragma unroll 1
      for (int e = first_of_column(j + 1) + block.thread(); e < count; e += block.threads()) {
        const int i = places[e] >> 16, k = places[e] & 0xffff;
        matrix[k * rows + i] = std::fma(-(column[i] * share), column[k], matrix[k * rows + i]);
      }
      if (block.thread() == 0) shares[j] = share;
      block.wait();
    }
    // from the last unknown to the first, four at a time: every thread solves for these itself
    constexpr int together = 4;
    for (int first = n - together; first > -together; first -= together) {
      double found[together];
#pragma unroll
      for (int a = together - 1; a >= 0; --a) {
        if (first + a < 0) continue;
        const double* column = matrix + (first + a) * rows;
        double right = column[n];
#pragma unroll
        for (int b = together - 1; b > a; --b) right = std::fma(-column[first + b], found[b], right);
        found[a] = right * shares[first + a];
      }
#pragma unroll 1
      for (int k = block.thread(); k < first; k += block.threads()) {
        double right = matrix[k * rows + n];
#pragma unroll
        for (int b = together - 1; b >= 0; --b) right = std::fma(-matrix[k * rows + first + b], found[b], right);
        matrix[k * rows + n] = right;
      }
      if (block.thread() == 0) {
#pragma unroll
        for (int a = 0; a < together; ++a)
          if (first + a >= 0) x[first + a] = found[a];
      }
      block.wait();
    }
  }
};

}  // namespace kinema::face
