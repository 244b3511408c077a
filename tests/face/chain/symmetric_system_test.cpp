#include "face/chain/symmetric_system.h"
#include "threaded_block.h"

#include <Eigen/Dense>

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace kinema::face {
namespace {

// Solves a system in the memory of a block, as a work does.
struct SolveKernel {
  const Eigen::MatrixXd* matrix;
  const Eigen::VectorXd* right;
  double* x;

  int unknowns() const { return static_cast<int>(right->size()); }
  std::size_t shared_bytes() const {
    return bytes_taken([this](auto& arrays) { SymmetricSystem::in(arrays, unknowns()); });
  }
  template <class Block>
  void prepare(Block& block) const {
    SharedArrays arrays(block);
    SymmetricSystem::in(arrays, unknowns()).clear_padding(block);
  }
  template <class Block>
  void operator()(Block& block) const {
    SharedArrays arrays(block);
    const SymmetricSystem system = SymmetricSystem::in(arrays, unknowns());
    for (int i = block.thread(); i < unknowns(); i += block.threads()) {
      for (int j = 0; j <= i; ++j) system.at(i, j) = (*matrix)(i, j);
      system.right(i) = (*right)(i);
    }
    block.wait();
    system.solve(block, x);
  }
};

template <class Launch>
Eigen::VectorXd solved(const Launch& launch, const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right) {
  Eigen::VectorXd x = Eigen::VectorXd::Constant(right.size(), 7);
  const int rows = 1;
  launch(SolveKernel{&matrix, &right, x.data()}, 1, rows, &rows);
  return x;
}

TEST(SymmetricSystem, FindsWhatSolvesRandomEquations) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int n = 1; n <= 37; ++n) {
    const Eigen::MatrixXd a = Eigen::MatrixXd::NullaryExpr(n, n + 3, [&] { return normal(random); });
    const Eigen::MatrixXd matrix = a * a.transpose() + 1e-3 * Eigen::MatrixXd::Identity(n, n);
    const Eigen::VectorXd truth = Eigen::VectorXd::NullaryExpr(n, [&] { return normal(random); });
    const Eigen::VectorXd right = matrix * truth;
    const Eigen::VectorXd x = solved(SerialLauncher{}, matrix, right);
    EXPECT_LT((x - truth).norm(), 1e-8 * truth.norm()) << n << " unknowns";
    EXPECT_EQ(x, solved(ThreadedLauncher{3}, matrix, right)) << n << " unknowns";
  }
}

TEST(SymmetricSystem, LeavesUnknownsThatNoEquationHasAtZero) {
  for (const int n : {1, 2, 5, 8}) {
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(n);
    EXPECT_EQ(solved(SerialLauncher{}, matrix, right), Eigen::VectorXd::Zero(n));
    matrix(n - 1, n - 1) = 4, right[n - 1] = 2;
    Eigen::VectorXd half = Eigen::VectorXd::Zero(n);
    half[n - 1] = 0.5;
    EXPECT_EQ(solved(SerialLauncher{}, matrix, right), half);
  }
}

}  // namespace
}  // namespace kinema::face
