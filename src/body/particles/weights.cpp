#include "body/particles/weights.h"

#include "core/reduction.h"

#include <algorithm>
#include <cmath>

namespace kinema::body {
namespace {

// The effective sample size of weights whose logarithms are at most 0. Exactly their number where all are 0.
double carried_size(std::span<const double> log_weight) {
  std::vector<double> weight(log_weight.begin(), log_weight.end());
  for (double& w : weight) w = std::exp(w);
  const double sum = pairwise_sum(weight.data(), weight.size());
  for (double& w : weight) w *= w;
  const double squares = pairwise_sum(weight.data(), weight.size());
  return sum * sum / squares;
}

}  // namespace

void normalised_logarithms(std::span<const double> log_likelihood, double exponent, std::span<const double> carried,
                           std::span<double> log_weight) {
  double likeliest = -INFINITY, greatest = -INFINITY;
  for (double l : log_likelihood) {
    if (std::isfinite(l)) likeliest = std::max(likeliest, l);
  }
  for (std::size_t j = 0; j < log_weight.size(); ++j) {
    const double l = log_likelihood[j];
    log_weight[j] = std::isfinite(l) ? exponent * (l - likeliest) + carried[j] : -INFINITY;
    greatest = std::max(greatest, log_weight[j]);
  }
  for (double& w : log_weight) w = std::isfinite(greatest) ? w - greatest : 0;
}

void normalise(std::span<const double> log_likelihood, double exponent, std::span<const double> carried,
               std::span<double> weight) {
  normalised_logarithms(log_likelihood, exponent, carried, weight);
  for (double& w : weight) w = std::exp(w);
  const double scale = 1 / pairwise_sum(weight.data(), weight.size());
  for (double& w : weight) w *= scale;
}

double effective_sample_size(std::span<const double> weight) {
  std::vector<double> square(weight.begin(), weight.end());
  for (double& w : square) w *= w;
  const double sum = pairwise_sum(square.data(), square.size());
  return sum > 0 ? 1 / sum : 0;
}

double annealing_exponent(std::span<const double> log_likelihood, double share, double most,
                          std::span<const double> carried, std::span<double> weight) {
  const auto size_at = [&](double exponent) {
    normalise(log_likelihood, exponent, carried, weight);
    return effective_sample_size(weight);
  };
  const double wanted = std::max(1.0, share * carried_size(carried));
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
