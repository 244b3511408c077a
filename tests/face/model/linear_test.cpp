#include "face/model/linear.h"

#include "core/random.h"

#include <gtest/gtest.h>

namespace kinema::face {
namespace {

RowMatrix random_rows(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  RowMatrix out(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j)
      out(i, j) =
          static_cast<float>(Random{seed, 0, static_cast<std::uint32_t>(i)}.normal(static_cast<std::uint32_t>(j)));
  return out;
}

TEST(Products, InBlocksAreTheProducts) {
  const Threads threads(2);
  const RowMatrix a = random_rows(210, 5000, 1), b = random_rows(13, 5000, 2), c = random_rows(7, 210, 3);
  const Eigen::MatrixXd ad = a.cast<double>(), bd = b.cast<double>(), cd = c.cast<double>();
  EXPECT_LT((gram_of_rows(a, threads) - ad * ad.transpose()).cwiseAbs().maxCoeff(), 1e-2);
  EXPECT_LT((rows_by_rows(a, b, threads) - ad * bd.transpose()).cwiseAbs().maxCoeff(), 1e-2);
  EXPECT_LT((times_rows(c, a, threads).cast<double>() - cd * ad).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(PrincipalComponents, FindPlantedOnesAndAreOrthonormal) {
  const Threads threads(2);
  RowMatrix modes = random_rows(3, 4000, 5);
  modes.row(0).normalize();
  for (int k = 1; k < 3; ++k) {
    for (int j = 0; j < k; ++j) modes.row(k) -= modes.row(k).dot(modes.row(j)) * modes.row(j);
    modes.row(k).normalize();
  }
  RowMatrix parameters = random_rows(60, 3, 6);
  parameters.col(0) *= 9, parameters.col(1) *= 4, parameters.col(2) *= 1.5;
  RowMatrix rows = parameters * modes;
  rows.rowwise() -= rows.colwise().mean();
  const Components found = principal_components(rows, 0.9999, 0, 100, threads);
  ASSERT_EQ(found.modes.rows(), 3);
  const Eigen::MatrixXf square = found.modes * found.modes.transpose();
  EXPECT_LT((square - Eigen::MatrixXf::Identity(3, 3)).cwiseAbs().maxCoeff(), 1e-5f);
  // they span what was planted, and hold all of the data
  EXPECT_LT((rows - (rows * found.modes.transpose()) * found.modes).norm(), 1e-4f * rows.norm());
  double sum = 0;
  for (const double variance : found.variances) sum += variance;
  EXPECT_NEAR(sum / (rows.cast<double>().squaredNorm() / 59), 1, 1e-5);
}

// Both forms of the regression, few samples and many.
class RidgeForms : public testing::TestWithParam<int> {};

TEST_P(RidgeForms, HoldOutWhatARegressionOfTheOthersWouldSay) {
  const Threads threads(2);
  const Eigen::Index samples = GetParam(), inputs = 30, half = samples / 2;
  RowMatrix x = random_rows(samples, inputs, 7);
  const RowMatrix truth = random_rows(2, inputs, 8);
  const RowMatrix noise = random_rows(samples, 2, 9);
  const RowMatrix y = (x * truth.transpose() + 0.1f * noise).array() + 5;
  std::vector<int> folds(static_cast<std::size_t>(samples), 0);
  for (auto i = static_cast<std::size_t>(half); i < folds.size(); ++i) folds[i] = 1;
  const RowMatrix original = x;
  const double penalties[] = {0.05};
  const Ridge ridge = ridge_regression(x, y, folds, penalties, threads, true);

  // written out in double: centre by all samples, solve with the second half, apply to the first
  const Eigen::RowVectorXd x_mean = original.cast<double>().colwise().mean(),
                           y_mean = y.cast<double>().colwise().mean();
  const Eigen::MatrixXd xc = original.cast<double>().rowwise() - x_mean, yc = y.cast<double>().rowwise() - y_mean;
  const double unit = xc.squaredNorm() / static_cast<double>(inputs);
  const auto solve = [&](const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, double penalty) -> Eigen::MatrixXd {
    const Eigen::MatrixXd square = a.transpose() * a + penalty * Eigen::MatrixXd::Identity(inputs, inputs);
    return square.ldlt().solve(a.transpose() * b);
  };
  const Eigen::MatrixXd rest = solve(xc.bottomRows(samples - half), yc.bottomRows(samples - half),
                                     0.05 * unit * static_cast<double>(samples - half) / static_cast<double>(samples));
  const Eigen::MatrixXd told = (xc.topRows(half) * rest).rowwise() + y_mean;
  EXPECT_LT((ridge.held_out.topRows(half).cast<double>() - told).cwiseAbs().maxCoeff(), 1e-3);
  ASSERT_EQ(ridge.without.size(), 2u);
  EXPECT_LT((ridge.without[0].weights.cast<double>() - rest.transpose()).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_LT((ridge.without[0].constant.cast<double>().transpose() - (y_mean - x_mean * rest)).cwiseAbs().maxCoeff(),
            1e-3);
  const Eigen::MatrixXd all = solve(xc, yc, 0.05 * unit);
  EXPECT_LT((ridge.weights.cast<double>() - all.transpose()).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_LT((ridge.constant.cast<double>().transpose() - (y_mean - x_mean * all)).cwiseAbs().maxCoeff(), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(FewAndManySamples, RidgeForms, testing::Values(20, 100));

TEST_P(RidgeForms, ASampleThatCountsTwiceIsLikeTwoSamples) {
  const Threads threads(2);
  const Eigen::Index samples = GetParam(), inputs = 30;
  RowMatrix x = random_rows(samples, inputs, 7), y = random_rows(samples, 2, 9);
  // means do not depend on weights: all as often with either sign
  x.bottomRows(samples / 2) = -x.topRows(samples / 2);
  y.bottomRows(samples / 2) = -y.topRows(samples / 2);
  const Eigen::Index quarter = samples / 4, twice = samples + 2 * quarter;
  RowMatrix more(twice, inputs), more_y(twice, 2);
  more << x, x.topRows(quarter), x.middleRows(samples / 2, quarter);
  more_y << y, y.topRows(quarter), y.middleRows(samples / 2, quarter);
  std::vector<double> weights(static_cast<std::size_t>(samples), 1.0);
  for (Eigen::Index i = 0; i < quarter; ++i)
    weights[static_cast<std::size_t>(i)] = weights[static_cast<std::size_t>(samples / 2 + i)] = 2;
  const double penalties[] = {0.05};
  const std::vector<int> one(static_cast<std::size_t>(samples), 0), one_more(static_cast<std::size_t>(twice), 0);
  const Ridge weighted = ridge_regression(x, y, one, penalties, threads, false, weights);
  const Ridge repeated = ridge_regression(more, more_y, one_more, penalties, threads);
  EXPECT_LT((weighted.weights - repeated.weights).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_LT((weighted.constant - repeated.constant).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_LT((weighted.held_out - repeated.held_out.topRows(samples)).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(Ridge, TakesThePenaltyThatDoesBestOnWhatItHasNotSeen) {
  const Threads threads(1);
  RowMatrix x = random_rows(40, 200, 10);
  const RowMatrix pure_noise = random_rows(40, 1, 11);
  std::vector<int> folds(40);
  for (std::size_t i = 0; i < 40; ++i) folds[i] = static_cast<int>(i / 10);
  const double penalties[] = {0.01, 100};
  EXPECT_EQ(ridge_regression(x, pure_noise, folds, penalties, threads).penalty, 100);
}

TEST(NormalEquations, OfBatchesGiveTheRegressionOfAll) {
  const Threads threads(2);
  RowMatrix inputs = random_rows(900, 300, 21);
  inputs.col(3).array() += 5;
  const RowMatrix outputs = inputs * random_rows(300, 4, 22) + random_rows(900, 4, 23);
  NormalEquations equations(300, 4);
  for (Eigen::Index first = 0; first < 900; first += 300) {
    RowMatrix part = inputs.middleRows(first, 300);
    equations.add(part, outputs.middleRows(first, 300), threads);
  }
  const Ridge::Regression found = equations.solve(0.1, threads);
  const std::vector<int> folds(900, 0);
  const double penalties[] = {0.1};
  const Ridge whole = ridge_regression(inputs, outputs, folds, penalties, threads);
  // single precision
  EXPECT_LT((found.weights - whole.weights).cwiseAbs().maxCoeff(), 2e-4);
  EXPECT_LT((found.constant - whole.constant).cwiseAbs().maxCoeff(), 2e-3);
}

}  // namespace
}  // namespace kinema::face
