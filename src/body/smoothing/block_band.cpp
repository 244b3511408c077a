#include "body/smoothing/block_band.h"

#include <algorithm>
#include <array>

namespace kinema::body {

BlockBand::BlockBand(std::size_t count, int size)
    : size_(size), lower_(count * (reach + 1), Eigen::MatrixXd::Zero(size, size)) {}

void BlockBand::factor() {
  for (std::size_t row = 0; row < count(); ++row) {
    for (std::size_t before = std::min(row, reach) + 1; before-- > 0;) {
      Eigen::MatrixXd& own = block(row, before);
      const std::size_t column = row - before;
      // both rows reach back to `first`
      const std::size_t first = row > reach ? row - reach : 0;
      for (std::size_t k = first; k < column; ++k) {
        own.noalias() -= at(row, row - k) * at(column, column - k).transpose();
      }
      if (before > 0) {
        at(column, 0).triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(own);
      } else {
        own = Eigen::MatrixXd(own.llt().matrixL());
      }
    }
  }
}

void BlockBand::solve(Eigen::VectorXd& b) const {
  const auto part = [&](std::size_t row) { return b.segment(static_cast<Eigen::Index>(row) * size_, size_); };
  for (std::size_t row = 0; row < count(); ++row) {
    for (std::size_t before = 1; before <= std::min(row, reach); ++before) {
      part(row).noalias() -= at(row, before) * part(row - before);
    }
    auto own = part(row);
    at(row, 0).triangularView<Eigen::Lower>().solveInPlace(own);
  }
  for (std::size_t row = count(); row-- > 0;) {
    for (std::size_t after = 1; after <= reach && row + after < count(); ++after) {
      part(row).noalias() -= at(row + after, after).transpose() * part(row + after);
    }
    auto own = part(row);
    at(row, 0).triangularView<Eigen::Lower>().transpose().solveInPlace(own);
  }
}

// S = A^-1 has S L = L^-T, which is 0 below the diagonal: column by column, from the last, every block of S in the band
// follows from those after it.
std::vector<Eigen::MatrixXd> BlockBand::inverse_diagonal() const {
  const Eigen::MatrixXd none = Eigen::MatrixXd::Zero(size_, size_);
  const std::size_t rows = count();
  // inverse[row][d]: block (row + d, row) of S, of all finished rows
  std::vector<std::array<Eigen::MatrixXd, reach + 1>> inverse(rows);
  const auto known = [&](std::size_t i, std::size_t j) -> Eigen::MatrixXd {
    return i >= j ? inverse[j][i - j] : Eigen::MatrixXd(inverse[i][j - i].transpose());
  };
  for (std::size_t row = rows; row-- > 0;) {
    const Eigen::MatrixXd own =
        at(row, 0).triangularView<Eigen::Lower>().solve(Eigen::MatrixXd::Identity(size_, size_));
    for (std::size_t d = std::min(reach, rows - 1 - row) + 1; d-- > 0;) {
      Eigen::MatrixXd sum = d == 0 ? Eigen::MatrixXd(own.transpose()) : none;
      for (std::size_t after = 1; after <= reach && row + after < rows; ++after) {
        sum.noalias() -= known(row + d, row + after) * at(row + after, after);
      }
      inverse[row][d] = sum * own;
    }
    // otherwise an asymmetry due to rounding would grow from row to row
    const Eigen::MatrixXd mirrored = inverse[row][0].transpose();
    inverse[row][0] = 0.5 * (inverse[row][0] + mirrored);
  }
  std::vector<Eigen::MatrixXd> diagonal;
  diagonal.reserve(rows);
  for (const auto& blocks : inverse) diagonal.push_back(blocks[0]);
  return diagonal;
}

}  // namespace kinema::body
