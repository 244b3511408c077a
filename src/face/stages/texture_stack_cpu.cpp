#include "face/stages/texture_stack_cpu.h"

#include "face/model/linear.h"
#include "face/stages/texture_products_cpu.h"

#include <algorithm>
#include <functional>

namespace kinema::face {
namespace {

constexpr std::size_t most_columns = 8;  // sampled at a time: their panel stays in the cache

// A thread is woken for this many multiplications at least, 30 to 60 microseconds of them; to wake it and to wait for it
// takes about 10. Sampling a value counts as 30.
constexpr std::size_t thread_work = 200000, sampling_work = 30;
constexpr std::size_t line_floats = 16;  // of a cache line: threads do not write to the same one

}  // namespace

TextureStack::TextureStack(const Model& model, const Level& level, std::span<const Matrix* const> parts)
    : model_(&model), parts_(parts.begin(), parts.end()), layout_(level) {
  const std::vector<float> ones(layout_.values, 1.0f);
  std::vector<std::span<const float>> rows;
  for (const Matrix* part : parts)
    for (std::size_t i = 0; i < part->rows; ++i) rows.push_back(part->row(i));
  rows.emplace_back(level.mean);
  rows.emplace_back(ones);
  products_ = stack_products(rows, level.photometric);
  rows_ = RowStack(layout_, rows);
}

Eigen::MatrixXd TextureStack::times(const Matrix& other, const Threads& threads) const {
  Eigen::MatrixXd result(products_.rows, static_cast<Eigen::Index>(other.rows));
  Eigen::Index first = 0;
  for (const Matrix* part : parts_) {
    result.middleRows(first, static_cast<Eigen::Index>(part->rows)) =
        exact_product(rows_of(*part), rows_of(other), threads);
    first += static_cast<Eigen::Index>(part->rows);
  }
  return result;
}

std::vector<NormalisedSums> TextureStack::sample(const TextureImage& image, std::span<const std::vector<float>> shapes,
                                                 const Threads* threads, float* texture) const {
  std::vector<NormalisedSums> all;
  const std::size_t padded = rows_.groups() * group_rows;
  for (std::size_t first = 0; first < shapes.size(); first += most_columns) {
    const std::size_t columns = std::min(most_columns, shapes.size() - first);
    // a block's sums: all columns of a row, row by row, then the squares
    const std::size_t used = (padded + 1) * columns, block_sums = (used + line_floats - 1) / line_floats * line_floats;
    std::vector<float> partial(layout_.blocks() * block_sums);
    const std::function<void(std::size_t)> work = [&](std::size_t block) {
      alignas(64) float panel[most_columns * block_values];
      float* sums = partial.data() + block * block_sums;
      const std::size_t tiles = layout_.tiles(block);
      for (std::size_t c = 0; c < columns; ++c)
        sample_block(layout_, model_->triangles, block, image, shapes[first + c], panel + c * block_values);
      multiply_block(rows_.block(block), rows_.groups(), tiles, tiles, panel, columns, sums);
      square_block(tiles, panel, columns, sums + padded * columns);
      if (texture != nullptr && first == 0) std::copy_n(panel, tiles * tile_values, texture + block * block_values);
    };
    const std::size_t worth = layout_.values * columns * (padded + sampling_work) / thread_work;
    if (threads == nullptr || threads->count() < 2 || worth < 2)
      for (std::size_t block = 0; block < layout_.blocks(); ++block) work(block);
    else if (worth < static_cast<std::size_t>(threads->count()))
      threads->for_ranges(layout_.blocks(), worth, work);
    else
      threads->for_each(layout_.blocks(), work);

    // one block after the other, whichever thread computed it
    std::vector<double> sums(used, 0.0);
    for (std::size_t block = 0; block < layout_.blocks(); ++block)
      for (std::size_t i = 0; i < used; ++i) sums[i] += double{partial[block * block_sums + i]};
    for (std::size_t c = 0; c < columns; ++c) {
      Eigen::VectorXd of(products_.rows + 2);
      for (Eigen::Index r = 0; r < of.size(); ++r) of[r] = sums[static_cast<std::size_t>(r) * columns + c];
      all.push_back(normalised(products_, of, sums[padded * columns + c]));
    }
  }
  return all;
}

}  // namespace kinema::face
