// The step of an inverse compositional stage by one block of threads: the equations for shape and texture together, their
// solution, and the warp composed with the inverse of the displacement it gives.
#pragma once

#include "core/thread_block.h"
#include "face/chain/fit_batch.h"
#include "face/chain/shape_kernels.h"
#include "face/chain/symmetric_system.h"

#include <cmath>

namespace kinema::face {

template <bool near>
struct StepKernel {
  /// The affine map of a triangle's mean shape to its current one: places of its first corner, and the matrix.
  struct Affine {
    double from_x, from_y, to_x, to_y;
    double xx, xy, yx, yy;
    double unused;  // without it, threads that read neighbours wait for each other
  };

  static constexpr int threads = 576;
  ShapeTable shape;
  LevelTable level;
  FitBatch batch;

  struct Memory {
    // of the model
    ShapeTable model;
    const double *prior, *by_mean, *by_one;
    // of the face
    ShapeScratch scratch;
    double *before, *dq;  // the shape that is left, and the displacement
    Affine* affine;       // triangles
    double* moved;        // around x 2: where each triangle puts each of its vertices
    // of a simultaneous stage
    double *J, *difference, *expected;
    double *by_g0, *by_1, *along_g0, *along_1, *diagonal;  // all
    double *strands, *trace;                               // 2 x all x strands, strands
    SymmetricSystem system;
  };
  template <class Arrays>
  KINEMA_HD Memory memory(Arrays&& arrays) const {
    // without equations they have no place; none is null, or a device would not know where all of them are
    const int all = level.simultaneous ? shape.all : 0, modes = level.simultaneous ? level.modes : 0;
    Memory of{};
    of.model = near_shape<near>(arrays, shape);
    of.model.corners = arrays.template take<int>(3 * shape.triangles);
    of.model.inverse_edges = arrays.template take<double>(4 * shape.triangles);
    of.model.vertex_first = arrays.template take<int>(shape.landmarks + 1);
    of.model.vertex_share = arrays.template take<double>(shape.landmarks);
    of.model.vertex_triangles = arrays.template take<int>(shape.around);
    of.model.vertex_of_triangle = arrays.template take<int>(shape.around);
    of.scratch = ShapeScratch::in(arrays, shape);
    of.before = arrays.template take<double>(shape.size);
    of.dq = arrays.template take<double>(shape.all);
    of.affine = arrays.template take<Affine>(shape.triangles);
    of.moved = arrays.template take<double>(2 * shape.around);
    of.prior = arrays.template take<double>(all);
    of.by_mean = arrays.template take<double>(modes + 1);
    of.by_one = arrays.template take<double>(modes + 1);
    of.J = arrays.template take<double>(descent_columns(level) * all);
    of.difference = arrays.template take<double>(modes);
    of.expected = arrays.template take<double>(shape.modes);
    of.by_g0 = arrays.template take<double>(5 * all);
    of.by_1 = of.by_g0 + all, of.along_g0 = of.by_1 + all, of.along_1 = of.along_g0 + all;
    of.diagonal = of.along_1 + all;
    of.strands = arrays.template take<double>(2 * shape_strands * all);
    of.trace = arrays.template take<double>(shape_strands);
    of.system = SymmetricSystem::in(arrays, all);
    return of;
  }
  std::size_t shared_bytes() const {
    return bytes_taken([this](auto& arrays) { memory(arrays); });
  }

