#include "face/combined/combined_pack.h"

#include "core/threads.h"
#include "face/model/linear.h"
#include "face/model/texture_layout.h"
#include "face/model/texture_sums.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace kinema::face {
namespace {

// A row in halves: numbers times the power of two that brings them into the range of halves, and the remainders, times
// another.
struct HalfRow {
  std::vector<std::uint16_t> values[2];
  float unscale = 1;
};

HalfRow halved(std::span<const float> row, float* widened = nullptr) {
  float greatest = 0;
  for (const float value : row) greatest = std::max(greatest, std::fabs(value));
  int exponent = 0;
  if (greatest > 0) std::frexp(greatest, &exponent);
  const float scale = std::ldexp(1.0f, std::clamp(10 - exponent, -100, 100));
  HalfRow result;
  result.unscale = 1 / scale;
  for (const float value : row) {
    const Eigen::half high(value * scale);
    const Eigen::half low((value * scale - static_cast<float>(high)) * pack_finer);
    result.values[0].push_back(Eigen::numext::bit_cast<std::uint16_t>(high));
    result.values[1].push_back(Eigen::numext::bit_cast<std::uint16_t>(low));
    if (widened != nullptr)
      *widened++ = (static_cast<float>(high) + static_cast<float>(low) / pack_finer) * result.unscale;
  }
  return result;
}

std::vector<float> floats_of(const Eigen::VectorXd& values) { return {values.data(), values.data() + values.size()}; }

constexpr std::size_t nowhere = ~std::size_t{0};

// One half of a tile: `row_at` and `value_at` give the row and the index of its value, or none.
template <class RowAt, class ValueAt>
void add_tile(std::vector<std::uint16_t>& to, const std::vector<HalfRow>& rows, std::size_t half, RowAt row_at,
              ValueAt value_at) {
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (std::size_t i = 0; i < 8; ++i) {
      const std::size_t row = row_at(lane / 4 + i / 2 % 2 * 8), value = value_at(lane % 4 * 2 + i % 2 + i / 4 * 8);
      to.push_back(row == nowhere || value == nowhere ? std::uint16_t{0} : rows[row].values[half][value]);
    }
}

std::vector<std::uint16_t> tiles_of(const std::vector<HalfRow>& rows, const TextureLayout& layout,
                                    std::size_t row_tiles, std::size_t value_tiles) {
  std::vector<std::uint16_t> fragments;
  fragments.reserve(value_tiles * 2 * row_tiles * pack_tile * pack_tile);
  for (std::size_t v = 0; v < value_tiles; ++v)
    for (std::size_t half = 0; half < 2; ++half)
      for (std::size_t r = 0; r < row_tiles; ++r)
        add_tile(
            fragments, rows, half,
            [&](std::size_t i) { return r * pack_tile + i < rows.size() ? r * pack_tile + i : nowhere; },
            [&](std::size_t i) {
              const std::size_t value = v * pack_tile + i;
              if (value >= layout.values) return nowhere;
              return layout.order[value / layout.channels] * layout.channels + value % layout.channels;
            });
  return fragments;
}

// The small matrices: Qs^T, and `steps` and `squares` that are rows by modes. Numbers are multiplied by the divisor of
// the mode's c, about its deviation, so that halves of c are precise and those of large modes do not overflow.
void pack_small(CombinedPack& pack, const Model& model, const Level& level, const Eigen::MatrixXd& steps,
                const Eigen::MatrixXd& squares) {
  const std::size_t landmarks = model.shape.landmarks(), lines = 2 * pack.modes + 4;
  std::vector<float> row(pack.modes);
  std::vector<double> deviations;
  for (std::size_t k = 0; k < pack.modes; ++k) {
    int exponent = 0;
    const double variance = level.combined_variances[k];
    if (variance > 0) std::frexp(std::sqrt(variance), &exponent);
    deviations.push_back(std::ldexp(1.0, std::clamp(exponent, -60, 60)));
    pack.mode_scale.push_back(static_cast<float>(1 / deviations.back()));
  }
  std::vector<HalfRow> rows;
  const auto add = [&](auto number_of) {
    for (std::size_t k = 0; k < pack.modes; ++k) row[k] = static_cast<float>(number_of(k) * deviations[k]);
    rows.push_back(halved(row));
  };
  for (std::size_t i = 0; i < 2 * landmarks; ++i)
    add([&](std::size_t k) { return double{level.shape_combined.row(k)[i]}; });
  for (const Eigen::MatrixXd* matrix : {&steps, &squares})
    for (Eigen::Index i = 0; i < matrix->rows(); ++i)
      add([&](std::size_t k) { return (*matrix)(i, static_cast<Eigen::Index>(k)); });

  pack.mode_tiles = (pack.modes + pack_tile - 1) / pack_tile;
  pack.shape_tiles = (landmarks + 7) / 8;
  pack.step_tiles = (lines + pack_tile - 1) / pack_tile;
  for (std::size_t t = 0; t < pack.shape_tiles + pack.step_tiles; ++t) {
    const auto row_at = [&](std::size_t i) {
      if (t < pack.shape_tiles) return t * 8 + i % 8 < landmarks ? 2 * (t * 8 + i % 8) + i / 8 : nowhere;
      const std::size_t line = (t - pack.shape_tiles) * pack_tile + i;
      return line < lines ? 2 * landmarks + line : nowhere;
    };
    for (std::size_t i = 0; i < pack_tile; ++i)
      pack.small_unscale.push_back(row_at(i) == nowhere ? 0.0f : rows[row_at(i)].unscale);
    for (std::size_t k = 0; k < pack.mode_tiles; ++k)
      for (std::size_t half = 0; half < 2; ++half)
        add_tile(pack.small, rows, half, row_at,
                 [&](std::size_t i) { return k * pack_tile + i < pack.modes ? k * pack_tile + i : nowhere; });
  }
}

std::vector<std::array<float, 4>> pixels_of(const Model& model, const Level& level, const TextureLayout& layout,
                                            std::size_t count) {
  std::vector<std::array<float, 4>> pixels(count, {0, 0, 0, 0});
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t corners = 1u << 31;
    if (i < layout.pixels) {
      const auto& corner = model.triangles[level.pixel_triangles[layout.order[i]]];
      corners = std::uint32_t{corner[0]} | std::uint32_t{corner[1]} << 10 | std::uint32_t{corner[2]} << 20;
      for (std::size_t k = 0; k < 3; ++k) pixels[i][k] = layout.barycentric[k][i];
    }
    std::memcpy(&pixels[i][3], &corners, sizeof corners);
  }
  return pixels;
}

}  // namespace

