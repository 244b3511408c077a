// Weights of particles on the logarithmic scale: normalisation, effective sample size, the annealing exponent, and the
// four ways to resample. Sums run in a fixed order, so that results do not depend on the number of threads.
//
// Sequential importance sampling. The particles of frame t are drawn from the motion model, theta_t ~ p(. | theta_t-1),
// so the weight of a whole path theta_1 ... theta_t with respect to the posterior p(theta_1:t | X_1:t) is
//
//     w_t = w_t-1 p(X_t | theta_t)   and on the logarithmic scale   log w_t = log w_t-1 + e_t l_t,
//
// where l_t is the log-likelihood of frame t and e_t its exponent (1 in the paper, less where weights are tempered).
// The w_t-1 are the final weights of frame t-1; here they are called carried. Resampling draws particles in proportion
// to w_t, and the copies represent the posterior with equal weights: from there on 0 is carried for all. Without
// resampling the weights must be carried, or the particles would represent p(theta_t | X_t) under the motion model
// alone, as if the frames since the last resampling had not been seen.
//
// Annealing layers: between two layers of a frame particles are always resampled, so the carried weights enter the
// first layer only, as factors that are not annealed, and its exponent is chosen such that a share of the particles
// that the carried weights leave effective remains so. A frame ends with the weights of its last layer: those, with
// that layer's exponent, are carried to the next frame; earlier layers have become positions of particles.
//
// Refinement moves some particles and replaces their l_t. Their carried weights stay: they represent earlier frames.
#pragma once

#include "kinema/body_tracker.h"

#include <span>
#include <vector>

namespace kinema::body {

/// weight[j] = exp(carried[j] + exponent log_likelihood[j]) / sum: normalised without overflow. Particles whose
/// log-likelihood is not finite get 0; where none is left, all are equal. `carried`: logarithms of the weights before
/// the frame, up to a constant; -infinity: weight 0.
void normalise(std::span<const double> log_likelihood, double exponent, std::span<const double> carried,
               std::span<double> weight);

/// Their logarithms, the greatest being 0, for the next frame to carry. Unlike the weights, they do not underflow.
void normalised_logarithms(std::span<const double> log_likelihood, double exponent, std::span<const double> carried,
                           std::span<double> log_weight);

/// 1 / sum w^2 of normalised weights: n where all are equal, 1 where one particle has all.
double effective_sample_size(std::span<const double> weight);

/// The exponent, at most `most`, that keeps this share of the particles that the carried weights leave effective, by
/// bisection; its weights are left in `weight`. At exponent 0 all of them are effective, so one exists.
double annealing_exponent(std::span<const double> log_likelihood, double share, double most,
                          std::span<const double> carried, std::span<double> weight);

/// The ancestor of each new particle: index[j] for j below index.size(). `uniform(i)` gives the i-th random number in
/// (0, 1); systematic uses one, the others as many as there are particles.
template <class Uniform>
void resample(Resampling scheme, std::span<const double> weight, Uniform&& uniform, std::span<int> index);

// ---------------------------------------------------------------------------------------------------------------------

namespace detail {

/// The particle in whose interval of the cumulative weights each sorted position falls.
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
    // integer parts of n w are copied, remainders are drawn
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