  template <class Block>
  KINEMA_HD void prepare(Block& block) const {
    const Memory of = memory(SharedArrays(block));
    fetch_shape<near>(block, shape, of.model);
    fetch_table(block, shape.corners, of.model.corners, 3 * shape.triangles);
    fetch_table(block, shape.inverse_edges, of.model.inverse_edges, 4 * shape.triangles);
    fetch_table(block, shape.vertex_first, of.model.vertex_first, shape.landmarks + 1);
    fetch_table(block, shape.vertex_share, of.model.vertex_share, shape.landmarks);
    fetch_table(block, shape.vertex_triangles, of.model.vertex_triangles, shape.around);
    fetch_table(block, shape.vertex_of_triangle, of.model.vertex_of_triangle, shape.around);
    if (!level.simultaneous) return;
    fetch_table(block, level.prior, of.prior, shape.all);
    fetch_table(block, level.by_mean, of.by_mean, level.modes + 1);
    fetch_table(block, level.by_one, of.by_one, level.modes + 1);
    of.system.clear_padding(block);
  }

  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    const int face = block.y();
    if (!is_running(batch, block.rows(), face)) return;
    const Memory of = memory(SharedArrays(block));
    block.fetch(of_face(batch.shape, face, shape.size), of.before, shape.size);
    if (level.simultaneous) {
      block.fetch(of_face(batch.descent, face, batch.sizes.descent), of.J, descent_columns(level) * shape.all);
      block.fetch(of_face(batch.difference, face, batch.sizes.rows), of.difference, level.modes);
      block.fetch(of_face(batch.expected, face, batch.sizes.modes), of.expected, shape.modes);
      add_parts(block, face, of);  // meanwhile
    } else {
      block.fetch(of_face(batch.difference, face, batch.sizes.rows) + level.modes, of.dq, shape.all);
    }
    const FaceState& state = batch.states[face];
    const Similarity to_source = state.to_source;
    const double by_mean = state.by_mean, by_one = state.by_one;
    block.wait_fetched();
    find_affines(block, of);
    if (level.simultaneous) solve(block, face, of, by_mean, by_one);
    compose_warp(block, of);
    project_on_model(block, of.model, of.scratch);
    copy(block, of.scratch.points, of_face(batch.next, face, shape.size), shape.size);
    transform(block, to_source, of.scratch.points, of_face(batch.placed, face, shape.size), shape.landmarks);
  }

private:
  // The composition of Matthews and Baker, as WarpComposition has it, to scratch.points, where all threads see the result.
  template <class Block>
  KINEMA_HD void compose_warp(Block& block, const Memory& of) const {
    const ShapeTable& model = of.model;
    double *displaced = of.scratch.unit, *points = of.scratch.points;
    combine_modes(block, model, 0, shape.all, of.dq, -1, of.scratch.strands, displaced);
#pragma unroll 1
    for (int e = block.thread(); e < shape.around; e += block.threads()) {
      const int vertex = model.vertex_of_triangle[e];
      const Affine& by = of.affine[model.vertex_triangles[e]];
      const double dx = displaced[2 * vertex] - by.from_x, dy = displaced[2 * vertex + 1] - by.from_y;
      of.moved[2 * e] = std::fma(by.xx, dx, std::fma(by.xy, dy, by.to_x));
      of.moved[2 * e + 1] = std::fma(by.yx, dx, std::fma(by.yy, dy, by.to_y));
    }
    block.wait();
#pragma unroll 1
    for (int i = block.thread(); i < shape.size; i += block.threads()) {
      const int vertex = i / 2;
      const double share = model.vertex_share[vertex];
      double sum = 0;
      in_order<4>(
          model.vertex_first[vertex], model.vertex_first[vertex + 1], 1, [&](int e) { return of.moved[2 * e + i % 2]; },
          [&](double moved, int) { sum += moved; });
      points[i] = share > 0 ? sum * share : of.before[i] + displaced[i] - model.mean[i];
    }
    block.wait();
  }

  // The affine maps of the current shape; by the last threads, since the first are busy elsewhere.
  template <class Block>
  KINEMA_HD void find_affines(Block& block, const Memory& of) const {
    const double* points = of.before;
#pragma unroll 1
    for (int t = block.threads() - 1 - block.thread(); t < shape.triangles; t += block.threads()) {
      const int* corner = of.model.corners + 3 * t;
      const int a = 2 * corner[0], b = 2 * corner[1], c = 2 * corner[2];
      const double* inverse = of.model.inverse_edges + 4 * t;
      const double bx = points[b] - points[a], cx = points[c] - points[a];
      const double by = points[b + 1] - points[a + 1], cy = points[c + 1] - points[a + 1];
      of.affine[t] = {of.model.mean[a],
                      of.model.mean[a + 1],
                      points[a],
                      points[a + 1],
                      bx * inverse[0] + cx * inverse[2],
                      bx * inverse[1] + cx * inverse[3],
                      by * inverse[0] + cy * inverse[2],
                      by * inverse[1] + cy * inverse[3],
                      0};
    }
  }