CombinedPack pack_combined(const Model& model, const Level& level, double limit) {
  const TextureLayout layout(level);
  const std::size_t modes = level.texture_combined.rows, values = layout.values;
  CombinedPack pack;
  pack.modes = modes;
  pack.rows = 2 * modes + 6;
  pack.values = values;
  pack.row_tiles = (pack.rows + pack_tile - 1) / pack_tile;
  pack.value_tiles = (values + pack_tile - 1) / pack_tile;

  RowMatrix wide(static_cast<Eigen::Index>(pack.rows), static_cast<Eigen::Index>(values));
  std::vector<HalfRow> rows;
  const auto add = [&](std::span<const float> row) {
    rows.push_back(halved(row, wide.row(static_cast<Eigen::Index>(rows.size())).data()));
  };
  for (std::size_t i = 0; i < modes + 4; ++i) add(level.gradient.row(i));
  for (std::size_t i = 0; i < modes; ++i) add(level.texture_combined.row(i));
  add(level.mean);
  add(std::vector<float>(values, 1.0f));
  for (const HalfRow& row : rows) pack.unscale.push_back(row.unscale);
  pack.fragments = tiles_of(rows, layout, pack.row_tiles, pack.value_tiles);
  pack.pixels = pixels_of(model, level, layout, pack.value_tiles * pack_tile / layout.channels);

  std::vector<std::span<const float>> spans;
  for (Eigen::Index i = 0; i < wide.rows(); ++i) spans.emplace_back(wide.row(i).data(), values);
  const StackProducts stack = stack_products(spans, level.photometric);
  pack.mean_shape.assign(model.shape.mean.begin(), model.shape.mean.end());
  pack.by_mean = floats_of(stack.by_mean);
  const Eigen::Map<const Eigen::VectorXf> mean(level.mean.data(), static_cast<Eigen::Index>(values));
  for (std::size_t i = 0; i < modes + 4; ++i)
    pack.by_mean[i] =
        static_cast<float>(wide.row(static_cast<Eigen::Index>(i)).cast<double>().dot(mean.transpose().cast<double>()));
  pack.by_one = floats_of(stack.by_one);
  pack.mean_square = stack.by_mean[stack.rows];
  for (const float variance : level.combined_variances)
    pack.most.push_back(limit > 0 ? static_cast<float>(limit * std::sqrt(double{variance})) : HUGE_VALF);

  const auto m = static_cast<Eigen::Index>(modes);
  const Threads threads;
  const Eigen::Map<const RowMatrix> exact(level.texture_combined.values.data(), m, static_cast<Eigen::Index>(values));
  const Eigen::MatrixXd steps = exact_product(wide.topRows(m + 4), exact, threads);
  const Eigen::MatrixXd squares = exact_product(wide.middleRows(m + 4, m), wide.middleRows(m + 4, m), threads);
  pack_small(pack, model, level, steps, squares);
  return pack;
}

}  // namespace kinema::face
