// The step of an inverse compositional stage by one block of threads: the equations for shape and texture together, their
// solution, and the warp composed with the inverse of the displacement it gives.
#pragma once

#include "face/shape_works.h"

#include <cmath>

namespace kinema::face {

struct StepWork {
  static constexpr int threads = 256;
  ShapeTable shape;
  LevelTable level;
  FitBatch batch;

  // J's products, the matrix with its right side as the last row, and what follows from them
  std::size_t descent_bytes() const {
    return level.simultaneous ? shared_size<double>(descent_columns(level) * shape.all) : 0;
  }
  std::size_t shared_bytes() const {
    return ShapeScratch::bytes(shape) + step_bytes() + matrix_bytes() + descent_bytes() + affine_bytes();
  }
  KINEMA_HD std::size_t step_bytes() const { return shared_size<double>(shape.all); }
  KINEMA_HD std::size_t matrix_bytes() const {
    return level.simultaneous ? shared_size<double>((shape.all + 1) * shape.all) + shared_size<double>(4 * shape.all)
                              : 0;
  }
  KINEMA_HD std::size_t affine_bytes() const { return shared_size<double>(4 * shape.triangles); }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y();
    if (face >= *batch.count || batch.states[face].running == 0) return;
    const ShapeScratch scratch = ShapeScratch::in(block, shape);
    std::size_t from = ShapeScratch::bytes(shape);
    auto* dq = block.template shared<double>(from);
    from += step_bytes();
    auto* affine = block.template shared<double>(from);
    from += affine_bytes();
    const double* points = of_face(batch.shape, face, shape.size);
    if (level.simultaneous) {
      solve(block, face, from, points, scratch, dq);
    } else {
      copy(block, of_face(batch.difference, face, batch.sizes.rows) + level.modes, dq, shape.all);
      block.wait();
    }
    compose_warp(block, points, dq, affine, scratch);
    project_on_model(block, shape, scratch);
    copy(block, scratch.points, of_face(batch.next, face, shape.size), shape.size);
    transform(block, batch.states[face].to_source, scratch.points, of_face(batch.placed, face, shape.size),
              shape.landmarks);
  }

private:
  // The composition of Matthews and Baker, as WarpComposition has it; all threads see the result in scratch.points.
  template <class Block>
  KINEMA_HD void compose_warp(Block& block, const double* points, const double* dq, double* affine,
                              const ShapeScratch& scratch) const {
    double* displaced = scratch.unit;
    for (int i = block.thread(); i < shape.size; i += block.threads()) {
      double at = shape.mean[i];
#pragma unroll 8
      for (int k = 0; k < shape.all; ++k) at -= dq[k] * shape.basis[static_cast<std::size_t>(k) * shape.size + i];
      displaced[i] = at;
    }
    for (int t = block.thread(); t < shape.triangles; t += block.threads()) {
      const int a = 2 * shape.corners[3 * t], b = 2 * shape.corners[3 * t + 1], c = 2 * shape.corners[3 * t + 2];
      const double* inverse = shape.inverse_edges + 4 * t;
      const double bx = points[b] - points[a], cx = points[c] - points[a];
      const double by = points[b + 1] - points[a + 1], cy = points[c + 1] - points[a + 1];
      affine[4 * t] = bx * inverse[0] + cx * inverse[2];
      affine[4 * t + 1] = bx * inverse[1] + cx * inverse[3];
      affine[4 * t + 2] = by * inverse[0] + cy * inverse[2];
      affine[4 * t + 3] = by * inverse[1] + cy * inverse[3];
    }
    block.wait();
    for (int vertex = block.thread(); vertex < shape.landmarks; vertex += block.threads()) {
      const double px = displaced[2 * vertex], py = displaced[2 * vertex + 1];
      const int first = shape.vertex_first[vertex], last = shape.vertex_first[vertex + 1];
      double x = 0, y = 0;
      for (int e = first; e < last; ++e) {
        const int t = shape.vertex_triangles[e], a = 2 * shape.corners[3 * t];
        const double dx = px - shape.mean[a], dy = py - shape.mean[a + 1];
        x += points[a] + (affine[4 * t] * dx + affine[4 * t + 1] * dy);
        y += points[a + 1] + (affine[4 * t + 2] * dx + affine[4 * t + 3] * dy);
      }
      const int count = last - first;
      scratch.points[2 * vertex] = count > 0 ? x / count : points[2 * vertex] + px - shape.mean[2 * vertex];
      scratch.points[2 * vertex + 1] = count > 0 ? y / count : points[2 * vertex + 1] + py - shape.mean[2 * vertex + 1];
    }
    block.wait();
  }

