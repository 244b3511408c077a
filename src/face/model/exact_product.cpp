#include "face/model/exact_product.h"

#include <algorithm>

namespace kinema::face {

Eigen::MatrixXd exact_product(const Eigen::Ref<const RowMatrix>& a, const Eigen::Ref<const RowMatrix>& b,
                              const Threads& threads) {
  constexpr Eigen::Index step = 2048;
  const auto blocks = static_cast<std::size_t>((a.cols() + step - 1) / step);
  std::vector<Eigen::MatrixXd> parts(blocks);
  threads.for_each(blocks, [&](std::size_t block) {
    const Eigen::Index first = static_cast<Eigen::Index>(block) * step, count = std::min(step, a.cols() - first);
    parts[block] = a.middleCols(first, count).cast<double>() * b.middleCols(first, count).cast<double>().transpose();
  });
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(a.rows(), b.rows());
  for (const Eigen::MatrixXd& part : parts) sum += part;
  return sum;
}

}  // namespace kinema::face
