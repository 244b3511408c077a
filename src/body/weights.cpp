#include "body/weights.h"

#include "core/reduction.h"

#include <algorithm>
#include <cmath>

namespace kinema::body {

void normalise(std::span<const double> log_weight, double exponent, std::span<double> weight) {
  double greatest = -INFINITY;
  for (double w : log_weight) {
    if (std::isfinite(w)) greatest = std::max(greatest, w);
  }
  for (std::size_t j = 0; j < weight.size(); ++j) {
    weight[j] = std::isfinite(log_weight[j]) ? std::exp(exponent * (log_weight[j] - greatest)) : 0;
  }
  const double sum = pairwise_sum(weight.data(), weight.size());
  const double scale = sum > 0 ? 1 / sum : 0;
  for (double& w : weight) w = sum > 0 ? w * scale : 1 / static_cast<double>(weight.size());
}

double effective_sample_size(std::span<const double> weight) {
  std::vector<double> square(weight.begin(), weight.end());
  for (double& w : square) w *= w;
  const double sum = pairwise_sum(square.data(), square.size());
  return sum > 0 ? 1 / sum : 0;
}

double annealing_exponent(std::span<const double> log_weight, double share, double most, std::span<double> weight) {
  const double wanted = std::max(1.0, share * static_cast<double>(log_weight.size()));
  const auto size_at = [&](double exponent) {
    normalise(log_weight, exponent, weight);
    return effective_sample_size(weight);
  };
  if (size_at(most) >= wanted) return most;
  double low = 0, high = most;
  for (int step = 0; step < 40; ++step) {
    const double middle = 0.5 * (low + high);
    (size_at(middle) >= wanted ? low : high) = middle;
  }
  size_at(low);
  return low;
}

namespace detail {

void multinomial_positions(std::span<const double> uniform, std::span<double> position) {
  double sum = 0;
  for (std::size_t j = 0; j < position.size(); ++j) position[j] = sum += -std::log(uniform[j]);
  sum += -std::log(uniform[position.size()]);
  for (double& p : position) p /= sum;
}

}  // namespace detail

}  // namespace kinema::body
