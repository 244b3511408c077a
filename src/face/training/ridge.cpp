// Ridge regression with held-out folds. With fewer samples than inputs, the usual case here, the system is that of
// products between samples, and a fold is left out by leaving out its rows; otherwise that of products between inputs,
// from which the contribution of the fold is subtracted.
#include "face/model/linear.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kinema::face {
namespace {

// a^T b by tiles of the result; only tiles on and below the diagonal if a and b are the same.
Eigen::MatrixXf inner_products(const Eigen::Ref<const RowMatrix>& a, const Threads& threads) {
  constexpr Eigen::Index tile = 256;
  Eigen::MatrixXf result = Eigen::MatrixXf::Zero(a.cols(), a.cols());
  std::vector<std::pair<IndexRange, IndexRange>> pairs;
  for (Eigen::Index i = 0; i < a.cols(); i += tile)
    for (Eigen::Index j = 0; j <= i; j += tile)
      pairs.push_back({{i, std::min(tile, a.cols() - i)}, {j, std::min(tile, a.cols() - j)}});
  threads.for_each(pairs.size(), [&](std::size_t task) {
    const auto& [i, j] = pairs[task];
    result.block(i.first, j.first, i.count, j.count).noalias() =
        a.middleCols(i.first, i.count).transpose() * a.middleCols(j.first, j.count);
  });
  return result;
}

// Solves with the lower triangle; the penalty keeps it far from singular.
Eigen::MatrixXf solve(Eigen::MatrixXf square, const Eigen::MatrixXf& right, double penalty) {
  square.diagonal().array() += static_cast<float>(penalty);
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXf>, Eigen::Lower> factors(square);
  return factors.solve(right);
}

// The interface of both forms: regressions of all samples and of those without a fold, and their predictions.
class FoldRegressions {
public:
  FoldRegressions(const RowMatrix& inputs, Eigen::MatrixXf targets, std::vector<IndexRange> parts,
                  const Threads& threads)
      : inputs_(inputs), targets_(std::move(targets)), parts_(std::move(parts)), dual_(inputs.rows() <= inputs.cols()) {
    if (dual_) {
      square_ = gram_of_rows(inputs, threads).cast<float>();
      return;
    }
    square_ = Eigen::MatrixXf::Zero(inputs.cols(), inputs.cols());
    product_ = inputs.transpose() * targets_;
    for (const IndexRange& part : parts_) {
      squares_.push_back(inner_products(inputs.middleRows(part.first, part.count), threads));
      square_ += squares_.back();
    }
  }

  /// Of the samples without a fold: in the dual form the coefficient of each sample, 0 in the fold; otherwise the
  /// weights.
  Eigen::MatrixXf without(std::size_t fold, double penalty) const {
    const IndexRange& out = parts_[fold];
    const Eigen::Index all = inputs_.rows(), before = out.first, after = all - before - out.count;
    if (!dual_) {
      const auto mine = inputs_.middleRows(out.first, out.count);
      const Eigen::MatrixXf product = product_ - mine.transpose() * targets_.middleRows(out.first, out.count);
      return solve(square_ - squares_[fold], product, penalty);
    }
    Eigen::MatrixXf square(before + after, before + after), right(before + after, targets_.cols());
    square.topLeftCorner(before, before) = square_.topLeftCorner(before, before);
    square.bottomLeftCorner(after, before) = square_.bottomLeftCorner(after, before);
    square.bottomRightCorner(after, after) = square_.bottomRightCorner(after, after);
    right.topRows(before) = targets_.topRows(before);
    right.bottomRows(after) = targets_.bottomRows(after);
    const Eigen::MatrixXf mix = solve(std::move(square), right, penalty);
    Eigen::MatrixXf whole = Eigen::MatrixXf::Zero(all, targets_.cols());
    whole.topRows(before) = mix.topRows(before);
    whole.bottomRows(after) = mix.bottomRows(after);
    return whole;
  }

  Eigen::MatrixXf of_all(double penalty) const {
    return dual_ ? solve(square_, targets_, penalty) : solve(square_, product_, penalty);
  }

  /// The prediction of a solution for a fold.
  Eigen::MatrixXf told(std::size_t fold, const Eigen::MatrixXf& solution) const {
    const IndexRange& part = parts_[fold];
    if (!dual_) return inputs_.middleRows(part.first, part.count) * solution;
    return square_.middleRows(part.first, part.count) * solution;
  }

