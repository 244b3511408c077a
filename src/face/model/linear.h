// Products of tall matrices in blocks on several threads, principal components from the small Gram matrix, and ridge
// regression. Results do not depend on the number of threads.
#pragma once

#include "core/threads.h"
#include "kinema/face.h"

#include <Eigen/Dense>

#include <cstddef>
#include <span>
#include <vector>

namespace kinema::face {

using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A model's matrix as an Eigen map, without a copy, and back.
inline Eigen::Map<const RowMatrix> rows_of(const Matrix& matrix) {
  return {matrix.values.data(), static_cast<Eigen::Index>(matrix.rows), static_cast<Eigen::Index>(matrix.columns)};
}
inline Matrix matrix_of(const RowMatrix& rows) {
  return {static_cast<std::size_t>(rows.rows()), static_cast<std::size_t>(rows.cols()),
          std::vector<float>(rows.data(), rows.data() + rows.size())};
}

/// Consecutive rows or columns.
struct IndexRange {
  Eigen::Index first, count;
};

/// [first, end) in ranges of `step`, the last of which may be shorter.
std::vector<IndexRange> ranges_of(Eigen::Index first, Eigen::Index end, Eigen::Index step);

/// a a^T of a matrix with long rows, in double: blocks of the long side are summed one after the other.
Eigen::MatrixXd gram_of_rows(const Eigen::Ref<const RowMatrix>& a, const Threads& threads);

/// a b^T, both with long rows.
Eigen::MatrixXd rows_by_rows(const Eigen::Ref<const RowMatrix>& a, const Eigen::Ref<const RowMatrix>& b,
                             const Threads& threads);

/// The same with every product in double: the error E of a fit is a small difference of such products, for which single
/// precision is insufficient.
Eigen::MatrixXd exact_product(const Eigen::Ref<const RowMatrix>& a, const Eigen::Ref<const RowMatrix>& b,
                              const Threads& threads);

/// a b, b with long rows.
RowMatrix times_rows(const Eigen::Ref<const RowMatrix>& a, const Eigen::Ref<const RowMatrix>& b,
                     const Threads& threads);

struct Components {
  RowMatrix modes;                ///< orthonormal rows
  std::vector<double> variances;  ///< descending
};

/// Principal components of centred rows: as many as explain this share of the variance but at most `most`, or `count`
/// if it is not 0.
Components principal_components(const RowMatrix& rows, double share, std::size_t count, std::size_t most,
                                const Threads& threads);

/// Linear regressions with a penalty on their size. Samples belong to folds: each fold also has a regression trained
/// without it, which shows how a regression performs on unseen faces.
struct Ridge {
  RowMatrix weights;         ///< outputs x inputs
  Eigen::VectorXf constant;  ///< outputs
  RowMatrix held_out;        ///< samples x outputs: predictions by the regression without the sample's fold
  double penalty = 0;        ///< the one that was chosen

  struct Regression {
    RowMatrix weights;
    Eigen::VectorXf constant;
  };
  std::vector<Regression> without;  ///< the regressions trained without a fold, one per fold, if requested
};

/// The penalty is the one of `penalties` with the smallest held-out error; each is relative to the mean diagonal
/// element of the inputs' Gram matrix. The samples of a fold are contiguous, folds count from 0. With one fold nothing
/// is held out: the largest penalty is taken, and `held_out` is the prediction of the regression itself. `weights`: how much
/// each sample counts, 1 if none are given. `inputs` is centred and weighted in place.
Ridge ridge_regression(RowMatrix& inputs, const RowMatrix& outputs, std::span<const int> folds,
                       std::span<const double> penalties, const Threads& threads, bool keep_folds = false,
                       std::span<const double> weights = {});

/// Ridge regression of samples that arrive in batches: memory grows with the square of the inputs, not with the number of
/// samples.
class NormalEquations {
public:
  NormalEquations(std::size_t inputs, std::size_t outputs);

  /// Rows are samples. `inputs` is shifted in place by the mean of the first batch, so that sums stay small.
  void add(RowMatrix& inputs, const RowMatrix& outputs, const Threads& threads);

  /// The penalty is relative to the mean diagonal element of the centred inputs' square.
  Ridge::Regression solve(double penalty, const Threads& threads) const;

private:
  double samples_ = 0;
  Eigen::VectorXf origin_;  // of the inputs
  Eigen::VectorXd input_sum_, output_sum_;
  Eigen::MatrixXf square_, product_;  // inputs x inputs, its lower triangle; inputs x outputs
};

}  // namespace kinema::face
