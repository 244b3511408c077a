#include "face/stages/steepest_descent_cpu.h"

#include "face/model/shape.h"
#include "face/stages/texture_products_cpu.h"

#include <algorithm>
#include <functional>
#include <set>

namespace kinema::face {
namespace {

constexpr std::size_t corners = corner_columns;             // x and y of three
constexpr std::size_t pairs = corners * (corners + 1) / 2;  // of them, each with itself too

void for_blocks(const Threads* threads, std::size_t blocks, const std::function<void(std::size_t)>& work) {
  if (threads != nullptr && threads->count() > 1 && blocks > 1)
    threads->for_each(blocks, work);
  else
    for (std::size_t block = 0; block < blocks; ++block) work(block);
}

}  // namespace

SteepestDescent::SteepestDescent(const Model& model, const Level& level, const TextureStack& stack)
    : model_(model), stack_(stack), slopes_(level, stack.layout()), mean_(stack.layout().ordered(level.mean)) {
  const TextureLayout& layout = stack.layout();
  const auto size = static_cast<Eigen::Index>(model.shape.mean.size());
  modes_.resize(static_cast<Eigen::Index>(4 + model.shape.modes.rows), size);
  for (Eigen::Index k = 0; k < modes_.rows(); ++k) {
    const auto mode = mode_of(model, static_cast<std::size_t>(k));
    for (Eigen::Index i = 0; i < size; ++i) modes_(k, i) = mode[static_cast<std::size_t>(i)];
  }
  single_modes_ = modes_.cast<float>();
  std::set<std::pair<Eigen::Index, Eigen::Index>> adjacent;
  for (const auto& corner : model.triangles)
    for (const auto a : corner)
      for (const auto b : corner) adjacent.insert({2 * Eigen::Index{a}, 2 * Eigen::Index{b}});
  adjacent_.assign(adjacent.begin(), adjacent.end());
  for (std::size_t k = 0; k < 3; ++k) {
    barycentric_[k].resize(layout.values);
    for (std::size_t i = 0; i < layout.values; ++i) barycentric_[k][i] = layout.barycentric[k][i / layout.channels];
  }
}

std::size_t SteepestDescent::run_size() const {
  return stack_.rows().groups() * group_rows * corners + pairs + corners;
}

void SteepestDescent::slopes(std::span<const float> texture, std::size_t block, float* across, float* down) const {
  const TextureLayout& layout = stack_.layout();
  const std::size_t channels = layout.channels, first = block * layout.block_pixels();
  const std::size_t count = std::min(layout.block_pixels(), layout.pixels - first);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t* next = slopes_.neighbours.data() + 4 * (first + i);
    const float* step = slopes_.steps.data() + 2 * (first + i);
    for (std::size_t c = 0; c < channels; ++c) {
      across[i * channels + c] = (texture[next[1] * channels + c] - texture[next[0] * channels + c]) * step[0];
      down[i * channels + c] = (texture[next[3] * channels + c] - texture[next[2] * channels + c]) * step[1];
    }
  }
}

// For each run of the block: [Pg; g0; 1] times the 6 images of its corners, their products with each other, and with d.
void SteepestDescent::block_sums(std::size_t block, std::span<const float> texture, std::span<const float> samples,
                                 float offset, float factor, std::vector<float>& run_sums) const {
  const TextureLayout& layout = stack_.layout();
  const RowStack& rows = stack_.rows();
  const std::size_t channels = layout.channels, start = block * block_values;
  alignas(64) float across[block_values], down[block_values], panel[(corners + 1) * block_values];  // and d
  slopes(texture, block, across, down);
  for (std::size_t r = layout.block_runs[block]; r < layout.block_runs[block + 1]; ++r) {
    const PixelRun& run = layout.runs[r];
    const std::size_t first = run.first * channels - start, last = first + run.count * channels;
    const std::size_t first_tile = first / tile_values * tile_values;
    const std::size_t last_tile = (last + tile_values - 1) / tile_values * tile_values;
    float* sums = run_sums.data() + r * run_size();
    for (std::size_t k = 0; k <= corners; ++k) {
      float* column = panel + k * block_values;
      std::fill(column + first_tile, column + first, 0.0f);
      std::fill(column + last, column + last_tile, 0.0f);
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const float* weight = barycentric_[k].data() + start;
      float *to_x = panel + 2 * k * block_values, *to_y = to_x + block_values;
      for (std::size_t v = first; v < last; ++v) to_x[v] = weight[v] * across[v];
      for (std::size_t v = first; v < last; ++v) to_y[v] = weight[v] * down[v];
    }
    float* residual = panel + corners * block_values;
    for (std::size_t v = first; v < last; ++v) residual[v] = (samples[start + v] - offset) * factor - mean_[start + v];
    // products with each other, then with d
    pair_block(first, last, panel, sums + rows.groups() * group_rows * corners);
    multiply_corners(rows.block(block), rows.groups(), layout.tiles(block), first, last, panel, sums);
  }
}

