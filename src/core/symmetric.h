// Equations with symmetric matrices, and their eigenvectors. Plain functions, so that Eigen's solvers are compiled
// once: they cost several seconds of compile time in each source that uses them.
#pragma once

#include <Eigen/Core>

#include <vector>

namespace kinema {

/// Solves `matrix` x = `right`; the matrix is positive definite or nearly so.
Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right);

/// The same for several right sides, the columns of `right`.
Eigen::MatrixXd solve_symmetric_columns(const Eigen::MatrixXd& matrix, const Eigen::MatrixXd& right);

Eigen::MatrixXd inverse_symmetric(const Eigen::MatrixXd& matrix);

/// The eigenvalues of a covariance, the greatest first, and unit eigenvectors as columns in the same order. The sign of
/// an eigenvector is arbitrary: its greatest element is made positive, so that results are reproducible.
struct PrincipalAxes {
  std::vector<double> variances;
  Eigen::MatrixXd vectors;
};
PrincipalAxes principal_axes(const Eigen::MatrixXd& covariance);

}  // namespace kinema