  RowMatrix weights(const Eigen::MatrixXf& solution, const Threads& threads) const {
    if (!dual_) return solution.transpose();
    return times_rows(RowMatrix(solution.transpose()), inputs_, threads);
  }

private:
  const RowMatrix& inputs_;
  Eigen::MatrixXf targets_;
  std::vector<IndexRange> parts_;
  bool dual_;
  Eigen::MatrixXf square_, product_;
  std::vector<Eigen::MatrixXf> squares_;
};

}  // namespace

Ridge ridge_regression(RowMatrix& inputs, const RowMatrix& outputs, std::span<const int> folds,
                       std::span<const double> penalties, const Threads& threads, bool keep_folds,
                       std::span<const double> weights) {
  const Eigen::Index samples = inputs.rows();
  const Eigen::VectorXf input_mean =
      (inputs.cast<double>().colwise().sum() / static_cast<double>(samples)).transpose().cast<float>();
  const Eigen::VectorXf output_mean =
      (outputs.cast<double>().colwise().sum() / static_cast<double>(samples)).transpose().cast<float>();
  Eigen::MatrixXf targets = outputs.rowwise() - output_mean.transpose();
  // of the weights: rows times these make a weighted regression
  Eigen::VectorXf roots = Eigen::VectorXf::Ones(samples);
  for (std::size_t i = 0; i < weights.size(); ++i)
    roots[static_cast<Eigen::Index>(i)] = static_cast<float>(std::sqrt(weights[i]));
  double squares = 0;
  for (Eigen::Index i = 0; i < samples; ++i) {
    inputs.row(i) -= input_mean.transpose();
    inputs.row(i) *= roots[i];
    targets.row(i) *= roots[i];
    squares += inputs.row(i).squaredNorm();
  }
  const double unit = std::max(squares / static_cast<double>(inputs.cols()), 1e-20);

  std::vector<IndexRange> parts;
  for (Eigen::Index i = 0; i < samples; ++i) {
    if (parts.empty() || folds[static_cast<std::size_t>(i)] != folds[static_cast<std::size_t>(i - 1)])
      parts.push_back({i, 0});
    ++parts.back().count;
  }
  const FoldRegressions set(inputs, targets, parts, threads);
  Ridge ridge;
  ridge.penalty = *std::max_element(penalties.begin(), penalties.end());
  ridge.held_out.resize(samples, outputs.cols());
  if (parts.size() > 1) {
    const auto solution_without = [&](std::size_t fold, double penalty) {
      const double share = 1 - static_cast<double>(parts[fold].count) / static_cast<double>(samples);
      return set.without(fold, penalty * unit * share);
    };
    // two folds suffice for the choice; the best is then used for all
    const std::size_t judges = std::min<std::size_t>(2, parts.size());
    std::vector<double> errors(judges * penalties.size());
    threads.for_each(errors.size(), [&](std::size_t task) {
      const IndexRange& part = parts[task % judges];
      errors[task] = (set.told(task % judges, solution_without(task % judges, penalties[task / judges])) -
                      targets.middleRows(part.first, part.count))
                         .cast<double>()
                         .squaredNorm();
    });
    double least = HUGE_VAL;
    for (std::size_t p = 0; p < penalties.size(); ++p) {
      double error = 0;
      for (std::size_t f = 0; f < judges; ++f) error += errors[p * judges + f];
      if (error < least) least = error, ridge.penalty = penalties[p];
    }
    std::vector<Eigen::MatrixXf> solutions(parts.size());
    threads.for_each(parts.size(), [&](std::size_t f) {
      solutions[f] = solution_without(f, ridge.penalty);
      ridge.held_out.middleRows(parts[f].first, parts[f].count) = set.told(f, solutions[f]);
    });
    for (std::size_t f = 0; keep_folds && f < parts.size(); ++f) {
      const RowMatrix of_fold = set.weights(solutions[f], threads);
      ridge.without.push_back({of_fold, output_mean - of_fold * input_mean});
    }
  }
  ridge.weights = set.weights(set.of_all(ridge.penalty * unit), threads);
  ridge.constant = output_mean - ridge.weights * input_mean;
  if (parts.size() == 1) ridge.held_out = inputs * ridge.weights.transpose();
  ridge.held_out.array().colwise() /= roots.array();
  ridge.held_out.rowwise() += output_mean.transpose();
  return ridge;
}

}  // namespace kinema::face
