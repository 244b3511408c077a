// Algorithm 1 for the fast backends, without forming the model's texture or the residual: only products of either with
// [R; Qg; g0; 1] are needed.
#pragma once

#include "face/model/texture_sums.h"
#include "kinema/face.h"

#include <Eigen/Dense>

#include <vector>

namespace kinema::face {

/// Image-independent products of a level's combined model.
struct CombinedProducts {
  Eigen::Index modes = 0;
  StackProducts stack;       ///< of [R; Qg]
  Eigen::MatrixXd by_modes;  ///< [R; Qg] Qg^T
  Eigen::MatrixXd Qs;        ///< modes x 2 n
  Eigen::VectorXd most;      ///< bound of c; infinite: none
};

/// The parts of CombinedProducts that need no long products.
CombinedProducts combined_products(const Level& level, double limit);

/// p: appearance, and the pose as a displacement in the model's frame.
struct CombinedParameters {
  Eigen::VectorXd c;
  Similarity t;
};

/// -R r and E = r.r at some p.
struct CombinedStep {
  Eigen::VectorXd dp;
  double error = 0;
};

/// r = g - g0 - Qg^T c, so R r = R g - R g0 - R Qg^T c, and r.r likewise.
CombinedStep combined_step(const CombinedProducts& of, const NormalisedSums& texture, const Eigen::VectorXd& c);

/// p displaced by k dp.
CombinedParameters displaced(const CombinedProducts& of, const CombinedParameters& p, const Eigen::VectorXd& dp,
                             double k);

/// c of a shape other than the mean, and of the texture there.
Eigen::VectorXd combined_of(const CombinedProducts& of, const Level& level, const Model& model,
                            std::span<const double> shape, const NormalisedSums& texture);

/// s = s0 + Qs c under t, in the model's unit.
std::vector<double> combined_shape(const CombinedProducts& of, const Model& model, const CombinedParameters& p);

}  // namespace kinema::face
