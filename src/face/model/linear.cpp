#include "face/model/linear.h"

#include "core/symmetric.h"
#include "face/model/shape.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kinema::face {
namespace {

constexpr Eigen::Index long_block = 2048;
constexpr Eigen::Index tile = 192;

}  // namespace

std::vector<IndexRange> ranges_of(Eigen::Index first, Eigen::Index end, Eigen::Index step) {
  std::vector<IndexRange> result;
  for (; first < end; first += step) result.push_back({first, std::min(step, end - first)});
  return result;
}

Eigen::MatrixXd rows_by_rows(const Eigen::Ref<const RowMatrix>& a, const Eigen::Ref<const RowMatrix>& b,
                             const Threads& threads) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(a.rows(), b.rows());
  const std::vector<IndexRange> rows = ranges_of(0, a.rows(), tile), columns = ranges_of(0, b.rows(), tile);
  const std::vector<IndexRange> blocks = ranges_of(0, a.cols(), long_block);
  threads.for_each(rows.size() * columns.size(), [&](std::size_t task) {
    const IndexRange i = rows[task / columns.size()], j = columns[task % columns.size()];
    for (const IndexRange& k : blocks) {
      const Eigen::MatrixXf part =
          a.block(i.first, k.first, i.count, k.count) * b.block(j.first, k.first, j.count, k.count).transpose();
      result.block(i.first, j.first, i.count, j.count) += part.cast<double>();
    }
  });
  return result;
}

Eigen::MatrixXd gram_of_rows(const Eigen::Ref<const RowMatrix>& a, const Threads& threads) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(a.rows(), a.rows());
  const std::vector<IndexRange> rows = ranges_of(0, a.rows(), tile), blocks = ranges_of(0, a.cols(), long_block);
  std::vector<std::pair<IndexRange, IndexRange>> pairs;
  for (const IndexRange& i : rows)
    for (const IndexRange& j : rows)
      if (j.first <= i.first) pairs.emplace_back(i, j);
  threads.for_each(pairs.size(), [&](std::size_t task) {
    const auto& [i, j] = pairs[task];
    for (const IndexRange& k : blocks) {
      const Eigen::MatrixXf part =
          a.block(i.first, k.first, i.count, k.count) * a.block(j.first, k.first, j.count, k.count).transpose();
      result.block(i.first, j.first, i.count, j.count) += part.cast<double>();
    }
  });
  result.triangularView<Eigen::StrictlyUpper>() = result.transpose().triangularView<Eigen::StrictlyUpper>();
  return result;
}

Eigen::MatrixXd exact_product(const Eigen::Ref<const RowMatrix>& a, const Eigen::Ref<const RowMatrix>& b,
                              const Threads& threads) {
  const auto blocks = static_cast<std::size_t>((a.cols() + long_block - 1) / long_block);
  std::vector<Eigen::MatrixXd> parts(blocks);
  threads.for_each(blocks, [&](std::size_t block) {
    const Eigen::Index first = static_cast<Eigen::Index>(block) * long_block,
                       count = std::min(long_block, a.cols() - first);
    parts[block] = a.middleCols(first, count).cast<double>() * b.middleCols(first, count).cast<double>().transpose();
  });
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(a.rows(), b.rows());
  for (const Eigen::MatrixXd& part : parts) sum += part;
  return sum;
}

RowMatrix times_rows(const Eigen::Ref<const RowMatrix>& a, const Eigen::Ref<const RowMatrix>& b,
                     const Threads& threads) {
  RowMatrix result(a.rows(), b.cols());
  const std::vector<IndexRange> blocks = ranges_of(0, b.cols(), long_block);
  threads.for_each(blocks.size(), [&](std::size_t task) {
    const IndexRange k = blocks[task];
    result.middleCols(k.first, k.count).noalias() = a * b.middleCols(k.first, k.count);
  });
  return result;
}

Components principal_components(const RowMatrix& rows, double share, std::size_t count, std::size_t most,
                                const Threads& threads) {
  Components result;
  const Eigen::Index examples = rows.rows();
  const double degrees = static_cast<double>(std::max<Eigen::Index>(1, examples - 1));
  auto [variances, axes] = principal_axes(gram_of_rows(rows, threads) / degrees);
  // single precision leaves noise below this
  std::size_t possible = 0;
  while (possible < variances.size() && variances[possible] > 1e-6 * variances.front() && variances[possible] > 1e-30)
    ++possible;
  std::size_t kept = std::min(count > 0 ? count : std::min(most, modes_for_share(variances, share)), possible);
  kept = std::min(kept, static_cast<std::size_t>(std::max<Eigen::Index>(0, examples - 1)));
  RowMatrix mix(static_cast<Eigen::Index>(kept), examples);
  for (std::size_t k = 0; k < kept; ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    mix.row(row) = (axes.col(row) / std::sqrt(variances[k] * degrees)).transpose().cast<float>();
  }
  result.modes = times_rows(mix, rows, threads);
  // the Gram matrix squares the condition number: orthogonality is restored
  if (kept > 0) {
    const Eigen::MatrixXd lower = gram_of_rows(result.modes, threads).llt().matrixL();
    const Eigen::MatrixXd mend =
        lower.triangularView<Eigen::Lower>().solve(Eigen::MatrixXd::Identity(lower.rows(), lower.cols()));
    result.modes = times_rows(mend.cast<float>(), result.modes, threads);
  }
  variances.resize(kept);
  result.variances = std::move(variances);
  return result;
}

}  // namespace kinema::face
