#include "face/model/texture_sums.h"

#include "face/model/frame_pixels.h"

#include <algorithm>
#include <cmath>

namespace kinema::face {
namespace {

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return sum;
}

}  // namespace

StackProducts stack_products(std::span<const std::span<const float>> rows, bool photometric) {
  const auto count = static_cast<Eigen::Index>(rows.size());
  StackProducts products;
  products.rows = count - 2;
  products.values = static_cast<double>(rows.back().size());
  products.photometric = photometric;
  products.by_mean.resize(count);
  products.by_one.resize(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto row = rows[static_cast<std::size_t>(i)];
    products.by_mean[i] = dot(row, rows[rows.size() - 2]);
    products.by_one[i] = dot(row, rows.back());
  }
  return products;
}

NormalisedSums normalised(const StackProducts& stack, const Eigen::VectorXd& sums, double square) {
  NormalisedSums result;
  if (!stack.photometric) {
    result.by_mean = sums[stack.rows];
    result.square = square;
    result.products = sums.head(stack.rows);
    return result;
  }
  const double mean = sums[stack.rows + 1] / stack.values;
  const double left = std::max(0.0, square - stack.values * mean * mean);
  const double deviation = std::sqrt(left / stack.values);
  result.offset = mean;
  // a flat texture is not exactly 0 after rounding: it counts as flat
  if (!(deviation > flat_share * std::abs(mean) + flat_least)) {
    result.factor = 0;
    result.products = Eigen::VectorXd::Zero(stack.rows);
    return result;
  }
  const double along = (sums[stack.rows] - mean * stack.by_one[stack.rows]) / stack.values;
  result.factor = 1 / std::max(along, 0.1 * deviation);
  result.products = (sums.head(stack.rows) - mean * stack.by_one.head(stack.rows)) * result.factor;
  result.by_mean = along * stack.values * result.factor;
  result.square = left * result.factor * result.factor;
  return result;
}

}  // namespace kinema::face
