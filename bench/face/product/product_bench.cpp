#include "bench/face/product/product_bench.h"

#include <algorithm>
#include <cmath>

namespace kinema::bench {
namespace {

bool in_cache(const ProductRow& row) { return row.shape.what != "memory"; }

}  // namespace

std::optional<double> ProductReport::mean_ratio() const {
  double sum = 0;
  std::size_t count = 0;
  for (const ProductRow& row : rows)
    if (row.ratio && in_cache(row)) sum += std::log(*row.ratio), ++count;
  if (count == 0) return std::nullopt;
  return std::exp(sum / static_cast<double>(count));
}

std::optional<double> ProductReport::least_ratio() const {
  std::optional<double> least;
  for (const ProductRow& row : rows)
    if (row.ratio) least = std::min(least.value_or(*row.ratio), *row.ratio);
  return least;
}

std::optional<double> ProductReport::least_copy_share() const {
  std::optional<double> least;
  for (const ProductRow& row : rows)
    if (!in_cache(row)) least = std::min(least.value_or(row.copy_share), row.copy_share);
  return least;
}

std::vector<ProductShape> product_shapes(bool quick) {
  constexpr int modes = 50, pose = 4;  // as in the models of this benchmark
  std::vector<ProductShape> shapes;
  for (int i = 1; i <= 16; i += quick ? 5 : 1) shapes.push_back({"R r", modes + pose, 4096 * i});
  // 31 modes of the shape, 19 places of 8 bins around 68 landmarks
  shapes.push_back({"cascade", 31 + pose, 68 * 19 * 8});
  // 80 modes of edges, two values per pixel
  shapes.push_back({"texture", 80, 2 * 8192});
  if (!quick) shapes.push_back({"texture", 80, 2 * 32768});
  shapes.push_back({"memory", 64, 1 << 22});
  if (!quick) shapes.push_back({"memory", 256, 1 << 20});
  if (!quick) shapes.push_back({"memory", 1024, 1 << 18});
  shapes.push_back({"memory", 16384, 16384});
  return shapes;
}

}  // namespace kinema::bench