// Sums of runs at the corners of their triangles, one run after the other.
template <class Add>
void SteepestDescent::at_corners(const Add& add) const {
  const std::vector<PixelRun>& runs = stack_.layout().runs;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto& corner = model_.triangles[runs[r].triangle];
    for (std::size_t k = 0; k < corners; ++k)
      add(r, k, 2 * Eigen::Index{corner[k / 2]} + static_cast<Eigen::Index>(k % 2), corner);
  }
}

// J J^T: a matrix with a block for each two vertices that share a triangle, 0 elsewhere, between the modes.
void SteepestDescent::multiply_self(Workspace& space) const {
  const std::size_t self_at = stack_.rows().groups() * group_rows * corners;
  Eigen::MatrixXd& by_self = space.by_self;
  by_self.setZero(modes_.cols(), modes_.cols());
  space.by_residual.setZero(modes_.cols());
  at_corners([&](std::size_t run, std::size_t k, Eigen::Index at, const auto& corner) {
    const float* self = space.run_sums.data() + run * run_size() + self_at;
    space.by_residual[at] += double{self[pairs + k]};
    for (std::size_t l = 0; l <= k; ++l) {
      const Eigen::Index other = 2 * Eigen::Index{corner[l / 2]} + static_cast<Eigen::Index>(l % 2);
      const double value = self[k * (k + 1) / 2 + l];
      by_self(at, other) += value;
      if (k != l) by_self(other, at) += value;
    }
  });
  space.half.setZero(modes_.rows(), modes_.cols());
  const Eigen::Index size = modes_.rows();
  for (const auto& [to, from] : adjacent_) {
    const double *x = modes_.data() + from * size, *y = x + size;
    for (Eigen::Index column = to; column < to + 2; ++column) {
      const double by_x = by_self(from, column), by_y = by_self(from + 1, column);
      double* sum = space.half.data() + column * size;
      for (Eigen::Index k = 0; k < size; ++k) sum[k] += x[k] * by_x + y[k] * by_y;
    }
  }
  DescentProducts& products = space.products;
  products.by_self.resize(modes_.rows(), modes_.rows());
  products.by_self.triangularView<Eigen::Lower>() = space.half * modes_.transpose();
  products.by_self.triangularView<Eigen::StrictlyUpper>() = products.by_self.transpose();
  products.by_residual.noalias() = modes_ * space.by_residual;
}

// Some columns of J [Pg; g0; 1]^T. Single precision, as its terms have: a vertex has few runs.
void SteepestDescent::multiply_rows(Eigen::Index first, Eigen::Index count, Workspace& space) const {
  const std::size_t padded = stack_.rows().groups() * group_rows;
  Eigen::MatrixXf sums = Eigen::MatrixXf::Zero(count, modes_.cols());
  at_corners([&](std::size_t run, std::size_t k, Eigen::Index at, const auto&) {
    const float* from = space.run_sums.data() + run * run_size() + k * padded + first;
    float* to = sums.data() + at * count;
    for (Eigen::Index i = 0; i < count; ++i) to[i] += from[i];
  });
  const Eigen::MatrixXf product = single_modes_ * sums.transpose();
  space.products.by_rows.middleCols(first, count) = product.cast<double>();
}

const DescentProducts& SteepestDescent::products(const Eigen::VectorXd& lambda, std::span<const float> samples,
                                                 double offset, double factor, const Threads* threads,
                                                 Workspace& space) const {
  const TextureLayout& layout = stack_.layout();
  const RowStack& rows = stack_.rows();
  const Eigen::Index texture_modes = lambda.size(), known = texture_modes + 2;

  // g0 + Pg^T lambda: the stack has g0 below Pg
  std::vector<float> factors(rows.groups() * group_rows, 0.0f);
  for (Eigen::Index i = 0; i < texture_modes; ++i) factors[static_cast<std::size_t>(i)] = static_cast<float>(lambda[i]);
  factors[static_cast<std::size_t>(texture_modes)] = 1;
  space.texture.resize(layout.blocks() * block_values);
  for_blocks(threads, layout.blocks(), [&](std::size_t block) {
    float* texture = space.texture.data() + block * block_values;
    std::fill_n(texture, block_values, 0.0f);
    add_rows(rows.block(block), rows.groups(), layout.tiles(block), factors.data(), texture);
  });
  space.run_sums.resize(layout.runs.size() * run_size());
  for_blocks(threads, layout.blocks(), [&](std::size_t block) {
    block_sums(block, space.texture, samples, static_cast<float>(offset), static_cast<float>(factor), space.run_sums);
  });

  // a task of its own for each part of the columns, and one for J J^T
  constexpr Eigen::Index part = 32;
  const Eigen::Index parts = (known + part - 1) / part;
  space.products.by_rows.resize(modes_.rows(), known);
  for_blocks(threads, static_cast<std::size_t>(parts) + 1, [&](std::size_t task) {
    const Eigen::Index first = (static_cast<Eigen::Index>(task) - 1) * part;
    if (task == 0)
      multiply_self(space);
    else
      multiply_rows(first, std::min(part, known - first), space);
  });
  return space.products;
}

}  // namespace kinema::face
