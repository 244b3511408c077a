// The products of a texture that a fit needs, without the texture: with the rows of a stack [A; g0; 1], from which the
// photometric normalisation and the residual follow.
#pragma once

#include <Eigen/Dense>

#include <cstddef>
#include <span>

namespace kinema::face {

/// Precomputed products of a stack of rows: g = (x - mu 1)/alpha, so A g = (A x - mu A 1)/alpha.
struct StackProducts {
  Eigen::Index rows = 0;    ///< of A; then g0 is row `rows` and 1 row `rows + 1`
  double values = 0;        ///< length of a row
  bool photometric = true;  ///< see Level::photometric
  Eigen::VectorXd by_mean;  ///< (rows + 2): [A; g0; 1] g0
  Eigen::VectorXd by_one;   ///< (rows + 2): [A; g0; 1] 1
};

/// Of rows [A; g0; 1].
StackProducts stack_products(std::span<const std::span<const float>> rows, bool photometric);

/// A normalised texture, as far as a fit needs it.
struct NormalisedSums {
  Eigen::VectorXd products;  ///< (rows): A g
  double by_mean = 0;        ///< g0.g
  double square = 0;         ///< g.g
  double offset = 0;         ///< mu, relative to what was subtracted from x
  double factor = 1;         ///< 1/alpha
};

/// `sums`: (rows + 2) products with x. `square`: x.x. x must be roughly centred.
NormalisedSums normalised(const StackProducts& stack, const Eigen::VectorXd& sums, double square);

}  // namespace kinema::face
