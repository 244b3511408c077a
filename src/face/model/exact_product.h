// Products of matrices with long rows in double: the error E of a fit is a small difference of such products, for which
// single precision is insufficient.
#pragma once

#include "core/threads.h"
#include "face/model/linear.h"

namespace kinema::face {

/// a b^T.
Eigen::MatrixXd exact_product(const Eigen::Ref<const RowMatrix>& a, const Eigen::Ref<const RowMatrix>& b,
                              const Threads& threads);

}  // namespace kinema::face
