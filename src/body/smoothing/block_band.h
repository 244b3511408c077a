// A symmetric positive definite block matrix with nonzero blocks only near the diagonal: the normal equations of
// consecutive poses. Factored and solved block by block, in time linear in their number; the forward pass is a Kalman
// filter in information form, the backward pass the smoother of Rauch, Tung and Striebel.
#pragma once

#include <Eigen/Dense>

#include <cstddef>
#include <vector>

namespace kinema::body {

class BlockBand {
public:
  /// The greatest distance of a nonzero block from the diagonal.
  static constexpr std::size_t reach = 2;

  /// count x count blocks of size x size, all 0.
  BlockBand(std::size_t count, int size);

  std::size_t count() const { return lower_.size() / (reach + 1); }

  /// Block (row, row - before): only the lower half is stored.
  Eigen::MatrixXd& block(std::size_t row, std::size_t before) { return lower_[row * (reach + 1) + before]; }

  /// Turns the matrix A into L with A = L L^T. The functions below require it.
  void factor();

  /// A^-1 b, in place; b has count x size numbers.
  void solve(Eigen::VectorXd& b) const;

  /// The diagonal blocks of A^-1.
  std::vector<Eigen::MatrixXd> inverse_diagonal() const;

private:
  const Eigen::MatrixXd& at(std::size_t row, std::size_t before) const { return lower_[row * (reach + 1) + before]; }

  int size_;
  std::vector<Eigen::MatrixXd> lower_;  // (count, reach + 1)
};

}  // namespace kinema::body
