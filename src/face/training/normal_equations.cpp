#include "face/model/linear.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace kinema::face {
namespace {

constexpr Eigen::Index tile = 256;

// All tiles on and below the diagonal.
std::vector<std::pair<IndexRange, IndexRange>> lower_tiles(Eigen::Index first, Eigen::Index size) {
  std::vector<std::pair<IndexRange, IndexRange>> result;
  const std::vector<IndexRange> ranges = ranges_of(first, size, tile);
  for (const IndexRange& i : ranges)
    for (const IndexRange& j : ranges)
      if (j.first <= i.first) result.emplace_back(i, j);
  return result;
}

// Cholesky factors in the lower triangle, in place, by tiles: each is computed by one thread in one order.
void factorise(Eigen::MatrixXf& a, const Threads& threads) {
  const Eigen::Index size = a.rows();
  for (const IndexRange& k : ranges_of(0, size, tile)) {
    const auto diagonal = a.block(k.first, k.first, k.count, k.count);
    const Eigen::MatrixXf factor = Eigen::LLT<Eigen::MatrixXf>(diagonal).matrixL();
    a.block(k.first, k.first, k.count, k.count) = factor;
    const Eigen::Index next = k.first + k.count;
    const std::vector<IndexRange> below = ranges_of(next, size, tile);
    threads.for_each(below.size(), [&](std::size_t task) {
      auto panel = a.block(below[task].first, k.first, below[task].count, k.count);
      factor.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(panel);
    });
    const auto rest = lower_tiles(next, size);
    threads.for_each(rest.size(), [&](std::size_t task) {
      const auto& [i, j] = rest[task];
      a.block(i.first, j.first, i.count, j.count).noalias() -=
          a.block(i.first, k.first, i.count, k.count) * a.block(j.first, k.first, j.count, k.count).transpose();
    });
  }
}

}  // namespace

NormalEquations::NormalEquations(std::size_t inputs, std::size_t outputs)
    : input_sum_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(inputs))),
      output_sum_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(outputs))),
      square_(Eigen::MatrixXf::Zero(static_cast<Eigen::Index>(inputs), static_cast<Eigen::Index>(inputs))),
      product_(Eigen::MatrixXf::Zero(static_cast<Eigen::Index>(inputs), static_cast<Eigen::Index>(outputs))) {}

void NormalEquations::add(RowMatrix& inputs, const RowMatrix& outputs, const Threads& threads) {
  if (inputs.rows() == 0) return;
  if (samples_ == 0)
    origin_ = (inputs.cast<double>().colwise().sum() / static_cast<double>(inputs.rows())).transpose().cast<float>();
  inputs.rowwise() -= origin_.transpose();
  samples_ += static_cast<double>(inputs.rows());
  input_sum_ += inputs.cast<double>().colwise().sum().transpose();
  output_sum_ += outputs.cast<double>().colwise().sum().transpose();
  const auto pairs = lower_tiles(0, inputs.cols());
  threads.for_each(pairs.size(), [&](std::size_t task) {
    const auto& [i, j] = pairs[task];
    square_.block(i.first, j.first, i.count, j.count).noalias() +=
        inputs.middleCols(i.first, i.count).transpose() * inputs.middleCols(j.first, j.count);
  });
  const std::vector<IndexRange> rows = ranges_of(0, inputs.cols(), tile);
  threads.for_each(rows.size(), [&](std::size_t task) {
    const IndexRange& i = rows[task];
    product_.middleRows(i.first, i.count).noalias() += inputs.middleCols(i.first, i.count).transpose() * outputs;
  });
}

Ridge::Regression NormalEquations::solve(double penalty, const Threads& threads) const {
  const Eigen::VectorXf input_mean = (input_sum_ / samples_).cast<float>();
  const Eigen::VectorXf output_mean = (output_sum_ / samples_).cast<float>();
  const auto count = static_cast<float>(samples_);
  Eigen::MatrixXf square = square_;
  threads.for_each(static_cast<std::size_t>(square.cols()), [&](std::size_t column) {
    const auto c = static_cast<Eigen::Index>(column);
    square.col(c) -= count * input_mean[c] * input_mean;
  });
  const double unit = std::max(square.diagonal().cast<double>().mean(), 1e-20);
  square.diagonal().array() += static_cast<float>(penalty * unit);
  factorise(square, threads);
  Eigen::MatrixXf solution = product_ - count * input_mean * output_mean.transpose();
  square.triangularView<Eigen::Lower>().solveInPlace(solution);
  square.triangularView<Eigen::Lower>().transpose().solveInPlace(solution);
  Ridge::Regression result;
  result.weights = solution.transpose();
  result.constant = output_mean - result.weights * (origin_ + input_mean);
  return result;
}

}  // namespace kinema::face
