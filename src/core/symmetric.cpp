#include "core/symmetric.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace kinema {

Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right) {
  return matrix.ldlt().solve(right);
}

Eigen::MatrixXd solve_symmetric_columns(const Eigen::MatrixXd& matrix, const Eigen::MatrixXd& right) {
  return matrix.ldlt().solve(right);
}

Eigen::MatrixXd inverse_symmetric(const Eigen::MatrixXd& matrix) {
  return solve_symmetric_columns(matrix, Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols()));
}

PrincipalAxes principal_axes(const Eigen::MatrixXd& covariance) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);  // ascending
  const Eigen::VectorXd descending = solver.eigenvalues().reverse();
  PrincipalAxes axes{{descending.data(), descending.data() + descending.size()},
                     solver.eigenvectors().rowwise().reverse()};
  for (auto vector : axes.vectors.colwise()) {
    Eigen::Index greatest = 0;
    vector.cwiseAbs().maxCoeff(&greatest);
    if (vector[greatest] < 0) vector = -vector;
  }
  return axes;
}

}  // namespace kinema
