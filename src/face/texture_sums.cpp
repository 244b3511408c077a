#include "face/texture_sums.h"

#include <algorithm>
#include <cmath>

namespace kinema::face {

NormalisedSums normalised(const StackProducts& stack, const Eigen::VectorXd& sums, double square, double centre) {
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
  // rounding leaves something of a flat texture: it is no texture
  if (!(deviation > 1e-5 * (1 + std::abs(centre) + std::abs(mean)))) {
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
