// Matrices of blocks near the diagonal, held against dense ones.
#include "body/smoothing/block_band.h"
#include "core/random.h"

#include <gtest/gtest.h>

namespace kinema::body {
namespace {

constexpr int size = 3;

// A dense matrix with the same blocks, well away from singular.
Eigen::MatrixXd fill(BlockBand& band) {
  const Random random{3, 0, 0};
  const auto rows = static_cast<Eigen::Index>(band.count()) * size;
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(rows, rows);
  std::uint32_t drawn = 0;
  for (std::size_t row = 0; row < band.count(); ++row) {
    for (std::size_t before = 0; before <= std::min(row, BlockBand::reach); ++before) {
      Eigen::MatrixXd block(size, size);
      for (double& number : block.reshaped()) number = random.normal(drawn++);
      if (before == 0) block = Eigen::MatrixXd(block + block.transpose()) + 20 * Eigen::MatrixXd::Identity(size, size);
      band.block(row, before) = block;
      const auto at = static_cast<Eigen::Index>(row) * size, to = static_cast<Eigen::Index>(row - before) * size;
      dense.block(at, to, size, size) = block;
      dense.block(to, at, size, size) = block.transpose();
    }
  }
  return dense;
}

// Both are solved in double precision, and the matrix is far from singular.
constexpr double rounding = 1e-12;

TEST(BodyBlockBand, SolvesAsADenseMatrixDoes) {
  for (std::size_t count : {1, 2, 3, 8}) {
    BlockBand band(count, size);
    const Eigen::MatrixXd dense = fill(band);
    band.factor();
    Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(dense.rows(), -1, 2);
    const Eigen::VectorXd expected = dense.ldlt().solve(b);
    band.solve(b);
    EXPECT_LT((b - expected).cwiseAbs().maxCoeff(), rounding) << count;
  }
}

TEST(BodyBlockBand, HasTheDiagonalOfTheInverse) {
  for (std::size_t count : {1, 2, 3, 8}) {
    BlockBand band(count, size);
    const Eigen::MatrixXd inverse = fill(band).inverse();
    band.factor();
    const std::vector<Eigen::MatrixXd> diagonal = band.inverse_diagonal();
    ASSERT_EQ(diagonal.size(), count);
    for (std::size_t row = 0; row < count; ++row) {
      const auto at = static_cast<Eigen::Index>(row) * size;
      EXPECT_LT((diagonal[row] - inverse.block(at, at, size, size)).cwiseAbs().maxCoeff(), rounding) << count;
    }
  }
}

}  // namespace
}  // namespace kinema::body