  // J minus its projection on U = [Pg; g0; 1] is J - W U, W = [J Pg^T, wg, w1]: with it H = J J^T - J Pg^T (J Pg^T)^T and terms
  // of a few vectors, which are 0 unless textures are normalised.
  template <class Block>
  KINEMA_HD void solve(Block& block, int face, std::size_t from, const double* points, const ShapeScratch& scratch,
                       double* dq) const {
    const int all = shape.all, modes = level.modes, columns = descent_columns(level);
    auto* matrix = block.template shared<double>(from);  // (all + 1) x all
    from += shared_size<double>((all + 1) * all);
    auto* by_g0 = block.template shared<double>(from);  // wg
    double *by_1 = by_g0 + all, *along_g0 = by_1 + all, *along_1 = along_g0 + all;
    from += shared_size<double>(4 * all);
    auto* J = block.template shared<double>(from);  // columns x all
    const FaceState& state = batch.states[face];
    const double* difference = of_face(batch.difference, face, batch.sizes.rows);
    copy(block, of_face(batch.descent, face, batch.sizes.descent), J, columns * all);

    // the prior: b of the current shape
    copy(block, points, scratch.points, shape.size);
    block.wait();
    const Similarity pose = pose_of(block, shape, scratch.points, scratch.sums);
    transform(block, inverse(pose), scratch.points, scratch.unit, shape.landmarks);
    block.wait();
    parameters_of(block, shape, scratch.unit, false, scratch.parameters);

    const double *c_mean = level.by_mean, *c_one = level.by_one;  // Pg g0, Pg 1
    const double g0_g0 = level.by_mean[modes], g0_1 = level.by_one[modes], one_1 = level.values;
    for (int i = block.thread(); i < all; i += block.threads()) {
      double along_mean = 0, along_one = 0, along_d = 0;
      for (int k = 0; k < modes; ++k) {
        const double w = J[k * all + i];
        along_mean += w * c_mean[k], along_one += w * c_one[k], along_d += w * difference[k];
      }
      // first the mean is projected out, then g0
      double w1 = 0, wg = 0;
      if (level.photometric) {
        w1 = (J[(modes + 1) * all + i] - along_one) / one_1;
        wg = (J[modes * all + i] - (along_mean + w1 * g0_1)) / g0_g0;
      }
      by_1[i] = w1, by_g0[i] = wg;
      along_g0[i] = along_mean, along_1[i] = along_one;
      matrix[all * all + i] = J[(modes + 2) * all + i] - (along_d + wg * state.by_mean + w1 * state.by_one);
    }
    block.wait();
    const int groups = vertex_groups(shape.landmarks), triangle = all * (all + 1) / 2;
    const double* parts = of_face(batch.hessian, face, batch.sizes.hessian);
    for (int t = block.thread(); t < all * all; t += block.threads()) {
      const int i = t / all, j = t % all;
      if (j > i) continue;
      double self = 0;
      for (int g = 0; g < groups; ++g) self += parts[g * triangle + i * (i + 1) / 2 + j];
      double even = 0, odd = 0;
      int k = 0;
      for (; k + 2 <= modes; k += 2) {
        even += J[k * all + i] * J[k * all + j];
        odd += J[(k + 1) * all + i] * J[(k + 1) * all + j];
      }
      if (k < modes) even += J[k * all + i] * J[k * all + j];
      double value = self - (even + odd);
      if (level.photometric) {
        const double *jg = J + modes * all, *j1 = jg + all;
        value -= by_g0[i] * jg[j] + jg[i] * by_g0[j] + by_1[i] * j1[j] + j1[i] * by_1[j];
        value += along_g0[i] * by_g0[j] + by_g0[i] * along_g0[j] + along_1[i] * by_1[j] + by_1[i] * along_1[j];
        value += g0_g0 * by_g0[i] * by_g0[j] + one_1 * by_1[i] * by_1[j];
        value += g0_1 * (by_g0[i] * by_1[j] + by_1[i] * by_g0[j]);
      }
      matrix[i * all + j] = value;
    }
    block.wait();
    double trace = 0;
    for (int i = 0; i < all; ++i) trace += matrix[i * all + i];
    block.wait();
    for (int i = block.thread(); i < all; i += block.threads()) {
      double more = 1e-6 * trace / static_cast<double>(all);
      if (i >= 4) {
        const double weight = level.prior / shape.variances[i - 4];
        more += weight;
        matrix[all * all + i] += weight * scratch.parameters[i - 4];
      }
      matrix[i * all + i] += more;
    }
    block.wait();
    solve_symmetric(block, matrix, dq);

    double* lambda = of_face(batch.lambda, face, batch.sizes.texture_modes);
    for (int k = block.thread(); k < modes; k += block.threads()) {
      double sum = 0;
      for (int i = 0; i < all; ++i) sum += J[k * all + i] * dq[i];
      lambda[k] = difference[k] - sum;
    }
  }

  // matrix: the lower triangle, and the right side as row `all`. All threads see the result.
  template <class Block>
  KINEMA_HD void solve_symmetric(Block& block, double* matrix, double* x) const {
    const int n = shape.all;
    const int wide = block.threads() >= 16 ? 16 : 1, high = block.threads() / wide;
    const int column = block.thread() % wide, row = block.thread() / wide;
    // L D L^T from left to right; L_ij D_j stays in place
    for (int j = 0; j < n; ++j) {
      const double pivot = matrix[j * n + j], share = pivot != 0 ? 1 / pivot : 0;
      if (row < high)
        for (int i = j + 1 + row; i <= n; i += high) {
          const double by = matrix[i * n + j] * share;
          const int last = i < n ? i : n - 1;
          for (int k = j + 1 + column; k <= last; k += wide) matrix[i * n + k] -= by * matrix[k * n + j];
        }
      block.wait();
    }
    for (int j = n - 1; j >= 0; --j) {
      const double pivot = matrix[j * n + j], value = pivot != 0 ? matrix[n * n + j] / pivot : 0;
      for (int k = block.thread(); k < j; k += block.threads()) matrix[n * n + k] -= matrix[j * n + k] * value;
      if (block.thread() == 0) x[j] = value;
      block.wait();
    }
  }
};

}  // namespace kinema::face