  // The parts of J J^T - J Pg^T (J Pg^T)^T, two elements a thread, and those of the right side.
  template <class Block>
  KINEMA_HD void add_parts(Block& block, int face, const Memory& of) const {
    struct alignas(8) Two {
      float at[2];
    };
    const int all = shape.all, triangle = all * (all + 1) / 2, stride = hessian_stride(all) / 2;
    const auto* parts = reinterpret_cast<const Two*>(hessian_part(batch, face, 0, all));
    const double* gradient = of_face(batch.gradient, face, batch.sizes.gradient);
#pragma unroll 1
    for (int t = block.thread(); t < stride + all; t += block.threads()) {
      if (t >= stride) {
        const int i = t - stride;
        double sums[4] = {};
        in_strands<12>(
            column_blocks(level), [&](int part) { return gradient[part * all + i]; },
            [&](int strand, double value) { sums[strand] += value; });
        of.system.right(i) = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        continue;
      }
      double sums[4][2] = {};
      in_strands<16>(
          hessian_parts(level, shape.landmarks), [&](int part) { return parts[part * stride + t]; },
          [&](int strand, const Two& value) { sums[strand][0] += value.at[0], sums[strand][1] += value.at[1]; });
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        if (2 * t + k >= triangle) continue;
        const auto [i, j] = triangle_place(2 * t + k);
        const double sum = (sums[0][k] + sums[1][k]) + (sums[2][k] + sums[3][k]);
        of.system.at(i, j) = sum;
        if (i == j) of.diagonal[i] = sum;
      }
    }
  }

  // J minus its projection on U = [Pg; g0; 1] is J - W U, W = [J Pg^T, wg, w1]: with it H = J J^T - J Pg^T (J Pg^T)^T and terms
  // of a few vectors, which are 0 unless textures are normalised.
  template <class Block>
  KINEMA_HD void solve(Block& block, int face, const Memory& of, double by_mean, double by_one) const {
    const int all = shape.all, modes = level.modes;
    const double *J = of.J, *difference = of.difference;  // J: columns x all
    add_trace(block, of);
    if (level.photometric) project_out(block, of, by_mean, by_one);
    block.wait();
#pragma unroll 1
    for (int i = block.thread(); i < all; i += block.threads()) {
      const double trace = sum_of_shape_strands(of.trace);
      of.system.at(i, i) = of.diagonal[i] + (1e-6 * trace / static_cast<double>(all) + of.prior[i]);
      if (i >= 4) of.system.right(i) += of.prior[i] * of.expected[i - 4];
    }
    block.wait();
    of.system.solve(block, of.dq);

    double* lambda = of_face(batch.lambda, face, batch.sizes.texture_modes);
#pragma unroll 1
    for (int k = block.threads() - 1 - block.thread(); k < modes; k += block.threads()) {  // the first threads go on
      double sum = 0;
      in_order<7>(
          0, all, 1, [&](int i) { return J[k * all + i]; }, [&](double j, int i) { sum = std::fma(j, of.dq[i], sum); });
      lambda[k] = difference[k] - sum;
    }
  }

  // The sum of the diagonal, by the last threads.
  template <class Block>
  KINEMA_HD void add_trace(Block& block, const Memory& of) const {
#pragma unroll 1
    for (int s = block.threads() - 1 - block.thread(); s < shape_strands; s += block.threads()) {
      double sum = 0;
      for (int i = s; i < shape.all; i += shape_strands) sum += of.diagonal[i];
      of.trace[s] = sum;
    }
  }

  // Projects the mean and g0 out, in this order: the right side, the matrix and its trace.
  template <class Block>
  KINEMA_HD void project_out(Block& block, const Memory& of, double by_mean, double by_one) const {
    const int all = shape.all, modes = level.modes;
    const double* J = of.J;
#pragma unroll 1
    for (int t = block.thread(); t < shape_strands * all; t += block.threads()) {
      const int strand = t / all, i = t - strand * all;
      double* to = of.strands + i * shape_strands + strand;
      to[0] = product_of(strand, J + i, of.by_mean);
      to[all * shape_strands] = product_of(strand, J + i, of.by_one);
    }
    block.wait();
#pragma unroll 1
    for (int i = block.thread(); i < all; i += block.threads()) {
      const double* from = of.strands + i * shape_strands;
      const double along_mean = sum_of_shape_strands(from),
                   along_one = sum_of_shape_strands(from + all * shape_strands);
      const double w1 = (J[(modes + 1) * all + i] - along_one) * level.by_values;
      const double wg = (J[modes * all + i] - (along_mean + w1 * of.by_one[modes])) * level.by_square;
      of.by_1[i] = w1, of.by_g0[i] = wg;
      of.along_g0[i] = along_mean, of.along_1[i] = along_one;
      of.system.right(i) -= wg * by_mean + w1 * by_one;
    }
    block.wait();
    add_photometric(block, of);
    block.wait();
    add_trace(block, of);
  }

  // A strand of a column of J Pg^T times products of the modes.
  KINEMA_HD double product_of(int strand, const double* column, const double* products) const {
    double sum = 0;
    in_order<5>(
        strand, level.modes, shape_strands, [&](int k) { return column[k * shape.all]; },
        [&](double j, int k) { sum = std::fma(j, products[k], sum); });
    return sum;
  }

  // What g0 and the mean, projected out, leave of the matrix.
  template <class Block>
  KINEMA_HD void add_photometric(Block& block, const Memory& of) const {
    const int all = shape.all, modes = level.modes;
    const double g0_g0 = of.by_mean[modes], g0_1 = of.by_one[modes], one_1 = level.values;
    const double *by_g0 = of.by_g0, *by_1 = of.by_1, *along_g0 = of.along_g0, *along_1 = of.along_1;
    const double *jg = of.J + modes * all, *j1 = jg + all;
#pragma unroll 1
    for (int t = block.thread(); t < all * (all + 1) / 2; t += block.threads()) {
      const auto [i, j] = triangle_place(t);
      double value = of.system.at(i, j);
      value -= by_g0[i] * jg[j] + jg[i] * by_g0[j] + by_1[i] * j1[j] + j1[i] * by_1[j];
      value += along_g0[i] * by_g0[j] + by_g0[i] * along_g0[j] + along_1[i] * by_1[j] + by_1[i] * along_1[j];
      value += g0_g0 * by_g0[i] * by_g0[j] + one_1 * by_1[i] * by_1[j];
      value += g0_1 * (by_g0[i] * by_1[j] + by_1[i] * by_g0[j]);
      of.system.at(i, j) = value;
      if (i == j) of.diagonal[i] = value;
    }
  }
};

}  // namespace kinema::face
