// Weights of particles on the logarithmic scale: normalisation, effective sample size, the annealing exponent, and the
// four ways to resample. Sums run in a fixed order, so that results do not depend on the number of threads.
#pragma once

#include "kinema/body_tracker.h"

#include <span>
#include <vector>

namespace kinema::body {

/// weight[j] = exp(exponent log_weight[j]) / sum: normalised without overflow. Particles whose log weight is not
/// finite get none; where none is left, all are equal.
void normalise(std::span<const double> log_weight, double exponent, std::span<double> weight);

/// 1 / sum w^2 of normalised weights: n where all are equal, 1 where one has all.
double effective_sample_size(std::span<const double> weight);

/// The exponent at most `most` that leaves an effective sample size of `share` of the particles, by bisection; the
/// weights that belong to it are left in `weight`. The size falls as the exponent grows, so there is one.
double annealing_exponent(std::span<const double> log_weight, double share, double most, std::span<double> weight);

/// Which particle each new particle continues: index[j] for j below index.size(). `uniform(i)` gives the i-th random
/// number in (0, 1); systematic uses one, the others as many as there are particles.
template <class Uniform>
void resample(Resampling scheme, std::span<const double> weight, Uniform&& uniform, std::span<int> index);

// ---------------------------------------------------------------------------------------------------------------------

namespace detail {

/// The particle in whose share of the cumulated weights each sorted position falls.
inline void pick_sorted(std::span<const double> weight, std::span<const double> position, std::span<int> index) {
  double cumulated = weight.empty() ? 0 : weight[0];
  std::size_t particle = 0;
  for (std::size_t j = 0; j < index.size(); ++j) {
    while (position[j] > cumulated && particle + 1 < weight.size()) cumulated += weight[++particle];
    index[j] = static_cast<int>(particle);
  }
}

/// Sorted uniform numbers without sorting: their gaps are exponentially distributed.
void multinomial_positions(std::span<const double> uniform, std::span<double> position);

}  // namespace detail

template <class Uniform>
void resample(Resampling scheme, std::span<const double> weight, Uniform&& uniform, std::span<int> index) {
  const std::size_t n = index.size();
  const auto count = static_cast<double>(n);
  std::vector<double> position(n);
  if (scheme == Resampling::residual) {
    // whole parts of n w are copied, what is left of them is drawn
    std::vector<double> rest(weight.size());
    std::size_t filled = 0;
    double left = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
      const double copies = count * weight[i];
      const double whole = static_cast<double>(static_cast<std::size_t>(copies + 1e-9));
      for (std::size_t c = 0; c < static_cast<std::size_t>(whole) && filled < n; ++c) {
        index[filled++] = static_cast<int>(i);
      }
      rest[i] = copies > whole ? copies - whole : 0;
      left += rest[i];
    }
    if (filled == n) return;
    for (double& share : rest) share = left > 0 ? share / left : 1.0 / static_cast<double>(rest.size());
    resample(Resampling::multinomial, std::span<const double>(rest), uniform, index.subspan(filled));
    return;
  }
  if (scheme == Resampling::multinomial) {
    std::vector<double> numbers(n + 1);
    for (std::size_t j = 0; j <= n; ++j) numbers[j] = uniform(j);
    detail::multinomial_positions(numbers, position);
  } else {
    const double first = uniform(0);
    for (std::size_t j = 0; j < n; ++j) {
      const double within = scheme == Resampling::systematic ? first : uniform(j);
      position[j] = (static_cast<double>(j) + within) / count;
    }
  }
  detail::pick_sorted(weight, position, index);
}

}  // namespace kinema::body
