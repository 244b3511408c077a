// Ridge regression of samples that arrive in batches: memory grows with the square of the inputs, not with the number of
// samples. Results do not depend on the number of threads.
#pragma once

#include "core/threads.h"
#include "face/model/linear.h"

#include <cstddef>

namespace kinema::face {

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
