#include "face/combined_pack.h"

#include "core/threads.h"
#include "face/combined_fit.h"
#include "face/exact_product.h"
#include "face/texture_layout.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace kinema::face {
namespace {

// A row in halves: numbers times the power of two that brings them into the range of halves, and what that leaves, times
// another.
struct HalfRow {
  std::vector<std::uint16_t> values[2];
  float unscale[2] = {1, 1};
};

HalfRow halved(std::span<const float> row, float* widened) {
  constexpr float finer = 2048;
  float greatest = 0;
  for (const float value : row) greatest = std::max(greatest, std::fabs(value));
  int exponent = 0;
  if (greatest > 0) std::frexp(greatest, &exponent);
  const float scale = std::ldexp(1.0f, std::clamp(10 - exponent, -100, 100));
  HalfRow result;
  result.unscale[0] = 1 / scale;
  result.unscale[1] = 1 / scale / finer;
  for (const float value : row) {
    const Eigen::half high(value * scale);
    const Eigen::half low((value * scale - static_cast<float>(high)) * finer);
    result.values[0].push_back(Eigen::numext::bit_cast<std::uint16_t>(high));
    result.values[1].push_back(Eigen::numext::bit_cast<std::uint16_t>(low));
    *widened++ = (static_cast<float>(high) + static_cast<float>(low) / finer) * result.unscale[0];
  }
  return result;
}

std::vector<float> floats_of(const Eigen::VectorXd& values) { return {values.data(), values.data() + values.size()}; }

std::vector<std::uint16_t> tiles_of(const std::vector<HalfRow>& rows, const TextureLayout& layout,
                                    std::size_t row_tiles, std::size_t value_tiles) {
  std::vector<std::uint16_t> fragments(value_tiles * 2 * row_tiles * pack_tile * pack_tile, 0);
  std::uint16_t* out = fragments.data();
  for (std::size_t v = 0; v < value_tiles; ++v)
    for (std::size_t half = 0; half < 2; ++half)
      for (std::size_t r = 0; r < row_tiles; ++r)
        for (std::size_t lane = 0; lane < 32; ++lane)
          for (std::size_t i = 0; i < 8; ++i, ++out) {
            const std::size_t row = r * pack_tile + lane / 4 + i / 2 % 2 * 8;
            const std::size_t value = v * pack_tile + lane % 4 * 2 + i % 2 + i / 4 * 8;
            if (row >= rows.size() || value >= layout.values) continue;
            const std::size_t pixel = layout.order[value / layout.channels];
            *out = rows[row].values[half][pixel * layout.channels + value % layout.channels];
          }
  return fragments;
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
  for (const int half : {0, 1})
    for (const HalfRow& row : rows) pack.unscale.push_back(row.unscale[half]);
  pack.fragments = tiles_of(rows, layout, pack.row_tiles, pack.value_tiles);
  pack.pixels = pixels_of(model, level, layout, pack.value_tiles * pack_tile / layout.channels);

  std::vector<std::span<const float>> spans;
  for (Eigen::Index i = 0; i < wide.rows(); ++i) spans.emplace_back(wide.row(i).data(), values);
  const StackProducts stack = stack_products(spans, level.photometric);
  pack.by_mean = floats_of(stack.by_mean);
  const Eigen::Map<const Eigen::VectorXf> mean(level.mean.data(), static_cast<Eigen::Index>(values));
  for (std::size_t i = 0; i < modes + 4; ++i)
    pack.by_mean[i] =
        static_cast<float>(wide.row(static_cast<Eigen::Index>(i)).cast<double>().dot(mean.transpose().cast<double>()));
  pack.by_one = floats_of(stack.by_one);
  pack.mean_square = stack.by_mean[stack.rows];
  pack.most = floats_of(combined_products(level, limit).most);

  // neighbours in a row are neighbours in a product; rows start 8 banks of shared memory apart
  const auto m = static_cast<Eigen::Index>(modes);
  const Threads threads;
  const Eigen::Map<const RowMatrix> exact(level.texture_combined.values.data(), m, static_cast<Eigen::Index>(values));
  const Eigen::MatrixXd steps = exact_product(wide.topRows(m + 4), exact, threads);
  const Eigen::MatrixXd squares = exact_product(wide.middleRows(m + 4, m), wide.middleRows(m + 4, m), threads);
  const std::size_t shape = 2 * model.shape.landmarks();
  pack.small_width = (shape + 2 * modes + 4 + 31) / 32 * 32 + 8;
  pack.small.assign((modes + 3) / 4 * 4 * pack.small_width, 0.0f);
  for (Eigen::Index i = 0; i < m; ++i) {
    float* to = pack.small.data() + static_cast<std::size_t>(i) * pack.small_width;
    for (const float value : level.shape_combined.row(static_cast<std::size_t>(i))) *to++ = value;
    for (Eigen::Index k = 0; k < m + 4; ++k) *to++ = static_cast<float>(steps(k, i));
    for (Eigen::Index k = 0; k < m; ++k) *to++ = static_cast<float>(squares(k, i));
  }
  return pack;
}

}  // namespace kinema::face
